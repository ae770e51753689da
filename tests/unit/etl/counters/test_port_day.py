"""The usual ratio of a port and its tolerance, which decide what a surplus is."""

from collections.abc import Sequence

import numpy as np
import pytest

from hntes.etl.counters.polled import Polled
from hntes.etl.counters.port_day import PortDay
from hntes.etl.counters.port_octets import PortOctets
from hntes.etl.counters.source import IntervalOctets

HOUR_MS, MINUTE_MS = 3_600_000, 60_000
OCTETS = 6_000_000_000


def port_day(ratios: Sequence[float], *, is_metered: bool = True, octets: int = OCTETS) -> PortDay:
    """A port that counted so much each hour, and flows of each hour in that ratio."""
    minutes = np.arange(24 * 60)
    polls = [IntervalOctets("1", "in", int(m) * MINUTE_MS, int(m + 1) * MINUTE_MS, octets // 60) for m in minutes]
    by_hour = [*ratios, *[0.0] * (24 - len(ratios))]
    reported = octets / 60 * np.repeat(by_hour, 60)
    zero = np.zeros(len(minutes))
    flows = PortOctets(minutes * MINUTE_MS, (minutes + 1) * MINUTE_MS, reported, zero, zero, is_own_meter=is_metered)
    has_files = minutes < 60 * len(ratios)
    return PortDay(Polled(polls), flows, 0, has_files, 0.1, exports=is_metered, is_metered=is_metered)


@pytest.mark.parametrize(
    ("ratios", "is_metered", "usual"),
    [
        ([1.0] * 24, True, (1.0, 0.01)),
        ([1.0] * 5, True, (1.0, 0.1)),  # too few hours
        ([0.97] * 24, True, (0.97, 0.01)),
        ([0.5] * 24, True, (0.9, 0.01)),
        ([2.0] * 24, True, (1.1, 0.01)),
        ([1.0, 1.01] * 12, True, (1.005, 0.02)),
        ([1.0, 0.6] * 12, True, (1.0, 0.1)),  # lost exports lower no limit
        ([1.0] * 18 + [3.0] * 6, True, (1.0, 0.01)),  # forgeries in some hours raise none
        ([0.4] * 24, False, (1.0, 0.01)),
        ([0.4, 0.8] * 12, False, (1.0, 0.1)),
    ],
)
def test_the_usual_ratio_is_the_median_within_the_tolerance(
    ratios: list[float], is_metered: bool, usual: tuple[float, float]
) -> None:
    assert port_day(ratios, is_metered=is_metered).usual == pytest.approx(usual)


def test_a_surplus_is_above_the_tolerance_in_the_polls_around() -> None:
    day = port_day([1.0] * 12 + [1.02] + [1.0] * 11)
    window = day.window(12 * HOUR_MS + 600_000, 12 * HOUR_MS + 610_000)
    assert window == (12 * HOUR_MS + 540_000, 12 * HOUR_MS + 660_000)
    assert day.surplus_octets(window) > 0
    assert day.surplus_octets((3 * HOUR_MS, 3 * HOUR_MS + 60_000)) < 0
    assert [hour.hour for hour in day.hours_above()] == [12]
    assert day.hours_below() == []


def test_hours_below_are_of_interfaces_that_meter_themselves_and_have_traffic() -> None:
    ratios = [1.0] * 23 + [0.85]
    assert [hour.hour for hour in port_day(ratios).hours_below()] == [23]
    assert port_day(ratios, is_metered=False).hours_below() == []
    assert port_day(ratios, octets=400_000_000).hours_below() == []  # 0.9 Mbit/s
    assert port_day([1.0] * 23 + [0.91]).hours_below() == []
