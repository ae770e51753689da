"""What was done about the edges of the reservations' calendar, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from base.wording import rfc3339
from console import output

if TYPE_CHECKING:
    from pipeline.edge_delivery import EdgeDelivery
    from pipeline.edge_round import PreparedEdges

_DELIVERED = {
    "nothing_due": "runs no approved rules",
    "held": "has what is due",
    "would_change": "would change so; --commit delivers it",
    "done": "delivered: verified on trial, then confirmed",
    "handed_over": "put into its folder",
    "failed": "FAILED",
}


def say_prepared(name: str, found: PreparedEdges) -> None:
    """Which texts stand, which no longer do, what the gate says of new ones, and what quotas approve."""
    for entry in found.proposed.standing:
        output.line(f"{name} {_at(entry.from_s)}: {entry.summary}, text {entry.candidate_hash[:12]} on {entry.day}")
    for entry in found.proposed.superseded:
        output.line(f"{name} {_at(entry.from_s)}: superseded, text {entry.candidate_hash[:12]}")
    for unmade in found.proposed.unmade:
        output.line(f"{name} {_at(unmade.from_s)}: no text can be made: {unmade.problem}")
    for judged in found.judged:
        output.line(f"{name} text {judged.candidate_hash[:12]}: gate: {judged.word}")
    for decision in found.by_quota:
        output.line(decision.explanation)
    if not found.proposed.standing:
        output.line(f"{name}: nothing is to change")


def say_delivery(found: EdgeDelivery) -> None:
    """What became of one router, and what is not there in time."""
    text = f", text {found.candidate_hash[:12]}" if found.candidate_hash else ""
    output.line(f"{found.router}: {_DELIVERED[found.outcome]}{text}")
    for line in (found.problem or found.difference).splitlines():
        output.line(f"  {line}")
    for late in found.late:
        output.line(f"  LATE: {late}")


def _at(moment_s: int) -> str:
    return rfc3339(moment_s * 1000)
