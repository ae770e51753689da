"""The approved text that is to be on a router now: rules, and what is reserved on them as far as that is approved."""

from dataclasses import dataclass

from hntes.settings.model import Router
from hntes.sql import changes
from hntes.sql.change import Change
from hntes.sql.entries import AuditEventEntry
from hntes.sql.session import Session, reading
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.reports.audit_queries import verified_decisions
from hntes.workflow.reservations.reserve import present_s
from hntes.workflow.reservations.scheduled_changes import reported_base

__all__ = ["DueText", "due_s", "due_text", "scheduled_due", "verified_approvals"]


@dataclass(frozen=True)
class DueText:
    """The approved change that is due, and the nightly one whose rules it has; the same where nothing is reserved.

    `at_edge`: only reservations are to change, so the router must run these rules already.
    """

    rules: Change
    change: Change
    at_edge: bool = False


def due_text(context: Context, router: Router, *, at_edge: bool = False) -> DueText | None:
    """What is to be on a router now; None if nothing is approved.

    `at_edge`: on the rules that a router which HNTES reaches was last reported to run, whatever was approved since;
    None, too, after a withdrawal.

    Raises:
        CommandError: the database's tables contradict each other.
    """
    with reading(context.database) as session:
        on_router = at_edge and router.is_reached
        rules = reported_base(session, router.name) if on_router else _in_force(session, router)
        if rules is None:
            return None
        return DueText(rules, scheduled_due(context, session, rules, present_s()) or rules, at_edge)


def scheduled_due(context: Context, session: Session, rules: Change, moment_s: int) -> Change | None:
    """The approved scheduled change that is to be on the router at that moment; None: the rules' own text."""
    if context.settings.reservations is None:
        return None
    approved = changes.scheduled_changes(session, rules.router, rules.candidate_hash, ("approved",))
    due = [each for each in approved if due_s(context, each) <= moment_s]
    return due[-1] if due else None


def due_s(context: Context, entry: Change) -> int:
    """From when on a scheduled change is to be on its router: `lead_s` before its instant, where something begins."""
    chosen = context.settings.reservations
    return (entry.effective_s or 0) - (chosen.lead_s if entry.leads and chosen is not None else 0)


def verified_approvals(session: Session, due: DueText) -> tuple[AuditEventEntry, ...]:
    """The events by which what is due was approved: those of the rules, then those of the scheduled change.

    Raises:
        BrokenLogError: the log was changed, or does not say what the tables say.
    """
    return verified_decisions(session, (due.rules, due.change) if due.change.is_scheduled else (due.rules,))


def _in_force(session: Session, router: Router) -> Change | None:
    in_force = changes.in_force(session, router.name)
    if in_force is None:
        return None
    entry = changes.nightly_change(session, router.name, in_force.day)
    if entry is None or entry.state != "approved" or entry.candidate_hash != in_force.candidate_hash:
        raise CommandError(
            f"router {router.name}: candidate {in_force.candidate_hash} is in force since {in_force.day}, but that "
            "day's change set does not say it was approved; nothing is delivered. Restore the database from a backup"
        )
    return entry
