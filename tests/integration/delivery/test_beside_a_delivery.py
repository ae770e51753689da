"""What is told of a router while somebody delivers to it, or after somebody's delivery has died."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import date
from typing import Any, TypeVar

import pytest

from hntes.delivery.access import opener
from hntes.delivery.journal import Entry
from hntes.delivery.timer import Timer
from hntes.platforms.junos.session import JunosDevice
from hntes.settings import Settings
from hntes.settings.model import Router
from hntes.workflow.audit_checks import verify_audit
from hntes.workflow.delivery import drift, push_request, scheduled_delivery
from hntes.workflow.delivery.drift import router_drift
from hntes.workflow.delivery.drift_known import known_drift
from hntes.workflow.delivery.plan import plan_delivery
from hntes.workflow.delivery.push_request import router_journal
from hntes.workflow.delivery.removal import remove_all, remove_pair
from hntes.workflow.delivery.scheduled_delivery import ScheduledDelivery, deliver_scheduled
from tests.support.delivery import SharedTimer
from tests.support.pushes import KilledError
from tests.support.qos_models import PAIRS
from tests.support.reserving import NOW_S
from tests.support.running_schedule import Edge
from tests.support.scheduled_site import SECOND, approve_rules, reserve

HOUR, LEAD_S, NEXT_DAY = 3600, 120, date(2026, 11, 24)
# What is wrong is told at once; what is right waits for the delivery.
_AT_ONCE_S = 2.0
Told = TypeVar("Told")


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as made:
        yield made


def beside_a_delivery(
    edge: Edge,
    monkeypatch: pytest.MonkeyPatch,
    pool: ThreadPoolExecutor,
    asked: Callable[[], Told],
    step: str = "trial starts",
) -> Told:
    """What is told if it is asked at a step of the delivery of another day's rules."""
    approve_rules(edge.context, day=NEXT_DAY, pairs=PAIRS[1:])
    begun: list[Future[Told]] = []
    record = push_request._record

    def recorded(*about: object) -> None:
        record(*about)
        if about[-1] == step and not begun:
            begun.append(pool.submit(asked))
            wait(begun, _AT_ONCE_S)

    monkeypatch.setattr(push_request, "_record", recorded)
    edge.push()
    (told,) = begun
    return told.result(60)


def undelivered(edge: Edge) -> list[str]:
    return [each["detail"] for each in edge.site.json("audit", "--kind", "undelivered")]


def test_a_round_of_scheduled_changes_waits_for_it(
    edge: Edge, monkeypatch: pytest.MonkeyPatch, pool: ThreadPoolExecutor
) -> None:
    done = beside_a_delivery(edge, monkeypatch, pool, edge.deliver)
    assert (done.outcome, done.problem, undelivered(edge)) == ("held", "", [])
    assert edge.pairs() == len(PAIRS) - 1


def test_a_reservation_follows_it_on_the_rules_that_it_brought(
    edge: Edge, monkeypatch: pytest.MonkeyPatch, pool: ThreadPoolExecutor
) -> None:
    number = reserve(edge.context, NOW_S, NOW_S + HOUR)
    edge.prepare()
    assert beside_a_delivery(edge, monkeypatch, pool, edge.deliver).outcome == "held"
    assert undelivered(edge) == []
    edge.prepare()
    assert edge.deliver().outcome == "done"
    assert (list(edge.policed()), edge.pairs()) == ([number], len(PAIRS) - 1)


def test_a_round_takes_the_other_routers_first(edge: Edge, monkeypatch: pytest.MonkeyPatch) -> None:
    r1 = edge.context.settings.router("r1")
    routers, asked = [r1.model_copy(update={"name": name}) for name in ("r0", "r1", "r2")], list[str]()

    def delivered(_: object, router: Router, *__: object) -> ScheduledDelivery:
        asked.append(router.name)
        return ScheduledDelivery(router.name, "held")

    monkeypatch.setattr(scheduled_delivery, "_delivered", delivered)
    monkeypatch.setattr(scheduled_delivery, "_checked", lambda _, __, found: found)
    router_journal(edge.context, routers[0]).write(Entry("r0", "trial", None, "a" * 64, NEXT_DAY))
    done = deliver_scheduled(edge.context, routers, commit=True)
    assert asked == ["r1", "r2", "r0"]
    assert [each.router for each in done] == ["r0", "r1", "r2"]


def test_a_plan_does_not_take_it_for_an_unfinished_one(
    edge: Edge, monkeypatch: pytest.MonkeyPatch, pool: ThreadPoolExecutor
) -> None:
    plan = beside_a_delivery(edge, monkeypatch, pool, lambda: plan_delivery(edge.context, edge.context.chosen(["r1"])))
    assert [(each.outcome, each.problem) for each in plan.routers] == [("held", "")]


@pytest.mark.parametrize("step", ["verified: to be confirmed", "kept"])
def test_what_is_on_trial_is_no_drift(
    edge: Edge, monkeypatch: pytest.MonkeyPatch, pool: ThreadPoolExecutor, step: str
) -> None:
    r1 = edge.context.settings.router("r1")
    told = beside_a_delivery(edge, monkeypatch, pool, lambda: router_drift(edge.context, r1), step)
    assert (told.state, told.statements) == ("equal", ())
    assert [each.state for each in known_drift(edge.context, [r1])] == ["equal"]
    assert "changed" not in [each["outcome"] for each in edge.site.json("audit", "--kind", "drift")]


def test_a_delivery_between_the_reports_and_the_reading_is_no_drift(
    edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    approve_rules(edge.context, day=NEXT_DAY, pairs=PAIRS[1:])
    r1 = edge.context.settings.router("r1")

    def delivered_first(*given: Any) -> Any:
        monkeypatch.setattr(drift, "opener", opener)
        edge.push()
        return opener(*given)

    monkeypatch.setattr(drift, "opener", delivered_first)
    assert router_drift(edge.context, r1).state == "equal"
    assert edge.pairs() == len(PAIRS) - 1


def _remove_all(settings: Settings, router: Router, timer: Timer) -> None:
    remove_all(settings, router, timer, commit=True)


def _remove_pair(settings: Settings, router: Router, timer: Timer) -> None:
    remove_pair(settings, router, PAIRS[0], timer, commit=True)


def kill_removal(
    edge: Edge, monkeypatch: pytest.MonkeyPatch, removal: Callable[[Settings, Router, Timer], object]
) -> None:
    def killed(*_: object) -> None:
        raise KilledError

    settings = edge.context.settings
    with monkeypatch.context() as patched:
        patched.setattr(JunosDevice, "confirm", killed)
        with pytest.raises(KilledError):
            removal(settings, settings.router("r1"), SharedTimer(edge.router))


@pytest.mark.parametrize(
    ("of_all", "way_on"),
    [
        (True, "a removal is unfinished; `hntes router remove --router r1 --commit` ends it"),
        (False, "the removal of a pair is unfinished; `hntes router deliver --commit` ends it first"),
    ],
)
def test_after_a_removal_that_died_a_round_names_what_ends_it(
    edge: Edge, monkeypatch: pytest.MonkeyPatch, of_all: bool, way_on: str
) -> None:
    kill_removal(edge, monkeypatch, _remove_all if of_all else _remove_pair)
    found = edge.deliver()
    assert (found.outcome, found.problem) == ("failed", f"router r1: {way_on}")
    edge.router.clock.advance(1e6)
    if of_all:
        settings = edge.context.settings
        _remove_all(settings, settings.router("r1"), SharedTimer(edge.router))
    else:
        edge.push()
    assert edge.deliver().problem == ""


def test_a_removal_that_the_database_did_not_hear_of_is_known_to_a_round(edge: Edge) -> None:
    number = reserve(edge.context, NOW_S, NOW_S + HOUR)
    edge.prepare()
    assert edge.deliver().outcome == "done"
    assert edge.states(number) == [("r1", "on")]
    settings = edge.context.settings
    _remove_all(settings, settings.router("r1"), SharedTimer(edge.router))
    assert edge.deliver().outcome == "nothing_due"
    assert ("r1", "on") not in edge.states(number)


def test_what_is_approved_anew_during_a_trial_is_no_forged_log_and_comes_next(
    edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = reserve(edge.context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    edge.prepare()
    edge.at(HOUR - LEAD_S)
    both: list[int] = []

    def booked(self: JunosDevice, minutes: int, remark: str) -> None:
        commits(self, minutes, remark)
        if not both:
            both.extend([first, reserve(edge.context, NOW_S + HOUR, NOW_S + 2 * HOUR, pair=SECOND)])
            edge.prepare()

    commits = JunosDevice.commit_trial
    monkeypatch.setattr(JunosDevice, "commit_trial", booked)
    found = edge.deliver()
    assert found.outcome == "failed"
    assert "it was proposed or decided on anew in the meantime; deliver again" in found.problem
    assert "audit log" not in found.problem
    assert edge.policed() == {}
    assert edge.deliver().outcome == "done"
    assert sorted(edge.policed()) == both
    assert verify_audit(edge.context).problem is None
