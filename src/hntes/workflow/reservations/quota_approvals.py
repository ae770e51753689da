"""Approval of scheduled changes by quotas; the others wait for an operator."""

from hntes import clock
from hntes.errors import HntesError
from hntes.settings.model import Router
from hntes.sql import approved_texts, changes, decisions
from hntes.sql.change import Change
from hntes.sql.decisions import Decision, Person, Request
from hntes.sql.entries import JudgementEntry
from hntes.sql.session import Session, reading, transaction
from hntes.workflow.candidates import known_candidate, text_entry
from hntes.workflow.context import Context
from hntes.workflow.judgement import judgement_now, verified_candidate
from hntes.workflow.reservations.quota_coverage import quota_reasons

__all__ = ["approve_by_quota", "undecided", "undecided_of"]


def approve_by_quota(context: Context, router: Router) -> tuple[Decision, ...]:
    """Approves pending scheduled changes that quotas cover or whose text is that of their approved base.

    For the others it gives the reasons. Changes on bases that are pending themselves are skipped.
    """
    return tuple(_by_quota(context, router, each) for each in undecided_of(context, router))


def undecided_of(context: Context, router: Router) -> tuple[Change, ...]:
    """A router's pending scheduled changes that can be decided (on approved rules and not over), by instant."""
    now_ms = clock.now_ms()
    with reading(context.database) as session:
        waiting = changes.scheduled_changes(session, router.name, states=("pending",))
        return tuple(
            each for each in waiting if not each.is_over(now_ms) and decisions.base_problem(session, each) is None
        )


def undecided(context: Context) -> tuple[Change, ...]:
    """As `undecided_of`, for all routers; empty if reservations are off."""
    if context.settings.reservations is None:
        return ()
    return tuple(each for router in context.settings.routers for each in undecided_of(context, router))


def _by_quota(context: Context, router: Router, entry: Change) -> Decision:
    try:
        return _covered(context, router, entry)
    except HntesError as problem:
        return Decision("quota", entry, f"{decisions.named(entry)}: {problem}")


def _covered(context: Context, router: Router, entry: Change) -> Decision:
    assert entry.base_hash is not None  # noqa: S101 - a scheduled change has a base
    base = known_candidate(context, router, entry.base_hash)
    candidate = verified_candidate(context, router, entry)
    holds_now = None if entry.is_text_of_base else judgement_now(context, router, entry, candidate)
    with transaction(context.database) as session:
        covered = quota_reasons(context, session, router, entry, base, candidate)
        refused = (*_gate_reasons(session, entry, holds_now), *covered.reasons)
        if refused:
            text = "\n  ".join((f"{decisions.named(entry)}: not by quota:", *refused))
            return Decision("quota", entry, text)
        by = Person(covered.words or f"the text approved for {entry.day}")
        request = Request.on(entry, "approved")
        decision = decisions.decide(session, request, by, clock.now_ms(), holds_now=holds_now)
        if decision.outcome == "decided":
            approved_texts.keep(session, text_entry(candidate))
    return decision


def _gate_reasons(session: Session, entry: Change, holds_now: JudgementEntry | None) -> list[str]:
    problem = decisions.base_problem(session, entry)
    return [problem] if problem else decisions.gate_reasons(session, entry, holds_now)
