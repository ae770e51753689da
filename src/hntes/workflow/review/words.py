"""A change in words, made from its facts for the terminal, the review page and Airflow."""

from hntes.format import at
from hntes.rules.changeset import wording
from hntes.sanitize import shown
from hntes.sql.proposals import stretch
from hntes.workflow.review.transition_approval import KnownTransition
from hntes.workflow.review.view import ReviewView
from hntes.workflow.stages.verdict_lines import VerdictLine

__all__ = [
    "gate_text",
    "remarks",
    "summary_text",
    "transition_words",
]


def summary_text(view: ReviewView) -> str:
    """The change in some lines, with remarks on it."""
    change = view.change
    if change.is_scheduled:
        reserved = wording.reserved_words(view.facts.reserved)
        return f"{change.router} {stretch(change)}, on the rules of {change.day}\nreserved: {reserved}"
    text = wording.summary(change, view.facts, view.other_changes).rstrip()
    return "\n".join([text, *(f"  remark: {remark}" for remark in remarks(view))])


def remarks(view: ReviewView) -> list[str]:
    """What else is to be known before a decision."""
    found = [view.edited_copy] if view.edited_copy else []
    if view.rejection is not None:
        change, event = view.rejection.change, view.rejection.decision
        when = f" {at(event.time_ms)}" if event else ""
        why = f": {shown(change.decision_note)}" if change.decision_note else ", without a note"
        found.append(f"the change of {change.day} was rejected by {shown(change.decided_by or 'nobody')}{when}{why}")
    return found


def gate_text(view: ReviewView) -> str:
    """The gate's verdicts, one line per measure; "" where none is needed."""
    if not view.is_judged:
        return "\n".join(f"may not be approved: {reason}" for reason in view.needs.objections)
    objections = view.needs.objections
    lines = [f"gate: {'not passed' if objections else 'passed'}"]
    lines += [f"  {each}" for each in view.gate_figure]
    lines += [f"  {each.criterion} {each.outcome}{_measured(each)}: {each.sentence}" for each in view.verdicts]
    lines += [f"  {reason}" for reason in view.more_objections]
    if view.loosened:
        lines.append(f"  limits loosened: {', '.join(view.loosened)}")
    return "\n".join(lines)


def transition_words(known: KnownTransition | None) -> str:
    """A transition in a line: as approved and, if it is another by now, as it is; "" where there is none."""
    if known is None:
        return ""
    if known.now is None:
        return f"transition: none can be made: {known.problem}"
    if known.bound is None or not known.has_changed:
        return f"transition: {known.now}"
    return f"transition: approved {known.bound}, but what was delivered last has changed: now {known.now}"


def _measured(line: VerdictLine) -> str:
    """What was held against the limit, by its name: the sentence may say another value, such as the whole delay."""
    if not line.limit:
        return ""
    return f" ({' '.join(filter(None, (line.measure, line.value)))}, limit {line.limit})"
