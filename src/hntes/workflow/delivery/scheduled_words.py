"""Display lines of scheduled changes and their delivery."""

from collections.abc import Iterator

from hntes.format import rfc3339
from hntes.rules.changeset.wording import reserved_words
from hntes.workflow.delivery.scheduled_delivery import ScheduledDelivery, ScheduledRound
from hntes.workflow.stages.prepare_scheduled import PreparedChanges

_DELIVERED = {
    "nothing_due": "runs no approved rules",
    "held": "up to date",
    "would_change": "would change as follows; --commit delivers it",
    "done": "delivered: verified on trial, then confirmed",
    "handed_over": "handed over in its folder",
    "failed": "FAILED",
}


def prepared_lines(name: str, found: PreparedChanges) -> Iterator[str]:
    """Valid and superseded changes, the gate's verdicts on new ones, and approvals by quota."""
    for entry in found.proposed.valid:
        reserved = reserved_words(found.proposed.reserved[entry.change_id])
        yield f"{name} {_at(entry.effective_s or 0)}: {reserved}, text {entry.candidate_hash[:12]} on {entry.day}"
    for entry in found.proposed.superseded:
        yield f"{name} {_at(entry.effective_s or 0)}: superseded, text {entry.candidate_hash[:12]}"
    for failed_periods in found.proposed.failed_periods:
        yield f"{name} {_at(failed_periods.from_s)}: no text can be rendered: {failed_periods.problem}"
    for judged in found.judged:
        yield f"{name} text {judged.candidate_hash[:12]}: gate: {judged.word}"
    for decision in found.by_quota:
        yield decision.explanation
    if not found.proposed.valid:
        yield f"{name}: no changes"


def round_lines(found: ScheduledRound) -> Iterator[str]:
    """The result of each router, late reservations, and owners who could not be notified."""
    for each in found.routers:
        yield from _router_lines(each)
    for line in found.failed_notices:
        yield f"NOT NOTIFIED: {line}"


def _router_lines(found: ScheduledDelivery) -> Iterator[str]:
    text = f", text {found.candidate_hash[:12]}" if found.candidate_hash else ""
    is_left = found.outcome == "held" and bool(found.ended)
    yield f"{found.router}: {'runs what was approved last' if is_left else _DELIVERED[found.outcome]}{text}"
    for line in (found.problem or found.difference).splitlines():
        yield f"  {line}"
    if found.unchecked and found.unchecked != found.problem:
        yield f"  LATE OR ENDED: not known: {found.unchecked}"
    for late in found.late:
        yield f"  LATE: {late}"
    for ended in found.ended:
        yield f"  ENDED: {ended}"


def _at(moment_s: int) -> str:
    return rfc3339(moment_s * 1000)
