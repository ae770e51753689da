"""Scheduled changes and their delivery, in lines for people."""

from collections.abc import Iterator

from hntes.format import rfc3339
from hntes.rules.changeset.wording import reserved_words
from hntes.workflow.delivery.scheduled_delivery import ScheduledDelivery, ScheduledRound
from hntes.workflow.stages.prepare_scheduled import PreparedChanges

_DELIVERED = {
    "nothing_due": "runs no approved rules",
    "held": "has what is due",
    "would_change": "would change so; --commit delivers it",
    "done": "delivered: verified on trial, then confirmed",
    "handed_over": "put into its folder",
    "failed": "FAILED",
}


def prepared_lines(name: str, found: PreparedChanges) -> Iterator[str]:
    """Which texts stand, which no longer do, what the gate says of new ones, and what quotas approve."""
    for entry in found.proposed.standing:
        reserved = reserved_words(found.proposed.reserved[entry.change_id])
        yield f"{name} {_at(entry.effective_s or 0)}: {reserved}, text {entry.candidate_hash[:12]} on {entry.day}"
    for entry in found.proposed.superseded:
        yield f"{name} {_at(entry.effective_s or 0)}: superseded, text {entry.candidate_hash[:12]}"
    for unmade in found.proposed.unmade:
        yield f"{name} {_at(unmade.from_s)}: no text can be made: {unmade.problem}"
    for judged in found.judged:
        yield f"{name} text {judged.candidate_hash[:12]}: gate: {judged.word}"
    for decision in found.by_quota:
        yield decision.explanation
    if not found.proposed.standing:
        yield f"{name}: nothing is to change"


def round_lines(found: ScheduledRound) -> Iterator[str]:
    """What became of each router, what is not there in time, and who could not be told."""
    for each in found.routers:
        yield from _router_lines(each)
    for line in found.untold:
        yield f"NOT TOLD: {line}"


def _router_lines(found: ScheduledDelivery) -> Iterator[str]:
    text = f", text {found.candidate_hash[:12]}" if found.candidate_hash else ""
    yield f"{found.router}: {_DELIVERED[found.outcome]}{text}"
    for line in (found.problem or found.difference).splitlines():
        yield f"  {line}"
    for late in found.late:
        yield f"  LATE: {late}"


def _at(moment_s: int) -> str:
    return rfc3339(moment_s * 1000)
