"""Rounds of deliveries: events that follow each other closely."""

from collections.abc import Sequence

import pytest

from hntes.sql.entries import AuditEventEntry
from hntes.workflow.reports import delivery_rounds
from hntes.workflow.reports.delivery_rounds import newest_rounds, rounds_of
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


def _shown(sizes: Sequence[int], at_least: int) -> tuple[list[tuple[int, bool]], int | None]:
    """The events and wholeness of each round that is shown of a log of rounds of these sizes, oldest first."""
    rounds = [number for number, size in enumerate(sizes) for _ in range(size)]
    log = [
        audit_event(number=number, time_ms=each * 60 * MINUTE_MS + number, kind="push", router="r1")
        for number, each in enumerate(rounds, 1)
    ]

    def read(before: int | None, count: int) -> list[AuditEventEntry]:
        return [each for each in reversed(log) if before is None or each.number < before][:count]

    found, older_before = newest_rounds(read, 20, at_least)
    return [(len(each.events), each.is_whole) for each in found], older_before


def test_no_round_is_cut_by_the_number_of_events_that_are_shown() -> None:
    assert _shown([8, 30], 10) == ([(30, True)], 9)
    assert _shown([8, 9, 4], 10) == ([(4, True), (9, True)], 9)
    assert _shown([8, 5, 5], 10) == ([(5, True), (5, True)], 9)
    # all there is
    assert _shown([30], 10) == ([(30, True)], None)
    assert _shown([3, 4], 10) == ([(4, True), (3, True)], None)


def test_a_round_that_is_longer_than_what_is_read_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery_rounds, "MOST_READ", 40)
    assert _shown([90], 10) == ([(41, False)], 50)
    assert _shown([90, 4], 10) == ([(4, True)], 91)
