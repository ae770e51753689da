"""An exclusion holds for reservations, too: it keeps one from arriving, and keeps nothing else."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hntes.workflow.delivery.authority import AuthorityError
from hntes.workflow.errors import CommandError
from hntes.workflow.reservations.reservation_status import path_status
from hntes.workflow.review.overrides import add_exclusion, withdraw_exclusion
from tests.support.devices.farm import Farm
from tests.support.qos_models import PAIRS
from tests.support.reserving import NOW_S
from tests.support.running_schedule import Edge, running_schedule
from tests.support.scheduled_site import SECOND, approve_night, grant, premium_terms, reserve

HOUR, GBIT = 3600, 10**9
TODAY, NEXT_DAY = date(2026, 11, 24), date(2026, 11, 25)
EXCLUDED = "198.18.50.0/24"
# In no pair of the rules.
APART = "100.64.50.0/24"


@pytest.fixture
def edge(tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Edge]:
    with running_schedule(tmp_path, farm, monkeypatch) as made:
        grant(made.context, 3)
        yield made


def exclude(
    edge: Edge, prefix: str = EXCLUDED, router: str = "r1", until: date = NEXT_DAY, since: date = TODAY
) -> None:
    add_exclusion(
        edge.context, router, "source", prefix, owner="noc", reason="ticket 4711", from_day=since, expires_day=until
    )


def test_a_reservation_that_is_excluded_since_its_approval_does_not_arrive_until_that_is_withdrawn(edge: Edge) -> None:
    number = reserve(edge.context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    edge.prepare()
    exclude(edge)
    edge.at(HOUR)
    found = edge.deliver()
    assert found.outcome == "failed"
    assert f"reservation-{number} ({EXCLUDED} > 203.0.113.0/24) excluded now by noc" in found.problem
    assert edge.policed() == {}
    (late,) = found.late
    assert late.reason == f"excluded now by noc (source {EXCLUDED}): ticket 4711"
    (told,) = path_status(edge.context, number)
    assert (told.state, "excluded now by noc" in told.explanation) == ("late", True)
    withdraw_exclusion(edge.context, "r1", "source", EXCLUDED, TODAY)
    assert edge.deliver().outcome == "done"
    assert edge.policed() == {number: GBIT}


def test_a_clock_that_is_set_back_to_before_an_exclusion_lets_nothing_arrive(edge: Edge) -> None:
    reserve(edge.context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    edge.prepare()
    edge.at(15 * HOUR)
    exclude(edge, since=NEXT_DAY)
    edge.at(HOUR)
    found = edge.deliver()
    assert (found.outcome, edge.policed()) == ("failed", {})
    assert "excluded now by noc" in found.problem


def test_nor_does_it_of_what_is_to_be_excluded_later_keep_anything(edge: Edge) -> None:
    number = reserve(edge.context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    edge.prepare()
    exclude(edge, since=NEXT_DAY)
    edge.at(HOUR)
    assert (edge.deliver().outcome, edge.policed()) == ("done", {number: GBIT})


@pytest.mark.parametrize(("prefix", "router"), [("198.18.60.0/24", "r1"), (EXCLUDED, "r2")])
def test_an_exclusion_of_others_stops_nothing(edge: Edge, prefix: str, router: str) -> None:
    number = reserve(edge.context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    edge.prepare()
    exclude(edge, prefix, router)
    edge.at(HOUR)
    assert edge.deliver().outcome == "done"
    assert edge.policed() == {number: GBIT}


def test_the_others_of_the_router_arrive_by_the_next_proposal(edge: Edge) -> None:
    """It keeps its part of the port, and no quota lets it in."""
    number = reserve(edge.context, NOW_S + HOUR, NOW_S + 3 * HOUR, 2 * GBIT)
    other = reserve(edge.context, NOW_S + HOUR, NOW_S + 3 * HOUR, pair=SECOND)
    edge.prepare()
    exclude(edge)
    edge.at(HOUR)
    assert edge.deliver().outcome == "failed"
    edge.prepare()
    found = edge.deliver()
    assert found.outcome == "done"
    assert [each.number for each in found.late] == [number]
    assert edge.policed() == {other: GBIT}


def test_one_that_runs_leaves_by_the_next_proposal(edge: Edge) -> None:
    number = reserve(edge.context, NOW_S, NOW_S + 3 * HOUR)
    edge.prepare()
    edge.deliver()
    assert edge.policed() == {number: GBIT}
    exclude(edge)
    edge.prepare()
    edge.deliver()
    assert (edge.policed(), edge.pairs()) == ({}, len(PAIRS))


def test_one_that_runs_leaves_and_another_ends_beside_a_third_that_goes_on(edge: Edge) -> None:
    excluded = reserve(edge.context, NOW_S, NOW_S + 3 * HOUR)
    ending = reserve(edge.context, NOW_S, NOW_S + HOUR, pair=SECOND)
    going_on = reserve(edge.context, NOW_S, NOW_S + 3 * HOUR, pair="198.18.52.0/24>203.0.113.0/24")
    edge.prepare()
    edge.deliver()
    assert edge.policed() == dict.fromkeys((excluded, ending, going_on), GBIT)
    exclude(edge)
    edge.at(HOUR)
    edge.prepare()
    assert edge.deliver().outcome == "done"
    assert edge.policed() == {going_on: GBIT}


def test_one_that_runs_does_not_stop_the_end_of_another(edge: Edge) -> None:
    number = reserve(edge.context, NOW_S, NOW_S + 3 * HOUR)
    other = reserve(edge.context, NOW_S, NOW_S + HOUR, pair=SECOND)
    edge.prepare()
    edge.deliver()
    assert edge.policed() == {number: GBIT, other: GBIT}
    exclude(edge)
    edge.at(HOUR)
    assert edge.deliver().outcome == "done"
    assert edge.policed() == {number: GBIT}


def test_a_nights_rules_are_not_kept_back_by_a_reservation_that_is_excluded(edge: Edge) -> None:
    reserve(edge.context, NOW_S, NOW_S + 3 * HOUR, pair=f"{APART}>203.0.113.0/24")
    exclude(edge, APART)
    night = approve_night(edge.context, TODAY)
    assert premium_terms(edge.context, night.candidate_hash) == []
    edge.push()
    assert (edge.policed(), edge.pairs()) == ({}, len(PAIRS) + 1)


def test_a_nights_text_from_before_the_exclusion_is_refused_by_name(edge: Edge) -> None:
    number = reserve(edge.context, NOW_S, NOW_S + 3 * HOUR, pair=f"{APART}>203.0.113.0/24")
    night = approve_night(edge.context, TODAY)
    assert premium_terms(edge.context, night.candidate_hash) == [f"premium-reservation-{number}"]
    exclude(edge, APART)
    with pytest.raises(AuthorityError, match=rf"reservation-{number} .* excluded now by noc"):
        edge.push()
    # the calendar's text on these rules is the way on
    edge.prepare()
    edge.push()
    assert (edge.policed(), edge.pairs()) == ({}, len(PAIRS) + 1)


def test_an_excluded_pair_is_not_booked_on_the_days_of_the_exclusion(edge: Edge) -> None:
    """It is 10:00, and the exclusion holds through the next day: 38 hours more."""
    exclude(edge, "198.18.50.7/32")
    for starts_h, ends_h in ((12, 13), (37, 40), (0, 90)):
        with pytest.raises(CommandError, match=r"excluded on r1 by noc \(source 198\.18\.50\.7/32\) from 2026-11-24"):
            reserve(edge.context, NOW_S + starts_h * HOUR, NOW_S + ends_h * HOUR)
    reserve(edge.context, NOW_S + 38 * HOUR, NOW_S + 40 * HOUR)
    withdraw_exclusion(edge.context, "r1", "source", "198.18.50.7/32", NEXT_DAY)
    reserve(edge.context, NOW_S + 14 * HOUR, NOW_S + 16 * HOUR)


def test_a_clock_that_is_set_back_lets_no_rule_arrive_that_was_excluded_meanwhile(edge: Edge) -> None:
    approve_night(edge.context, TODAY)
    edge.at(15 * HOUR)
    exclude(edge, "192.0.2.0/24", since=NEXT_DAY)
    edge.at(0)
    exclude(edge, APART)
    with pytest.raises(AuthorityError, match="excluded now by noc"):
        edge.push()
