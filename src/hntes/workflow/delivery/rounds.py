"""Delivery to many routers: the canary first, then limited parallelism, within maintenance windows, until a failure.

Each push has its own journal and events; a round has no state of its own. A killed round leaves only unfinished pushes,
which the next call ends.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from hntes import clock
from hntes.delivery.batch import run_batched
from hntes.delivery.load_watch import LoadWatch
from hntes.delivery.timer import MonotonicTimer, Timer
from hntes.settings.model import Router
from hntes.sql import audit
from hntes.sql.audit import NewEvent
from hntes.sql.session import transaction
from hntes.workflow.context import Context
from hntes.workflow.delivery.advice import advice
from hntes.workflow.delivery.load import watch_of
from hntes.workflow.delivery.plan import DeliveryOutcome, DeliveryPlan, RouterDelivery, closed_now
from hntes.workflow.delivery.push import push_router
from hntes.workflow.delivery.verify import verify_router
from hntes.workflow.errors import expected, message
from hntes.workflow.review.status import router_progress

# The interval at which a waiting round checks whether it is over.
_LOOK_S = 5.0
_GO_ON = "`hntes router deliver --commit` continues there"
# The outcomes of committed pushes; "shown" and "undone" belong to calls that commit nothing.
_OUTCOMES: dict[str, DeliveryOutcome] = {"done": "done", "held": "held", "finished": "finished"}
# Called with a router's name and what happens with it.
Reporter = Callable[[str, str], None]


@dataclass(frozen=True)
class WindowOverride:
    """The person who delivers outside of the maintenance windows, and the reason, for the audit log."""

    who: str
    reason: str


def timer_of(_: Router | None) -> Timer:
    """The timer of the pushes to a router, and (None) that of the round."""
    return MonotonicTimer()


def run_delivery(
    context: Context,
    plan: DeliveryPlan,
    *,
    report: Reporter,
    again: bool = False,
    outside: WindowOverride | None = None,
) -> tuple[RouterDelivery, ...]:
    """Carries out a plan; returns the results of its routers, in their order.

    A router that failed during planning is left out. `again` is as for `push_router`; `outside`: ignore the windows.
    """
    return _Round(context, plan, report, again, outside).run()


@dataclass
class _Watched:
    """The timer of one router's push, which reports the first wait as a failure.

    A push waits only for a rollback or an answer, apart from its readings of the router's load, which have a timer of
    their own: something has failed, minutes before the push can report the result.
    """

    timer: Timer
    waits: Callable[[], None]

    def now_s(self) -> float:
        return self.timer.now_s()

    def sleep(self, seconds: float) -> None:
        self.waits()
        self.timer.sleep(seconds)


@dataclass
class _Round:
    context: Context
    plan: DeliveryPlan
    report: Reporter
    again: bool
    outside: WindowOverride | None
    ended: dict[str, RouterDelivery] = field(default_factory=dict)
    failing: list[str] = field(default_factory=list)
    # When the round's own pushes ended, by its timer: setting the clock does not shorten the canary's soak time.
    ended_s: dict[str, float] = field(default_factory=dict)

    def run(self) -> tuple[RouterDelivery, ...]:
        names = [each.router for each in self.plan.to_change]
        first = [name for name in names if name == self.plan.canary]
        others = [name for name in names if name not in first]
        reason = self.plan.blocked or self._turns(first, 1)
        if not reason and others:
            reason = self._stood()
        reason = reason or self._turns(others, self.plan.max_parallel)
        return tuple(self._of(each, reason) for each in self.plan.routers)

    def _of(self, planned: RouterDelivery, reason: str) -> RouterDelivery:
        if planned.is_to_change and planned.router not in self.ended:
            return replace(planned, outcome="not_started", problem=reason, next_step=_GO_ON)
        return self.ended.get(planned.router, planned)

    def _turns(self, names: Sequence[str], max_parallel: int) -> str:
        """Delivers to these routers; returns why no others may start (a failure or a closed window), "" if they may."""
        done, reason = run_batched(names, max_parallel, self._push, self._hindrance, _failed)
        self.ended |= done
        return reason

    def _push(self, name: str) -> RouterDelivery:
        planned = next(each for each in self.plan.routers if each.router == name)
        router = self.context.settings.router(name)
        self.report(name, "begun")
        try:
            self._record_outside(planned)
            own = timer_of(router)
            pushed = push_router(
                self.context,
                router,
                commit=True,
                again=self.again,
                timer=_Watched(own, lambda: self._fails(name)),
                only=planned.day,
                pace=own,
            )
        except expected() as problem:
            self.report(name, f"FAILED: {message(problem)}")
            return replace(planned, outcome="failed", problem=message(problem), next_step=advice(name, problem))
        outcome = _OUTCOMES[pushed.pushed.outcome] if pushed else "no_approved_config"
        if outcome in ("done", "finished"):
            self.ended_s[name] = timer_of(None).now_s()
        self.report(name, outcome)
        return replace(planned, outcome=outcome, load=pushed.load if pushed else None)

    def _fails(self, name: str) -> None:
        if name not in self.failing:
            self.failing.append(name)
            self.report(name, "not kept: waits until it is known what the router holds")

    def _hindrance(self) -> str:
        return f"{self.failing[0]} was not confirmed at once" if self.failing else self._closed()

    def _closed(self, after_s: float = 0.0) -> str:
        return "" if self.outside else closed_now(self.context, after_s)

    def _record_outside(self, planned: RouterDelivery) -> None:
        if self.outside is None or not closed_now(self.context):
            return
        event = NewEvent(
            "push", planned.router, planned.day, planned.candidate_hash, outcome="starts outside of windows"
        )
        with transaction(self.context.database) as session:
            audit.append(session, replace(event, who=self.outside.who, note=self.outside.reason))

    def _stood(self) -> str:
        """Waits for the canary's soak time and verifies it again; returns why the others may not follow."""
        name, minutes = self.plan.canary, self.plan.canary_minutes
        if name is None or not minutes:
            return ""
        router = self.context.settings.router(name)
        watch = watch_of(self.context.settings, router, timer_of(None))
        left_s = 60.0 * minutes - self._stands_s(router)
        if left_s > 0 and (text := self._closed(left_s)):
            return f"the canary {name} has to run for {minutes} minutes, and then {text}"
        try:
            self._wait(name, left_s, watch)
            if watch is not None:
                watch.require_calm()
            verify_router(self.context, router)
        except KeyboardInterrupt:
            return "interrupted from the keyboard"
        except expected() as problem:
            return f"the canary {name} failed its verification: {message(problem)}"
        return ""

    def _stands_s(self, router: Router) -> float:
        """How long the router has run the approved configuration; after an earlier call, by the times of the audit log.

        If the clock was set back since, this counts as no time.
        """
        if (ended_s := self.ended_s.get(router.name)) is not None:
            return timer_of(None).now_s() - ended_s
        confirmed = router_progress(self.context, router).confirmed
        since_ms = confirmed.time_ms if confirmed else None
        return max(0.0, (clock.now_ms() - since_ms) / 1000) if since_ms is not None else 0.0

    def _wait(self, name: str, left_s: float, watch: LoadWatch | None) -> None:
        timer = timer_of(None)
        until_s = timer.now_s() + left_s
        if left_s > 0:
            self.report(name, f"the canary stands; the others wait for {left_s / 60:.0f} minutes")
        while (left_s := until_s - timer.now_s()) > 0:
            timer.sleep(min(left_s, _LOOK_S))
            if watch is not None:
                watch.look()


def _failed(name: str, ended: RouterDelivery) -> str:
    return f"{name} failed" if ended.outcome == "failed" else ""
