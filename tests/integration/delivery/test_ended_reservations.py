"""What has ended leaves its router, whatever waits to follow it; what stays all the same is told."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hntes.workflow.delivery.scheduled_words import round_lines
from hntes.workflow.reservations.reserve import cancel
from tests.support.devices.farm import Farm
from tests.support.qos_models import PAIRS
from tests.support.reserving import NOW_S
from tests.support.running_schedule import Edge, running_schedule
from tests.support.scheduled_site import SECOND, approve_night, decide_on, grant, propose, reserve, standing

HOUR, GBIT = 3600, 10**9
NEXT_DAY = date(2026, 11, 24)


@pytest.fixture
def first_hour(tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Edge]:
    """A quota allows what is reserved in the first hour alone."""
    with running_schedule(tmp_path, farm, monkeypatch) as made:
        grant(made.context, 3, NOW_S, NOW_S + HOUR)
        yield made


def test_what_somebody_else_reserves_does_not_prolong_what_has_ended(first_hour: Edge) -> None:
    number = reserve(first_hour.context, NOW_S, NOW_S + HOUR)
    first_hour.prepare()
    first_hour.deliver()
    assert first_hour.policed() == {number: GBIT}
    reserve(first_hour.context, NOW_S + HOUR, NOW_S + 3 * HOUR, pair=SECOND)
    first_hour.prepare()
    assert [each.state for each in standing(first_hour.context)][-2:] == ["pending", "approved"]
    first_hour.at(HOUR - 1)
    assert first_hour.deliver().outcome == "held"
    first_hour.at(HOUR)
    done = first_hour.deliver()
    assert (done.outcome, done.ended) == ("done", ())
    assert (first_hour.policed(), first_hour.pairs()) == ({}, len(PAIRS))
    assert first_hour.deliver().outcome == "held"


def test_what_has_ended_leaves_rules_that_were_approved_with_it(first_hour: Edge) -> None:
    """A night's text polices what is reserved at that moment; it is approved and delivered as it is."""
    number = reserve(first_hour.context, NOW_S, NOW_S + HOUR)
    approve_night(first_hour.context, NEXT_DAY)
    first_hour.push()
    assert first_hour.policed() == {number: GBIT}
    reserve(first_hour.context, NOW_S + HOUR, NOW_S + 3 * HOUR, pair=SECOND)
    first_hour.prepare()
    first_hour.at(HOUR)
    assert first_hour.deliver().outcome == "done"
    assert (first_hour.policed(), first_hour.pairs()) == ({}, len(PAIRS) + 1)


def test_beside_one_that_goes_on_what_has_ended_is_told_until_the_next_text_is_approved(first_hour: Edge) -> None:
    number = reserve(first_hour.context, NOW_S, NOW_S + HOUR)
    lasting = reserve(first_hour.context, NOW_S, NOW_S + 2 * HOUR, pair=SECOND)
    first_hour.prepare()
    first_hour.deliver()
    first_hour.at(HOUR)
    told = first_hour.deliver()
    assert (told.outcome, [each.number for each in told.ended]) == ("held", [number])
    assert first_hour.policed() == {number: GBIT, lasting: GBIT}
    (waiting,) = (each for each in standing(first_hour.context) if each.state == "pending")
    assert decide_on(first_hour.context, waiting, "approved", "anna").outcome == "decided"
    assert first_hour.deliver().ended == ()
    assert first_hour.policed() == {lasting: GBIT}


def test_what_has_ended_and_is_still_there_is_told_with_the_way_out(edge: Edge) -> None:
    """Beside another that goes on: the text without it has to be approved."""
    number = reserve(edge.context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    lasting = reserve(edge.context, NOW_S + HOUR, NOW_S + 3 * HOUR, pair=SECOND)
    edge.prepare()
    edge.at(HOUR)
    assert edge.deliver().ended == ()
    edge.at(2 * HOUR)
    cancel(edge.context, number, "moved")
    held = edge.round()
    (left,) = held.routers
    assert (left.outcome, left.has_problems, edge.policed()) == ("held", True, {number: GBIT, lasting: GBIT})
    first, told = round_lines(held)
    assert first.startswith("r1: runs what was approved last, text ")
    assert told == (
        "  ENDED: reservation 1 is still on r1 with 1 Gb/s, although it ended at 2026-11-24T12:00:00Z: "
        "no scheduled change ends it; `hntes reserve propose` creates one or reports why it cannot"
    )
    propose(edge.context)
    (waiting,) = edge.deliver().ended
    assert waiting.reason.endswith(" waits for approval")
    edge.prepare()
    done = edge.deliver()
    assert (done.outcome, done.ended, edge.policed()) == ("done", (), {lasting: GBIT})
    assert next(iter(round_lines(edge.round()))).startswith("r1: up to date")


def test_what_was_cancelled_leaves_without_another_text(edge: Edge) -> None:
    number = reserve(edge.context, NOW_S, NOW_S + 3 * HOUR)
    edge.prepare()
    edge.deliver()
    edge.at(HOUR)
    cancel(edge.context, number, "moved")
    assert (edge.deliver().outcome, edge.policed(), edge.pairs()) == ("done", {}, len(PAIRS))
