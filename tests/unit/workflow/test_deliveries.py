"""Rounds of deliveries: events that follow each other closely."""

from hntes.workflow.reports.deliveries import rounds_of
from tests.support.entries import audit_event

MINUTE_MS = 60_000


def test_events_of_a_round_follow_each_other_within_the_gap() -> None:
    minutes = (0, 10, 20, 41, 42, 100)
    events = [
        audit_event(number=number, time_ms=minute * MINUTE_MS, kind="push", router=f"r{number % 2}")
        for number, minute in enumerate(minutes, 1)
    ]
    found = rounds_of(list(reversed(events)), gap_minutes=20)
    assert [[each.number for each in one.events] for one in found] == [[6], [4, 5], [1, 2, 3]]
    assert [one.routers for one in found] == [("r0",), ("r0", "r1"), ("r1", "r0")]


def test_without_events_there_is_no_round() -> None:
    assert rounds_of([], gap_minutes=20) == ()
