"""More traffic than a port's rate lets through: the settings or the flow data are wrong, and the operator is told."""

from datetime import date

import pytest

from hntes.gate.shares.port_load import LoadedDay, PortLoad
from hntes.workflow.shares import above_rate


def port(*peaks_bps: tuple[int, int]) -> PortLoad:
    """A port of 10 Gb/s with these (beta, alpha) peaks, a day each."""
    days = [
        LoadedDay(date(2026, 11, 20 + number), True, "", beta, beta, 0, None, alpha)
        for number, (beta, alpha) in enumerate(peaks_bps)
    ]
    return PortLoad("r1", "xe-0/0/1", (501,), 10_000_000_000, tuple(days), (), ())


@pytest.mark.parametrize("peaks", [((9_900_000_000, 10_000_000_000),), (), ((0, 0), (10_000_000_000, 1))])
def test_what_the_port_can_carry_draws_no_warning(peaks: tuple[tuple[int, int], ...]) -> None:
    assert above_rate(port(*peaks)) == []


@pytest.mark.parametrize("peaks", [(10_540_000_000, 0), (0, 10_540_000_000)])
def test_more_than_the_rate_draws_one(peaks: tuple[int, int]) -> None:
    (told,) = above_rate(port((1, 1), peaks))
    assert told == (
        "xe-0/0/1: 10.5 Gb/s measured on 2026-11-21 exceed rate_bps in the settings, 10 Gb/s: correct rate_bps, or "
        "find the exporter that over-reports"
    )
