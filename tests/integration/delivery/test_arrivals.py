"""What a delivery would bring to a router is asked about by what the router holds, not by what was reported of it."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hntes.platforms.device_errors import NotKeptError
from hntes.platforms.junos.session import JunosDevice
from hntes.sql import audit
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.delivery.authority import AuthorityError
from hntes.workflow.delivery.push_request import router_journal
from hntes.workflow.delivery.removal import remove_pair
from hntes.workflow.review.overrides import add_exclusion, withdraw_pin
from hntes.workflow.review.transition_approval import TransitionChangedError
from tests.support.delivery import SharedTimer
from tests.support.devices.farm import Farm
from tests.support.devices.junos.text import write_text
from tests.support.pushes import KilledError
from tests.support.qos_models import PAIRS
from tests.support.reserving import NOW_S
from tests.support.running_schedule import Edge, running_schedule
from tests.support.scheduled_site import approve_night, grant, reserve
from tests.support.waiting import wait_until

HOUR, DAY_S = 3600, 86_400
TODAY, NEXT_DAY = date(2026, 11, 24), date(2026, 11, 25)
EXCLUDED = "198.18.20.0/24"
FIRST, SECOND = "192.0.2.0/24", "192.0.3.0/24"
UNDONE = "delete groups hntes\ndelete apply-groups hntes"


@pytest.fixture
def edge(tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Edge]:
    with running_schedule(tmp_path, farm, monkeypatch) as made:
        yield made


def exclude(context: Context, prefix: str) -> None:
    add_exclusion(
        context, "r1", "either", prefix, owner="noc", reason="ticket 4711", from_day=TODAY, expires_day=date(2027, 1, 1)
    )


def shown(edge: Edge) -> str:
    """The committed configuration, a trial's included."""
    return "\n".join(write_text(edge.router.active))


def commit_of_alice(edge: Edge, lines: str) -> None:
    wait_until(lambda: edge.router.lock_holder is None, "the end of the session before")
    session = edge.router.open("alice")
    assert edge.router.load(session, lines, "set") == []
    edge.router.commit(session)
    edge.router.close(session)


def kill_on_trial(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(JunosDevice, "confirm", killed)
        with pytest.raises(KilledError):
            edge.push()
    assert edge.router.pending is not None


def test_what_somebody_has_undone_does_not_come_again_with_what_is_excluded_since(edge: Edge) -> None:
    assert EXCLUDED in shown(edge)
    commit_of_alice(edge, UNDONE)
    exclude(edge.context, EXCLUDED)
    with pytest.raises(AuthorityError, match=rf"{EXCLUDED} .*: excluded now by noc"):
        edge.push()
    assert EXCLUDED not in shown(edge)


def test_what_somebody_has_undone_comes_again_while_it_is_allowed(edge: Edge) -> None:
    before = edge.pairs()
    commit_of_alice(edge, UNDONE)
    exclude(edge.context, FIRST)
    edge.push()
    assert edge.pairs() == before


def test_an_exclusion_of_a_pair_that_runs_stops_nothing(edge: Edge) -> None:
    exclude(edge.context, EXCLUDED)
    edge.push()
    assert EXCLUDED in shown(edge)


def test_a_trial_that_was_interrupted_is_not_confirmed_after_the_exclusion_of_a_pair_of_it(
    edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    edge.at(DAY_S)
    approve_night(edge.context, TODAY, source=FIRST)
    kill_on_trial(edge, monkeypatch)
    exclude(edge.context, FIRST)
    with pytest.raises(AuthorityError, match=f"{FIRST} .*: excluded now by noc"):
        edge.push()
    approve_night(edge.context, NEXT_DAY, source=SECOND)
    edge.push()
    edge.router.clock.advance(1e6)
    assert (FIRST in shown(edge), SECOND in shown(edge)) == (False, True)


def test_one_that_somebody_has_confirmed_meanwhile_is_known_to_run(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    """It can no longer be kept from arriving: the next delivery starts from it, and its transition is approved anew."""
    edge.at(DAY_S)
    kept = approve_night(edge.context, TODAY, source=FIRST)
    kill_on_trial(edge, monkeypatch)
    exclude(edge.context, FIRST)
    commit_of_alice(edge, "set system host-name elsewhere")
    approve_night(edge.context, NEXT_DAY, source=SECOND)
    with pytest.raises(TransitionChangedError):
        edge.push()
    assert FIRST in shown(edge)
    with reading(edge.context.database) as session:
        told = {each.kind: each.candidate_hash for each in audit.events(session, "r1", ("loaded", "verified"))}
    assert told["loaded"] == kept.candidate_hash
    assert told["verified"] != kept.candidate_hash, "nobody has verified it"
    assert router_journal(edge.context, edge.context.settings.router("r1")).entry() is None


def test_an_unfinished_push_of_what_is_excluded_since_is_ended_and_holds_up_nothing(
    edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    grant(edge.context, 3)
    number = reserve(edge.context, NOW_S, NOW_S + 3 * HOUR, pair="100.64.50.0/24>203.0.113.0/24")
    edge.prepare()
    edge.deliver()
    assert list(edge.policed()) == [number]
    edge.at(HOUR)
    approve_night(edge.context, TODAY, source=FIRST)
    kill_on_trial(edge, monkeypatch)
    edge.router.clock.advance(1e6)
    exclude(edge.context, FIRST)
    edge.at(3 * HOUR)
    edge.prepare()
    assert "`hntes router deliver --commit` ends it first" in edge.deliver().problem
    with pytest.raises(AuthorityError, match=f"{FIRST} .*: excluded now by noc"):
        edge.push()
    assert edge.deliver().outcome == "done"
    assert edge.policed() == {}


def test_a_reservation_that_ends_during_the_trial_of_a_night_takes_nothing_back(
    edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    grant(edge.context, 3)
    number = reserve(edge.context, NOW_S, NOW_S + 3 * HOUR, pair="100.64.50.0/24>203.0.113.0/24")
    edge.at(3 * HOUR - 30)
    approve_night(edge.context, TODAY, source=FIRST)
    commits = JunosDevice.commit_trial

    def slow(self: JunosDevice, minutes: int, remark: str) -> None:
        commits(self, minutes, remark)
        edge.at(3 * HOUR + 5)

    monkeypatch.setattr(JunosDevice, "commit_trial", slow)
    edge.push()
    assert FIRST in shown(edge)
    assert list(edge.policed()) == [number]
    edge.prepare()
    assert edge.deliver().outcome == "done"
    assert edge.policed() == {}


def test_after_the_removal_of_a_pair_what_has_ended_and_is_still_policed_is_told(edge: Edge) -> None:
    grant(edge.context, 3)
    number = reserve(edge.context, NOW_S, NOW_S + HOUR)
    edge.prepare()
    edge.deliver()
    settings = edge.context.settings
    remove_pair(settings, settings.router("r1"), PAIRS[0], SharedTimer(edge.router), commit=True)
    edge.at(HOUR + 60)
    edge.prepare()
    found = edge.deliver()
    assert list(edge.policed()) == [number]
    assert [each.number for each in found.ended] == [number]


def test_an_exclusion_during_the_trial_ends_it(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    edge.at(DAY_S)
    approve_night(edge.context, TODAY, source=FIRST)
    commits = JunosDevice.commit_trial

    def excluded_meanwhile(self: JunosDevice, minutes: int, remark: str) -> None:
        commits(self, minutes, remark)
        exclude(edge.context, FIRST)

    monkeypatch.setattr(JunosDevice, "commit_trial", excluded_meanwhile)
    with pytest.raises(NotKeptError, match=f"{FIRST} .*: excluded now by noc"):
        edge.push()
    assert FIRST not in shown(edge)
    assert edge.router.pending is None


def test_a_pin_that_was_withdrawn_later_than_the_clock_says_keeps_no_pair(edge: Edge) -> None:
    approve_night(edge.context, TODAY, source=FIRST)
    edge.at(2 * DAY_S)
    withdraw_pin(edge.context, "r1", f"{FIRST}>203.0.113.0/24", NEXT_DAY)
    for second in (2 * DAY_S, 0):
        edge.at(second)
        with pytest.raises(AuthorityError, match="was kept by the pin of anna"):
            edge.push()
    assert FIRST not in shown(edge)
