"""The stage decide: a person approves or rejects a change set, wherever the person does it."""

from datetime import date
from typing import Literal

from pipeline.changes import find_change
from pipeline.context import Context
from pipeline.folders import router_folder
from pipeline.stage_log import stage
from rules.change.candidate import read_candidate
from settings.model import Router
from sql import change_sets
from sql.change_sets import Decision
from sql.entries import ChangeSetEntry
from sql.session import transaction

__all__ = ["Decision", "decide", "expire_changes"]


def _outcome(decision: Decision) -> str:
    return decision.change_set.state if decision.outcome == "decided" else decision.outcome


@stage(_outcome)
def decide(
    context: Context,
    router: Router,
    day: date,
    candidate_hash: str,
    state: Literal["approved", "rejected"],
    who: str,
    note: str | None,
    now_ms: int,
) -> Decision:
    """Approves or rejects exactly that candidate; the first decision counts.

    Raises:
        CandidateStoreError: what would be approved is not what is on disk.
        StoreError: nobody is named, or there is no such change set.
    """
    if state == "approved":
        read_candidate(router_folder(context, router), find_change(context, router, day).candidate_hash)
    with transaction(context.database) as session:
        return change_sets.decide(session, router.name, day, candidate_hash, state, who, note, now_ms)


def expire_changes(context: Context, now_ms: int) -> tuple[ChangeSetEntry, ...]:
    """Marks the pending change sets that have expired, and returns them."""
    with transaction(context.database) as session:
        return change_sets.expire(session, now_ms)
