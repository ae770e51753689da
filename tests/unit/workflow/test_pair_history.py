"""The history of a pair: what approvals, reports and readings say of each day."""

from datetime import UTC, date, datetime, timedelta

import pytest

from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import AuditEventEntry, AuditKind
from hntes.sql.pair_history import ApprovedStep, PairReading
from hntes.workflow.review.pair_history import Approved, CountedSpan, counted_spans, deliveries_of
from tests.support.entries import audit_event, observation

PAIR = PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")


def day(number: int) -> date:
    return date(2026, 11, number)


def ms(number: int, hour: int = 12) -> int:
    return int(datetime(2026, 11, number, hour, tzinfo=UTC).timestamp()) * 1000


def event(
    number: int, kind: AuditKind, at: int, of: date | None, note: str | None = None, of_text: str | None = None
) -> AuditEventEntry:
    return audit_event(number=number, time_ms=ms(at), kind=kind, day=of, note=note, candidate_hash=of_text)


WITH, WITHOUT = "a" * 64, "b" * 64
STEPS = (ApprovedStep(day(3), None), ApprovedStep(day(5), "+"), ApprovedStep(day(7), None), ApprovedStep(day(9), "-"))


def test_a_rule_is_in_force_from_the_day_after_its_change_until_the_day_of_the_one_without_it() -> None:
    approved = Approved(STEPS, in_force=False)
    assert [number for number in range(1, 13) if approved.before(day(number))] == [6, 7, 8, 9]
    assert [number for number in range(1, 13) if approved.of(day(number))] == [5, 7]


@pytest.mark.parametrize(("first", "is_there"), [("-", True), ("+", False)])
def test_before_the_first_change_that_names_it_a_pair_was_what_that_changed(first: str, is_there: bool) -> None:
    steps = (ApprovedStep(day(3), None), ApprovedStep(day(5), first))
    assert Approved(steps, in_force=not is_there).before(day(5)) is is_there


def test_a_pair_that_no_known_change_names_is_as_it_is_now() -> None:
    steps = (ApprovedStep(day(3), None),)
    assert Approved(steps, in_force=True).before(day(4))
    assert not Approved(steps, in_force=False).before(day(4))
    assert not Approved((), in_force=True).before(day(4))


def test_a_rule_is_delivered_from_its_report_until_another_text_is() -> None:
    approved = Approved(STEPS, in_force=False)
    events = [event(1, "loaded", 6, day(5)), event(2, "verified", 6, day(5)), event(3, "loaded", 11, day(9))]
    held = deliveries_of(events, approved, {})
    assert [number for number in range(1, 15) if held(day(number))] == [6, 7, 8, 9, 10]


@pytest.mark.parametrize(
    ("ended", "is_held"),
    [
        (event(2, "remove", 8, None), False),
        (event(2, "verified", 8, None, "removal of a pair, finished", WITHOUT), False),
        (event(2, "verified", 8, None, f"removal of 1{PAIR}, 08:00, hntes: done", WITH), True),
        (event(2, "verified", 8, None, f"removal of {PAIR}, 08:00, hntes: done", "0" * 64), True),
    ],
)
def test_a_removal_ends_the_delivery_of_what_it_removed(ended: AuditEventEntry, is_held: bool) -> None:
    reports, left = [event(1, "loaded", 6, day(5)), ended], {WITHOUT: False, WITH: True}
    held = deliveries_of(reports, Approved(STEPS, in_force=False), left)
    assert held(day(7))
    assert held(day(8)) is is_held


def test_counted_bytes_stand_beside_the_flows_that_ended_between_the_readings() -> None:
    readings = [PairReading(ms(5), 10, 1), PairReading(ms(6), 5_000, 4), PairReading(ms(7), 300, 1)]
    flows = [
        observation(day=day(5), last_ms=ms(5), flow_bytes=1),  # ended with the first reading
        observation(day=day(5), last_ms=ms(5) + 1, flow_bytes=20),
        observation(day=day(6), last_ms=ms(6), flow_bytes=300),
        observation(day=day(6), last_ms=ms(6), flow_bytes=4_000, implausible=True),
        observation(day=day(7), last_ms=ms(7) + timedelta(hours=1) // timedelta(milliseconds=1), flow_bytes=50_000),
    ]
    assert list(counted_spans(readings, flows)) == [
        CountedSpan(ms(5), ms(6), 4_990, 320),
        CountedSpan(ms(6), ms(7), None, 0),  # the counter began anew
    ]
