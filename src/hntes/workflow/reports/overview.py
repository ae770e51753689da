"""All routers at a glance: newest data, what is in force, what waits, what was delivered, alpha traffic by day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from hntes.settings.model import Router
from hntes.sql import changes, day_status, host_totals
from hntes.sql.change import Change
from hntes.sql.entries import DayEntry
from hntes.sql.session import Session, reading
from hntes.workflow.change_lookup import is_waiting
from hntes.workflow.context import Context
from hntes.workflow.delivery.drift_known import KnownDrift, drifts_of
from hntes.workflow.review.status import RouterProgress, progress_of_all

__all__ = ["RouterOverview", "approved_routers", "overview"]


@dataclass(frozen=True)
class RouterOverview:
    """One router.

    Attributes:
        router: Its settings.
        newest: Its newest processed day, None before its first night.
        waiting: Its change that waits for a decision, if there is one.
        pairs_in_force: Pairs of the approved configuration, None before the first approval.
        progress: What was approved, delivered and verified.
        drift: How it was last seen, None if HNTES does not reach it.
        alpha_bytes: Bytes of believed alpha flows by day, the last day on the right.
    """

    router: Router
    newest: DayEntry | None
    waiting: Change | None
    pairs_in_force: int | None
    progress: RouterProgress
    drift: KnownDrift | None
    alpha_bytes: tuple[int, ...]

    @property
    def budget_pct(self) -> float:
        """The pairs in force as a part of the router's term budget."""
        return 100 * (self.pairs_in_force or 0) / self.router.term_budget


def overview(context: Context, routers: Sequence[Router], until_day: date, days: int) -> tuple[RouterOverview, ...]:
    """These routers, in their order, from one snapshot; alpha traffic of the last `days` days."""
    with reading(context.database) as session:
        newest = day_status.newest_days(session)
        waiting = {each.router: each for each in changes.pending_nightly(session) if is_waiting(each)}
        span = (until_day - timedelta(days=days - 1), until_day)
        progress = {each.router: each for each in progress_of_all(session, [each.name for each in routers])}
        drift = {each.router: each for each in drifts_of(session, [each.name for each in routers if each.is_reached])}
        return tuple(
            _one(session, each, span, newest.get(name), waiting.get(name), progress[name], drift.get(name))
            for each in routers
            if (name := each.name)
        )


def approved_routers(context: Context, routers: Sequence[Router]) -> tuple[RouterProgress, ...]:
    """Those of these routers that have an approved configuration, and how far it has come."""
    with reading(context.database) as session:
        found = progress_of_all(session, [each.name for each in routers])
    return tuple(each for each in found if each.approved is not None)


def _one(
    session: Session, router: Router, span: tuple[date, date], newest: DayEntry | None, waiting: Change | None,
    progress: RouterProgress, drift: KnownDrift | None,
) -> RouterOverview:  # fmt: skip
    now = changes.in_force(session, router.name)
    approved = changes.nightly_change(session, router.name, now.day) if now else None
    by_day = host_totals.believed_bytes_by_day(session, router.name, *span)
    days = [span[0] + timedelta(days=number) for number in range((span[1] - span[0]).days + 1)]
    return RouterOverview(
        router=router,
        newest=newest,
        waiting=waiting,
        pairs_in_force=approved.pairs_kept + approved.pairs_added if approved else None,
        progress=progress,
        drift=drift,
        alpha_bytes=tuple(by_day.get(day, 0) for day in days),
    )
