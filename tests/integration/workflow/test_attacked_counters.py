"""Forged records that would keep a forged flow of 1.1 GB from being compared with the counters of its interfaces."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.integration.workflow.test_interface_counters import FORGED, NOON_S, TRUE, UNSAMPLED, carried, forged
from tests.support.counted_site import DAY, QUIET_CORE, QUIET_EDGE, CountedSite, Records, alpha

HOUR_MS = 3_600_000
TB = 10**12


def lasting(one_byte_of: Records, hours: float) -> Records:
    """The same flow with one packet that began so many hours before."""
    (flow,) = one_byte_of
    early = flow.first_ms - int(hours * HOUR_MS)
    return [replace(flow, first_ms=early, last_ms=flow.first_ms + 1, byte_count=60, packets=1)]


def a_long_record_of_the_flow() -> Records:
    return forged() + lasting(forged(), 11)


def long_records_of_the_flow() -> Records:
    return [*forged(), *(one for hours in (0.5, 1, 2, 5, 11) for one in lasting(forged(), hours))]


def a_record_from_before_the_first_poll() -> Records:
    return forged(at_s=60.0) + lasting(forged(at_s=60.0), 3)


def a_long_record_of_much() -> Records:
    """Of the port's rate for eleven hours, by other hosts: any part of it may be in any minute."""
    return [*forged(), alpha(DAY, FORGED + 1, NOON_S - 20_000, 40 * TB, 40_000.0)]


def at_another_metering_point() -> Records:
    return forged(direction=1)


def at_another_metering_point_and_elsewhere() -> Records:
    """Also where the flows of the port are metered, but by other interfaces."""
    elsewhere = forged(input_interface=QUIET_EDGE, output_interface=QUIET_CORE)
    return [*forged(direction=1), replace(elsewhere[0], byte_count=1_050_000_000)]


def beside_a_full_metering_point() -> Records:
    """A record of more bytes than the port has, metered elsewhere."""
    return [*forged(), replace(alpha(DAY, FORGED + 1, NOON_S - 20_000, 40 * TB, 40_000.0), direction=1)]


def an_unknown_interface_with_much() -> Records:
    much = alpha(DAY, FORGED + 1, NOON_S - 20_000, 40 * TB, 40_000.0)
    return [replace(one, input_interface=998, output_interface=999) for one in (*forged(), much)]


ATTACKS = [
    a_long_record_of_the_flow, long_records_of_the_flow, a_record_from_before_the_first_poll, a_long_record_of_much,
    at_another_metering_point, at_another_metering_point_and_elsewhere, beside_a_full_metering_point,
    an_unknown_interface_with_much,
]  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_record_hides_a_forged_flow_from_the_counters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attack: Callable[[], Records]
) -> None:
    monkeypatch.chdir(tmp_path)
    site = CountedSite(tmp_path)
    site.set_up(more=UNSAMPLED)
    records = carried(5e7)
    site.put(DAY, records, records + attack())
    site.day(DAY)
    assert site.pairs(DAY) == TRUE
