"""Display text of a change for the terminal, the review page and Airflow."""

from collections.abc import Mapping

from hntes.format import at, gigabytes
from hntes.rules.changeset import wording
from hntes.sanitize import shown
from hntes.sql.proposals import stretch
from hntes.workflow.review.pair_bytes import PAIR_DAYS, PairSums
from hntes.workflow.review.transition_approval import KnownTransition
from hntes.workflow.review.view import ReviewView
from hntes.workflow.stages.verdict_lines import VerdictLine

__all__ = [
    "gate_text",
    "remarks",
    "summary_text",
    "sums_words",
    "transition_words",
]


def summary_text(view: ReviewView) -> str:
    """The change in several lines, with remarks."""
    change = view.change
    if change.is_scheduled:
        reserved = wording.reserved_words(view.facts.reserved)
        return f"{change.router} {stretch(change)}, on the rules of {change.day}\nreserved: {reserved}"
    text = wording.summary(change, view.facts, view.other_changes).rstrip()
    return "\n".join([text, *(f"  remark: {remark}" for remark in remarks(view))])


def remarks(view: ReviewView) -> list[str]:
    """Further remarks for the decision."""
    found = [view.edited_copy] if view.edited_copy else []
    if view.rejection is not None:
        change, event = view.rejection.change, view.rejection.decision
        when = f" {at(event.time_ms)}" if event else ""
        why = f": {shown(change.decision_note)}" if change.decision_note else ", without a note"
        found.append(f"the change of {change.day} was rejected by {shown(change.decided_by or 'nobody')}{when}{why}")
    return found


def gate_text(view: ReviewView) -> str:
    """The gate's verdicts, one line per measure; "" if none is needed."""
    if not view.is_judged:
        return "\n".join(f"may not be approved: {reason}" for reason in view.needs.blocking_reasons)
    lines = [f"gate: {'passed' if view.listed.is_passed else 'not passed'}"]
    lines += [f"  {each}" for each in view.gate_figure]
    lines += [f"  {each.criterion} {each.outcome}{_measured(each)}: {each.sentence}" for each in view.verdicts]
    lines += [f"  {reason}" for reason in view.more_reasons]
    lines += [f"  what moves {each}" for each in view.levers]
    if view.listed.base_problem:
        lines.append(f"may not be approved: {view.listed.base_problem}")
    if view.loosened:
        lines.append(f"  limits loosened: {', '.join(view.loosened)}")
    if view.alone:
        lines.append(f"  judged without the running configuration: {view.alone}")
    return "\n".join(lines)


def sums_words(sums: Mapping[str, PairSums]) -> str:
    """Number and alpha traffic of the added, removed and kept pairs, in one line."""
    parts = (f"{sign}{each.pairs} ({gigabytes(each.alpha_bytes)})" for sign, each in sums.items())
    return f"pairs, with their alpha traffic of {PAIR_DAYS} days: {' '.join(parts)}"


def transition_words(known: KnownTransition | None) -> str:
    """A transition in one line: the approved and, if it differs, the present one; "" if there is none."""
    if known is None:
        return ""
    if known.now is None:
        return f"transition: none possible: {known.problem}"
    if known.bound is None or not known.has_changed:
        return f"transition: {known.now}"
    return f"transition: approved {known.bound}, but the delivered configuration has changed: now {known.now}"


def _measured(line: VerdictLine) -> str:
    """The measured value with its name and limit: the sentence may give another value, such as the total delay."""
    if not line.limit:
        return ""
    return f" ({' '.join(filter(None, (line.measure, line.value)))}, limit {line.limit})"
