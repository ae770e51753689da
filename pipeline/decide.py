"""A person's decision on a change set, and what the person is shown: the same for every way of deciding."""

from datetime import date
from typing import Literal

from gate.report import WORDS, value_words
from pipeline.context import Context
from pipeline.errors import CommandError
from pipeline.folders import router_folder
from rules.change.candidate import load
from rules.change.diff import diff_text
from settings.model import Router
from sql import change_sets
from sql.change_sets import Decision
from sql.entries import ChangeSetEntry
from sql.session import reading, transaction
from sql.verdicts import objections, verdicts


def decide_change(
    context: Context,
    router: Router,
    day: date,
    candidate_hash: str,
    state: Literal["approved", "rejected"],
    who: str,
    note: str | None,
    now_ms: int,
) -> Decision:
    """Approves or rejects exactly that candidate; whoever comes first decides.

    Raises:
        CandidateStoreError: what would be approved is not what is on disk.
        StoreError: nobody is named, or there is no such change set.
    """
    if state == "approved":
        load(router_folder(context, router), find_change(context, router, day).candidate_hash)
    with transaction(context.database) as session:
        return change_sets.decide(session, router.name, day, candidate_hash, state, who, note, now_ms)


def expire_changes(context: Context, now_ms: int) -> tuple[ChangeSetEntry, ...]:
    """Marks the pending change sets whose time is over, and returns them."""
    with transaction(context.database) as session:
        return change_sets.expire(session, now_ms)


def find_change(context: Context, router: Router, day: date | None) -> ChangeSetEntry:
    """The router's change set of that day (None: its latest).

    Raises:
        CommandError: there is none.
    """
    with reading(context.database) as session:
        found = [entry for entry in change_sets.change_sets(session, router.name) if day in (None, entry.day)]
    if not found:
        of_day = f" of {day}" if day else ""
        raise CommandError(f"router {router.name} has no change set{of_day}; run `hntes nightly` first")
    return found[-1]


def change_text(context: Context, router: Router, entry: ChangeSetEntry) -> tuple[str, str]:
    """What a person must see before deciding: the pairs that come and go with their reasons, and the difference.

    Raises:
        CandidateStoreError: a candidate is missing on disk.
    """
    folder = router_folder(context, router)
    candidate = load(folder, entry.candidate_hash)
    base = load(folder, entry.base_hash) if entry.base_hash else None
    path = folder / entry.day.isoformat() / "summary.txt"
    told = f"{entry.router}, flows of {entry.day}: {entry.summary}"
    # A decided day may have been proposed anew since: its file then speaks of another candidate.
    if entry.state in ("pending", "empty") and path.exists():
        told = path.read_text(encoding="utf-8").rstrip()
    return told, diff_text(base.text if base else "", candidate.text).rstrip()


def gate_text(context: Context, entry: ChangeSetEntry) -> tuple[bool, str]:
    """Whether the gate has passed the candidate, and what it says of it, a line for each criterion.

    No words where nothing changes and nothing was judged.
    """
    with reading(context.database) as session:
        found = verdicts(session, entry.router, entry.candidate_hash)
        reasons = objections(session, entry.router, entry.candidate_hash)
    if entry.state == "empty" and not found:
        return True, ""
    lines = [f"gate: {'not passed' if reasons else 'passed'}"]
    for each in found:
        limit = f" (limit {value_words(each.limit_value, each.unit)})" if each.limit_value is not None else ""
        lines.append(f"  {each.criterion} {WORDS[each.outcome]}{limit}: {each.sentence}")
    if not found:
        lines.append(f"  {reasons[0]}")
    return not reasons, "\n".join(lines)
