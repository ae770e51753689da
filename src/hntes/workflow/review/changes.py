"""The change sets of routers: which there are, and which wait for a decision."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from sqlalchemy.orm import Session

from hntes import clock
from hntes.settings.model import Router
from hntes.sql import audit, change_sets
from hntes.sql.engine import open_database
from hntes.sql.entries import AuditEventEntry, ChangeSetEntry
from hntes.sql.holds import HELD_BY, day_of, hold_of
from hntes.sql.judgements import judgement_of
from hntes.sql.session import reading
from hntes.workflow.context import Context, settings_of
from hntes.workflow.errors import CommandError
from hntes.workflow.reports.audit_queries import DECIDES, decision_of
from hntes.workflow.review.status import TOLD_BY, Standing, standing_of

__all__ = [
    "ChangeSetEntry",
    "ListedChange",
    "ToldChange",
    "change_of",
    "earlier_rejection",
    "find_change",
    "listed_change",
    "listed_changes",
    "told_changes",
    "waiting_changes",
    "waiting_entries",
]

# What of the audit log says how far a change set has come, and what holds it.
_TOLD_BY = tuple(dict.fromkeys((*TOLD_BY, *HELD_BY)))


@dataclass(frozen=True)
class ToldChange:
    """A change set, how far it has come, and who decided.

    `decision` is None if nobody did. `first_approval` is the first of two approvals, while the change set waits for the
    second.
    """

    change_set: ChangeSetEntry
    standing: Standing
    decision: AuditEventEntry | None = None
    first_approval: AuditEventEntry | None = None


@dataclass(frozen=True)
class ListedChange(ToldChange):
    """With it, why it may not be approved (no objection: the gate has passed its candidate), whether that has a
    judgement at all, and the event that holds it until a day to come.
    """

    objections: tuple[str, ...] = ()
    is_judged: bool = False
    hold: AuditEventEntry | None = None

    @property
    def is_passed(self) -> bool:
        """Whether the gate has passed the candidate."""
        return not self.objections

    @property
    def gate(self) -> str:
        """What the gate says of the candidate: "passed", "not passed", "not judged"."""
        if self.is_passed:
            return "passed"
        return "not passed" if self.is_judged else "not judged"

    @property
    def held_until(self) -> date | None:
        """The day on which it is asked about again, None if it is not held."""
        return day_of(self.hold) if self.hold else None


def listed_changes(
    context: Context, routers: Sequence[Router], *, only_pending: bool, days: int | None = None
) -> tuple[ListedChange, ...]:
    """The change sets of these routers, by router and day; all, or only those that wait for a decision.

    `days`: only those of the last so many days on which any of them is.
    """
    names = {router.name for router in routers}
    with reading(context.database) as session:
        found = change_sets.pending(session) if only_pending else change_sets.change_sets(session)
        chosen = [entry for entry in found if entry.router in names]
        if days is not None:
            latest = sorted({entry.day for entry in chosen})[-days:]
            chosen = [entry for entry in chosen if entry.day in latest]
        events = _events(session, chosen, only_pending=only_pending)
    return tuple(_listed(context, entry, events, from_stored_judgement=True) for entry in chosen)


def _events(session: Session, chosen: Sequence[ChangeSetEntry], *, only_pending: bool) -> tuple[AuditEventEntry, ...]:
    """What of the log says more of these. Of what waits that is the newest event that could hold it: the rest of a
    log grows for years.
    """
    if not chosen:
        return ()
    return audit.newest_of_routers(session, HELD_BY) if only_pending else audit.events(session, kinds=_TOLD_BY)


def told_changes(context: Context, router: Router, days: int) -> tuple[ToldChange, ...]:
    """The router's change sets of the last so many days that have one, by day; what the gate says now is not asked."""
    with reading(context.database) as session:
        found = change_sets.change_sets(session, router.name)[-days:]
        events = audit.events(session, router.name, TOLD_BY)
        return tuple(_told(session, entry, events) for entry in found)


def waiting_changes(context: Context, routers: Sequence[Router]) -> tuple[ListedChange, ...]:
    """The change sets of these routers that a person is to be asked about now: those that wait and are not held."""
    return tuple(each for each in listed_changes(context, routers, only_pending=True) if each.hold is None)


def waiting_entries(settings_path: Path | None) -> tuple[ChangeSetEntry, ...]:
    """The change sets that wait, from a database of this program's schema; opened for this one look.

    Raises:
        SettingsError: the settings cannot be used.
        SqlError: the database cannot be opened.
        SQLAlchemyError: its schema is another one.
    """
    chosen = settings_of(settings_path).database
    database = open_database(chosen.url, statement_limit_s=chosen.statement_limit_s)
    try:
        with reading(database) as session:
            return tuple(change_sets.pending(session))
    finally:
        database.dispose()


def change_of(context: Context, router_name: str, day: date) -> ChangeSetEntry | None:
    """The change set of that router and day, None if there is none."""
    with reading(context.database) as session:
        return change_sets.change_set(session, router_name, day)


def listed_change(context: Context, entry: ChangeSetEntry, *, from_stored_judgement: bool = False) -> ListedChange:
    """The change set with what the gate and people said of it; `from_stored_judgement` is as for `objections_now`."""
    with reading(context.database) as session:
        events = audit.events(session, entry.router, _TOLD_BY)
    return _listed(context, entry, events, from_stored_judgement=from_stored_judgement)


def _listed(
    context: Context, entry: ChangeSetEntry, events: Sequence[AuditEventEntry], *, from_stored_judgement: bool = False
) -> ListedChange:
    from hntes.workflow.stages.judgement import (
        objections_now,  # late: an empty list needs neither rules nor the simulator
    )

    objections = tuple(objections_now(context, entry, from_stored_judgement=from_stored_judgement))
    with reading(context.database) as session:
        told = _told(session, entry, events)
        is_judged = judgement_of(session, entry.router, entry.candidate_hash) is not None
    hold = hold_of(events, entry, clock.today())
    return ListedChange(**vars(told), objections=objections, is_judged=is_judged, hold=hold)


def _told(session: Session, entry: ChangeSetEntry, events: Sequence[AuditEventEntry]) -> ToldChange:
    waits = entry.state == "pending"  # nothing else depends on whether it was judged
    is_judged = waits and judgement_of(session, entry.router, entry.candidate_hash) is not None
    return ToldChange(
        entry,
        standing_of(entry, events, is_judged=is_judged),
        decision_of(events, entry),
        change_sets.first_approval(session, entry),
    )


def find_change(context: Context, router: Router, day: date | None) -> ChangeSetEntry:
    """The router's change set of that day (None: its latest).

    Raises:
        CommandError: there is none.
    """
    with reading(context.database) as session:
        found = [entry for entry in change_sets.change_sets(session, router.name) if day in (None, entry.day)]
    if not found:
        of_day = f" of {day}" if day else ""
        raise CommandError(f"router {router.name} has no change set{of_day}; run `hntes nightly` first")
    return found[-1]


def earlier_rejection(context: Context, entry: ChangeSetEntry) -> ListedChange | None:
    """The router's last decided change set before this day, if it was rejected: what was wrong then may be so still."""
    with reading(context.database) as session:
        decided = change_sets.decided_before(session, entry.router, entry.day)
        if decided is None or decided.state != "rejected":
            return None
        events = audit.events(session, entry.router, DECIDES)
    return ListedChange(decided, "rejected", decision=decision_of(events, decided))
