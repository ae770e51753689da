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
from hntes.workflow.review.overrides import add_exclusion, withdraw_pin
from hntes.workflow.review.transition_approval import TransitionChangedError
from tests.support.devices.farm import Farm
from tests.support.devices.junos.text import write_text
from tests.support.running_schedule import Edge, running_schedule
from tests.support.scheduled_site import approve_night
from tests.support.waiting import wait_until

DAY_S = 86_400
TODAY, NEXT_DAY = date(2026, 11, 24), date(2026, 11, 25)
EXCLUDED = "198.18.20.0/24"
FIRST, SECOND = "192.0.2.0/24", "192.0.3.0/24"
UNDONE = "delete groups hntes\ndelete apply-groups hntes"


class KilledError(BaseException):
    """Ends a push as a kill does."""


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
        newest = audit.events(session, "r1", ("verified",))[-1]
    assert (newest.candidate_hash, newest.day) == (kept.candidate_hash, TODAY)
    assert router_journal(edge.context, edge.context.settings.router("r1")).entry() is None


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
