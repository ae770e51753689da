"""Deliveries at a glance: how far each router has come, when the next may start, and the rounds so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from hntes import clock
from hntes.delivery.windows import may_begin, next_opening
from hntes.errors import HntesError
from hntes.settings.model import Router
from hntes.sql.entries import AuditEventEntry, AuditKind
from hntes.workflow.context import Context
from hntes.workflow.delivery.drift_known import KnownDrift, known_drift
from hntes.workflow.delivery.push_request import router_journal
from hntes.workflow.reports.audit_queries import newest_listing
from hntes.workflow.reports.delivery_rounds import DeliveryRound, newest_rounds
from hntes.workflow.reports.overview import approved_routers
from hntes.workflow.review.status import RouterProgress

__all__ = ["Deliveries", "DeliveryRound", "RouterStanding", "deliveries"]

KINDS: tuple[AuditKind, ...] = ("push", "loaded", "verified", "remove", "undelivered")
# Events of a round follow each other within this time, beside the soak time of its canary and the longest trial.
_GAP_MINUTES = 15


@dataclass(frozen=True)
class RouterStanding:
    """A router with an approved configuration. `drift` is None if HNTES does not reach it.

    `unfinished` is the step of a push that has not ended ("trial", "confirm", "kept"), "" if there is none. `problem`
    says why the journal of its push cannot be read, so that this is not known; "" if it can.
    """

    router: str
    is_canary: bool
    progress: RouterProgress
    drift: KnownDrift | None
    unfinished: str
    problem: str


@dataclass(frozen=True)
class Deliveries:
    """`may_begin`: whether a window is open for as long as a trial may take; else `opens_ms` is when the next will be.

    `opens_ms` is None if one may begin, or if no window opens within two weeks. `rounds` are the newest, newest first;
    the log has older events of deliveries before event `older_before`, None if there are none.
    """

    may_begin: bool
    opens_ms: int | None
    has_windows: bool
    canary: str | None
    canary_minutes: int
    max_parallel: int
    confirm_minutes: int
    routers: tuple[RouterStanding, ...]
    rounds: tuple[DeliveryRound, ...]
    older_before: int | None

    @property
    def is_under_way(self) -> bool:
        """Whether a push has not ended."""
        return any(each.unfinished for each in self.routers)

    @property
    def has_problem(self) -> bool:
        """Whether a journal cannot be read, so that a push may not have ended."""
        return any(each.problem for each in self.routers)


def deliveries(context: Context, routers: Sequence[Router], *, at_least: int) -> Deliveries:
    """The present state, and the newest rounds, with at least so many events of deliveries (`newest_rounds`)."""
    chosen = context.settings.delivery
    moment = datetime.fromtimestamp(clock.now_ms() / 1000, UTC)
    is_open = may_begin(chosen.windows, moment, chosen.confirm_minutes)
    opening = None if is_open else next_opening(chosen.windows, moment, chosen.confirm_minutes)
    drift = {each.router: each for each in known_drift(context, routers)}
    by_name = {each.name: each for each in routers}
    standings = tuple(
        RouterStanding(
            each.router, each.router == chosen.canary, each, drift.get(each.router),
            *_unfinished(context, by_name[each.router]),
        )
        for each in approved_routers(context, routers)
    )  # fmt: skip
    gap_minutes = _GAP_MINUTES + chosen.canary_minutes + chosen.confirm_minutes
    rounds, older_before = newest_rounds(partial(_events, context, routers), gap_minutes, at_least)
    return Deliveries(
        may_begin=is_open,
        opens_ms=int(opening.moment.timestamp() * 1000) if opening else None,
        has_windows=bool(chosen.windows),
        canary=chosen.canary,
        canary_minutes=chosen.canary_minutes,
        max_parallel=chosen.max_parallel,
        confirm_minutes=chosen.confirm_minutes,
        routers=standings,
        rounds=rounds,
        older_before=older_before,
    )


def _events(
    context: Context, routers: Sequence[Router], before: int | None, count: int
) -> Sequence[AuditEventEntry]:  # fmt: skip
    names = [each.name for each in routers]
    return newest_listing(context, names, KINDS, None, None, before=before, count=count)


def _unfinished(context: Context, router: Router) -> tuple[str, str]:
    """The step of a push that has not ended, and why that is not known."""
    try:
        entry = router_journal(context, router).entry()
    except HntesError as problem:
        return "", str(problem)
    return entry.step if entry else "", ""
