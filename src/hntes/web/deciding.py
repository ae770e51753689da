"""Verdicts on changes, for forms of the page and for programs: bound to what was shown of the change."""

from dataclasses import dataclass
from typing import Literal

from hntes import clock
from hntes.platforms.transition_errors import TransitionError
from hntes.settings.model import Router
from hntes.sql.decisions import Outcome, Verdict
from hntes.sql.seen import ANY_BASE
from hntes.workflow.context import Context
from hntes.workflow.review.approval_needs import unusual
from hntes.workflow.review.changes import Change
from hntes.workflow.review.decide import Person, Request, decide
from hntes.workflow.review.transition_approval import ANOTHER_TRANSITION, is_another_transition

_UNFOUNDED = "not rejected: give a reason, which the audit log keeps"


@dataclass(frozen=True)
class Shown:
    """What a verdict is about, as the person or program saw it.

    Attributes:
        candidate_hash: The whole hash of the candidate.
        until_s: The end of a scheduled change, None if it has none.
        base_hash: What the candidate replaces, None for nothing; ANY_BASE if that was not said.
        transition: The identity of the transition, NO_TRANSITION for none; "" if that was not said.
        confirmed: The router's name, which a risky change demands.
    """

    candidate_hash: str
    until_s: int | None = None
    base_hash: str | None = ANY_BASE
    transition: str = ""
    confirmed: str = ""


@dataclass(frozen=True)
class Answer:
    """What became of a verdict: the change as it is now, and why it was not taken, if it was not."""

    change: Change
    is_taken: bool
    outcome: Outcome | Literal["unconfirmed", "transition", "unfounded"]
    explanation: str


def give_verdict(
    context: Context, router: Router, entry: Change, verdict: Verdict, shown: Shown, by: Person
) -> Answer:  # fmt: skip
    """Approves or rejects exactly what was shown; a rejection needs a note.

    Raises:
        CandidateStoreError, CommandError, StoreError: as `decide`.
    """
    refused = _not_yet(context, router, entry, shown) if verdict == "approved" else None
    if verdict == "rejected" and by.note is None:
        refused = Answer(entry, False, "unfounded", _UNFOUNDED)
    if refused is not None:
        return refused
    until_s = shown.until_s if entry.is_scheduled else None
    asked = Request(entry.change_id, shown.candidate_hash, verdict, until_s, shown.base_hash)
    try:
        decision = decide(context, router, asked, by, clock.now_ms())
    except TransitionError as problem:
        return Answer(entry, False, "transition", f"not approved: no transition leads to it: {problem}")
    return Answer(decision.change, decision.is_taken, decision.outcome, decision.explanation)


def _not_yet(context: Context, router: Router, entry: Change, shown: Shown) -> Answer | None:
    """What an approval still needs from who decides; None if nothing."""
    reasons = unusual(entry)
    if reasons and shown.confirmed != router.name:
        return Answer(
            entry, False, "unconfirmed",
            f"not approved: {'; '.join(reasons)}. Type the router's name, {router.name}, next to the button",
        )  # fmt: skip
    # another candidate is refused separately
    is_seen = bool(shown.transition) and shown.candidate_hash == entry.candidate_hash
    if is_seen and is_another_transition(context, router, entry, shown.transition):
        return Answer(entry, False, "transition", ANOTHER_TRANSITION)
    return None
