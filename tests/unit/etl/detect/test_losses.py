"""What was lost of a day's records, by exporter and cause, and whether it leaves the day incomplete."""

import re
from datetime import date
from pathlib import Path
from typing import get_args

import pytest

from hntes.etl import ingest
from hntes.etl.detect.counter_losses import ABOVE_COUNTERS, BELOW_COUNTERS
from hntes.etl.detect.losses import ALL_LOSSES, MOST_REPORTED, Known, Sums, cause_of, day_losses, port_losses
from hntes.etl.detect.lost_exports import LOST_EXPORTS
from hntes.etl.ingest.sampling import DOUBTFUL_SOURCES
from hntes.settings.losses import LossCause
from hntes.sql.entries import DayLoss, Doubt
from hntes.sql.exporter_counts import SlotCount
from tests.support.entries import observation

DAY, A, B, C = date(2026, 11, 20), "192.0.2.1", "192.0.2.2", "192.0.2.3"
SLOTS = range(0, 86_400_000, 864_000)  # 100 of 864 s


def known(**changes: object) -> Known:
    plain = {
        "router": "r1", "day": DAY, "day_s": 86_400, "min_coverage": 0.96, "min_records": 100, "exporters": {A, B},
        "excused": (), "unclaimed": {C}, "slots_s": dict.fromkeys(SLOTS, 864),
    }  # fmt: skip
    return Known(**plain | changes)


def each_slot(exporter: str, outcome: str, records: int, stored_bytes: int, slots: int = 100) -> list[SlotCount]:
    router = "" if outcome == "unclaimed" else "r1"
    return [SlotCount(start, router, exporter, outcome, records, stored_bytes) for start in SLOTS[:slots]]


KEPT = each_slot("", "kept", 100, 1000) + each_slot(A, "kept", 100, 1000)


def counting(losses: tuple[DayLoss, ...]) -> set[tuple[str, str]]:
    return {(loss.exporter, loss.cause) for loss in losses if loss.counts}


@pytest.mark.parametrize("reason", ["no_address", "no_time", "in_future", "end_before_start", "too_long",
                                    "absurd_counter", "oversized_packets", "faster_than_port"])  # fmt: skip
@pytest.mark.parametrize(("records", "stored_bytes"), [(5, 0), (0, 50), (5, 50)])
def test_more_than_the_limit_of_records_or_bytes_set_aside_for_any_reason(
    reason: str, records: int, stored_bytes: int
) -> None:
    lost = each_slot(A, f"set_aside:{reason}", records, stored_bytes)
    found = day_losses(lost, KEPT, known())
    assert counting(found) == {("", ALL_LOSSES), (A, reason)}
    assert (found[0].records, found[0].bytes) == (100 * records, 100 * stored_bytes)
    assert found[0].seen_s == 82_285  # 100 of 105
    assert counting(day_losses(lost, KEPT, known(min_coverage=0.95))) == set()


def test_the_share_that_a_day_may_lack_is_a_loss_that_does_not_count() -> None:
    found = day_losses(each_slot(A, "set_aside:no_time", 4, 40), KEPT, known())
    assert counting(found) == set()
    assert {(loss.exporter, loss.cause, loss.records) for loss in found} == {("", "all", 400), (A, "no_time", 400)}


@pytest.mark.parametrize(("slots", "counts"), [(1, False), (4, False), (5, True)])
def test_however_much_is_lost_of_a_file_it_costs_no_more_than_its_time(slots: int, counts: bool) -> None:
    """Who sends one datagram with absurd counters must not stop ageing."""
    found = day_losses(each_slot(A, "set_aside:absurd_counter", 1000, 1 << 60, slots), KEPT, known())
    assert bool(counting(found)) == counts


def test_an_exporter_is_judged_alone() -> None:
    """All of its records are lost, and they are 1 % of the router's."""
    lost = each_slot(B, "set_aside:no_address", 1, 10)
    assert counting(day_losses(lost, KEPT, known())) == {(B, "no_address")}
    assert counting(day_losses(lost, KEPT, known(exporters={A}))) == set()
    assert counting(day_losses(lost, KEPT, known(min_records=101))) == set()


@pytest.mark.parametrize(
    ("outcome", "cause"),
    [("noted:former_factor", "former_factor"), ("noted:other_domain_factor", "other_domain_factor"),
     ("noted:unannounced", "unannounced"), ("noted:unused_sampler", "unused_sampler"),
     ("repaired:sampling_factor", "sampling_lowered"),
     ("set_aside:sampling_changed", "sampling_changed")],
)  # fmt: skip
@pytest.mark.parametrize(("records", "counts"), [(1, False), (2, True)])
def test_one_per_cent_of_records_with_a_doubtful_factor(outcome: str, cause: str, records: int, counts: bool) -> None:
    found = day_losses(each_slot(A, outcome, records, 0), KEPT, known())
    assert counting(found) == ({(A, cause)} if counts else set())
    assert not counting(day_losses(each_slot(A, outcome, records, 0), KEPT, known(excused={cause})))


def test_kept_records_that_are_doubted_are_part_of_the_whole_once() -> None:
    (_, found) = day_losses(each_slot(A, "repaired:no_duration", 5, 50), KEPT, known())
    assert (found.whole_records, found.whole_bytes, found.seen_s, found.counts) == (10_000, 100_000, 82_080, True)


def test_records_that_are_not_flows_are_missed_only_if_they_have_bytes() -> None:
    assert counting(day_losses(each_slot(A, "set_aside:not_a_flow", 900, 0), KEPT, known())) == set()
    lost = day_losses(each_slot(A, "set_aside:not_a_flow", 900, 900), KEPT, known())
    assert counting(lost) == {("", ALL_LOSSES), (A, "not_a_flow")}


def test_unclaimed_exporters_count_where_they_may_be_the_routers() -> None:
    lost = each_slot(C, "unclaimed", 50, 500)
    assert counting(day_losses(lost, KEPT, known())) == {("", ALL_LOSSES), (C, "unclaimed")}
    for passed_over in (known(unclaimed=()), known(excused={"unclaimed"})):
        found = day_losses(lost, KEPT, passed_over)
        assert [(loss.exporter, loss.records, loss.counts) for loss in found] == [("", 0, False), (C, 5000, False)]


def test_losses_of_files_that_are_missing_anyway_are_not_the_reason() -> None:
    half = dict.fromkeys(SLOTS[:50], 864)
    few = day_losses(each_slot(A, "set_aside:no_time", 2, 20, 50), KEPT, known(slots_s=half))
    assert counting(few) == set()
    many = day_losses(each_slot(A, "set_aside:no_time", 5, 50, 50), KEPT, known(slots_s=half))
    assert ("", ALL_LOSSES) in counting(many)


def test_of_forged_exporters_only_the_largest_are_stored() -> None:
    lost = [SlotCount(0, "", f"10.0.{n // 256}.{n % 256}", "unclaimed", n, 0) for n in range(1, 1001)]
    found = day_losses(lost, KEPT, known(unclaimed=()))
    assert (len(found), found[1].records) == (MOST_REPORTED, 1000)


def test_without_losses_nothing_is_stored() -> None:
    assert day_losses([], KEPT, known()) == ()


@pytest.mark.parametrize(
    ("flow_bytes", "unlisted", "counts"),
    [(40, {}, False), (50, {}, True), (1, {"port_rate": 1}, True), (40, {"no_counters": 700}, False)],
)
def test_alpha_flows_beyond_their_port_count_by_their_bytes(
    flow_bytes: int, unlisted: dict[Doubt, int], counts: bool
) -> None:
    flows = [
        observation(exporter=A, flow_bytes=flow_bytes, implausible=True, doubt="port_rate"),
        observation(exporter=A, flow_bytes=500),
    ]
    (found,) = port_losses(flows, unlisted, Sums(1000, 1000), known())
    assert (found.exporter, found.bytes, found.counts) == (A, flow_bytes, counts)
    (found,) = port_losses(flows, unlisted, Sums(1000, 1000), known(excused={"port_exceeded"}))
    assert not found.counts
    assert port_losses(flows[1:], {}, Sums(1000, 1000), known()) == ()


_COUNTERS = {BELOW_COUNTERS, ABOVE_COUNTERS}


def test_the_settings_know_every_cause() -> None:
    source = "".join(path.read_text() for path in Path(ingest.__path__[0]).glob("*.py"))
    set_aside = set(re.findall(r'(?:records\.settle\(|aside\[)"(\w+)"', source))
    set_aside |= set(re.findall(r'"set_aside:(\w+)"', source))
    doubted = {cause_of(outcome) for outcome in re.findall(r'"((?:noted|repaired):\w+)"', source)} & set(causes())
    factors = {f"{name}_factor" for name in DOUBTFUL_SOURCES}
    assert set_aside >= {"malformed_row", "sampling_changed", "no_address", "faster_than_port", "no_time", "in_future"}
    assert set(causes()) == set_aside | doubted | factors | {
        "unannounced",
        "unclaimed",
        "port_exceeded",
        LOST_EXPORTS,
        *_COUNTERS,
    }


def causes() -> tuple[str, ...]:
    return get_args(LossCause)
