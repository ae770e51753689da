"""Which approved text is to be on a router now: rules, and at the edges of the calendar what is reserved."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from hntes.settings.model import Router
from hntes.sql import audit, change_sets, edge_changes
from hntes.sql.edge_changes import EdgeChangeEntry
from hntes.sql.entries import AuditEventEntry, ChangeSetEntry
from hntes.sql.errors import BrokenLogError
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.reports.audit_queries import verified_decision
from hntes.workflow.reservations.edge_changes import reported_base
from hntes.workflow.reservations.reserve import present_s

__all__ = ["DueText", "due_text", "edge_due", "verified_approvals", "wanted_s"]


@dataclass(frozen=True)
class DueText:
    """An approved change set, and the approved edge change on its rules that is due; None: the text of the change set.

    `at_edge`: only reservations are to change, so the router must run these rules already.
    """

    base: ChangeSetEntry
    edge: EdgeChangeEntry | None = None
    at_edge: bool = False

    @property
    def change_set(self) -> ChangeSetEntry:
        """What is delivered, as a change set."""
        return self.edge.change_set if self.edge is not None else self.base


def due_text(context: Context, router: Router, *, at_edge: bool = False) -> DueText | None:
    """What is to be on a router now; None if nothing is approved.

    `at_edge`: on the rules that a router which HNTES reaches was last reported to run, whatever was approved since;
    None, too, after a withdrawal.

    Raises:
        CommandError: the database's tables contradict each other.
    """
    with reading(context.database) as session:
        on_router = at_edge and router.is_reached
        base = reported_base(session, router.name) if on_router else _in_force(session, router)
        if base is None:
            return None
        return DueText(base, edge_due(context, session, base, present_s()), at_edge)


def edge_due(context: Context, session: Session, base: ChangeSetEntry, moment_s: int) -> EdgeChangeEntry | None:
    """The approved edge change on these rules that is to be on the router at that moment; None: the rules' own text."""
    if context.settings.reservations is None:
        return None
    approved = edge_changes.of_router(session, base.router, base.candidate_hash, ("approved",))
    wanted = [each for each in approved if wanted_s(context, each) <= moment_s]
    return wanted[-1] if wanted else None


def wanted_s(context: Context, entry: EdgeChangeEntry) -> int:
    """From when on an edge change is to be on its router: `lead_s` before its instant, where something begins."""
    chosen = context.settings.reservations
    return entry.from_s - (chosen.lead_s if entry.leads and chosen is not None else 0)


def verified_approvals(session: Session, due: DueText) -> tuple[AuditEventEntry, ...]:
    """The events by which what is due was approved: those of the rules, then that of the edge change.

    Raises:
        BrokenLogError: the log was changed, or does not say what the tables say.
    """
    approvals = verified_decision(session, due.base)
    if due.edge is None:
        return approvals
    said = edge_changes.newest_decision(audit.events(session, due.base.router, ("edge",)), due.edge)
    if said is None or said.candidate_hash != due.edge.candidate_hash or not said.detail.startswith("approved "):
        raise BrokenLogError(
            f"edge change of {due.base.router} {due.edge.subject}: it is approved, and the audit log holds no such "
            f"decision on {due.edge.candidate_hash}; restore the database from a backup, and find out who changed it"
        )
    return (*approvals, said)


def _in_force(session: Session, router: Router) -> ChangeSetEntry | None:
    in_force = change_sets.in_force(session, router.name)
    if in_force is None:
        return None
    entry = change_sets.change_set(session, router.name, in_force.day)
    if entry is None or entry.state != "approved" or entry.candidate_hash != in_force.candidate_hash:
        raise CommandError(
            f"router {router.name}: candidate {in_force.candidate_hash} is in force since {in_force.day}, but that "
            "day's change set does not say it was approved; nothing is delivered. Restore the database from a backup"
        )
    return entry
