"""The changes of routers: lists with status, history, and pending changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from hntes import clock
from hntes.rules.changeset.wording import in_one_line
from hntes.settings.model import Router
from hntes.sql import audit, change_facts, changes, decisions
from hntes.sql.change import Change
from hntes.sql.engine import open_database
from hntes.sql.entries import AuditEventEntry
from hntes.sql.holds import Hold, hold_of
from hntes.sql.judgements import judgement_of
from hntes.sql.reasons import ChangeEffect
from hntes.sql.session import Session, reading
from hntes.workflow.audit_checks import DECIDES, decision_of
from hntes.workflow.change_lookup import is_waiting
from hntes.workflow.context import Context, settings_of
from hntes.workflow.review.status import PROGRESS_KINDS, Standing, standing_of

if TYPE_CHECKING:
    from hntes.workflow.judgement import Depth

__all__ = [
    "Change",
    "ChangeStatus",
    "ListedChange",
    "change_history",
    "change_in_one_line",
    "count_notes",
    "earlier_rejection",
    "listed_change",
    "listed_changes",
    "listed_entries",
    "next_waiting",
    "nightly_entries",
    "waiting_changes",
    "waiting_entries",
]


@dataclass(frozen=True)
class ChangeStatus:
    """A change with its progress and its decision.

    `decision` is None if it is not decided. `first_approval` is the first of two approvals while the second is missing.
    """

    change: Change
    standing: Standing
    decision: AuditEventEntry | None = None
    first_approval: AuditEventEntry | None = None


@dataclass(frozen=True)
class ListedChange(ChangeStatus):
    """A change status with its effect, its judgement and its hold.

    `gate_reasons` say why the gate has not passed its candidate, empty if it has; `base_problem` why the rules of a
    scheduled change do not carry it yet, "" if they do.
    """

    effect: ChangeEffect | None = None
    gate_reasons: tuple[str, ...] = ()
    is_judged: bool = False
    hold: Hold | None = None
    base_problem: str = ""

    @property
    def blocking_reasons(self) -> tuple[str, ...]:
        """Why it may not be approved."""
        return (*((self.base_problem,) if self.base_problem else ()), *self.gate_reasons)

    @property
    def is_passed(self) -> bool:
        """Whether the gate has passed the candidate."""
        return not self.gate_reasons

    @property
    def gate(self) -> str:
        """The gate's result on the candidate: "passed", "not passed", "not judged"."""
        if self.is_passed:
            return "passed"
        return "not passed" if self.is_judged else "not judged"

    @property
    def held_until(self) -> date | None:
        """The day on which it is pending again, None if it is not held."""
        return self.hold.until_day if self.hold else None


def listed_changes(
    context: Context, routers: Sequence[Router], *, only_pending: bool, days: int | None = None
) -> tuple[ListedChange, ...]:
    """The nightly changes of these routers, by router and day; all, or only those that can still be decided.

    `days`: limits the list to the last `days` days that have a change.
    """
    found = nightly_entries(context, routers, only_pending=only_pending, days=days)
    return listed_entries(context, found, only_pending=only_pending)


def nightly_entries(
    context: Context, routers: Sequence[Router], *, only_pending: bool, days: int | None = None
) -> tuple[Change, ...]:
    """The changes of `listed_changes` by themselves: their number costs little."""
    names = {router.name for router in routers}
    with reading(context.database) as session:
        found = changes.pending_nightly(session) if only_pending else changes.nightly_changes(session)
    chosen = [entry for entry in found if entry.router in names and (not only_pending or is_waiting(entry))]
    if days is not None:
        latest = sorted({entry.day for entry in chosen})[-days:]
        chosen = [entry for entry in chosen if entry.day in latest]
    return tuple(chosen)


def listed_entries(context: Context, entries: Sequence[Change], *, only_pending: bool) -> tuple[ListedChange, ...]:
    """These changes with what the gate and people said of them; each is looked up."""
    # pending changes are neither decided nor delivered, so the audit log need not be read
    if only_pending or not entries:
        return tuple(_listed(context, entry, (), depth="list") for entry in entries)
    with reading(context.database) as session:
        events = audit.events(session, kinds=PROGRESS_KINDS)
    return tuple(_listed(context, entry, events, depth="list") for entry in entries)


def change_history(context: Context, router: Router, days: int) -> tuple[ChangeStatus, ...]:
    """The router's nightly changes of the last `days` days that have one, by day; the gate is not run again."""
    with reading(context.database) as session:
        found = changes.nightly_changes(session, router.name)[-days:]
        events = audit.events(session, router.name, PROGRESS_KINDS)
        return tuple(_status(session, entry, events, is_judged=_is_judged(session, entry)) for entry in found)


def waiting_changes(context: Context, routers: Sequence[Router]) -> tuple[ListedChange, ...]:
    """The nightly changes of these routers that are pending and not held."""
    return tuple(each for each in listed_changes(context, routers, only_pending=True) if each.hold is None)


def next_waiting(context: Context, routers: Sequence[Router], after: Change) -> Change | None:
    """The nightly change of these routers to decide next after this one: by router, and from the first one again."""
    order = {router.name: number for number, router in enumerate(routers)}
    with reading(context.database) as session:
        found = [
            each
            for each in changes.pending_nightly(session)
            if each.router in order and each.change_id != after.change_id and is_waiting(each)
            and hold_of(session, each, clock.today()) is None
        ]  # fmt: skip
    place = order.get(after.router, -1)
    return min(found, key=lambda each: (order[each.router] <= place, order[each.router], each.day), default=None)


def waiting_entries(settings_path: Path | None) -> tuple[Change, ...]:
    """The pending nightly changes, from a database that is opened for this call and not migrated.

    Raises:
        SettingsError: the settings are invalid.
        SqlError: the database cannot be opened.
        SQLAlchemyError: its schema is not that of this version.
    """
    chosen = settings_of(settings_path).database
    database = open_database(chosen.url, statement_limit_s=chosen.statement_limit_s)
    try:
        with reading(database) as session:
            return tuple(filter(is_waiting, changes.pending_nightly(session)))
    finally:
        database.dispose()


def listed_change(context: Context, entry: Change, *, depth: "Depth" = "decision") -> ListedChange:
    """The change with its gate result and decisions; `depth` is as for `blocking_reasons_now`."""
    with reading(context.database) as session:
        events = audit.events(session, entry.router, PROGRESS_KINDS)
    return _listed(context, entry, events, depth=depth)


def _listed(
    context: Context, entry: Change, events: Sequence[AuditEventEntry], *, depth: "Depth" = "decision"
) -> ListedChange:
    from hntes.workflow.judgement import (
        base_problem_now,
        gate_reasons_now,  # imported here: an empty list needs neither rules nor the simulator
    )

    gate_reasons = tuple(gate_reasons_now(context, entry, depth=depth))
    with reading(context.database) as session:
        is_judged = judgement_of(session, entry.router, entry.candidate_hash) is not None
        status = _status(session, entry, events, is_judged=is_judged)
        return ListedChange(
            status.change,
            status.standing,
            status.decision,
            status.first_approval,
            effect=change_facts.effect_of(session, entry.change_id),
            gate_reasons=gate_reasons,
            is_judged=is_judged,
            hold=hold_of(session, entry, clock.today()),
            base_problem=base_problem_now(context, entry),
        )


def _is_judged(session: Session, entry: Change) -> bool:
    """Whether a pending change was judged: the status of no other depends on it."""
    return entry.state == "pending" and judgement_of(session, entry.router, entry.candidate_hash) is not None


def _status(session: Session, entry: Change, events: Sequence[AuditEventEntry], *, is_judged: bool) -> ChangeStatus:
    return ChangeStatus(
        entry,
        standing_of(entry, events, is_judged=is_judged),
        decision_of(events, entry),
        decisions.first_approval(session, entry),
    )


def earlier_rejection(context: Context, entry: Change) -> ChangeStatus | None:
    """The router's last decided nightly change before this day, if it was rejected: its problem may persist."""
    with reading(context.database) as session:
        decided = changes.decided_before(session, entry.router, entry.day)
        if decided is None or decided.state != "rejected":
            return None
        events = audit.events(session, entry.router, DECIDES)
    return ChangeStatus(decided, "rejected", decision=decision_of(events, decided))


def change_in_one_line(context: Context, entry: Change) -> str:
    """A change in one line."""
    with reading(context.database) as session:
        facts = change_facts.facts_of(session, entry.change_id)
    return in_one_line(entry, facts.effect, facts.reserved)


def count_notes(context: Context, entry: Change) -> int:
    """The number of notes on a change."""
    with reading(context.database) as session:
        return change_facts.count_notes(session, entry.change_id) + (entry.held_above is not None)
