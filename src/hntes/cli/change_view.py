"""One change as text for the terminal and as a document for machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from hntes.format import gigabytes, minute

if TYPE_CHECKING:
    from hntes.workflow.review.changes import ListedChange
    from hntes.workflow.review.pair_bytes import PairSums
    from hntes.workflow.review.pair_groups import PairGroup
    from hntes.workflow.review.view import ReviewView

GROUPS_HEAD = ("group", "alpha traffic", "added", "removed", "kept")


def text(view: ReviewView) -> str:
    """Everything but the diff."""
    from hntes.workflow.review import status_words, words

    change = view.change
    is_waiting = change.state == "pending" and change.expires_ms is not None
    ends = f", expires {minute(change.expires_ms or 0)} UTC" if is_waiting else ""
    about = (
        f"check carefully: {'; '.join(view.needs.unusual)}" if view.needs.unusual and change.state == "pending" else "",
        f"state: {status_words.standing_words(view.listed)}, candidate {change.candidate_hash}{ends}",
        status_words.decided_words(view.listed),
        status_words.held_words(view.listed),
        words.transition_words(view.transition),
        *([] if change.is_scheduled else view.progress.lines),
    )
    return "\n".join(filter(None, (words.summary_text(view), *about, words.gate_text(view))))


def next_commands(view: ReviewView) -> str:
    """The commands that decide it, those possible now."""
    change = view.change
    options = f"--router {change.router} --hash {change.candidate_hash[:12]}"
    prefix = "hntes reserve" if change.is_scheduled else "hntes change"
    if not change.is_scheduled:
        options = f"--router {change.router} --day {change.day} --hash {change.candidate_hash[:12]}"
    verbs = ["approve", "reject"] if not view.needs.blocking_reasons else ["reject"]
    return "\n".join(["to decide it:", *(f"  {prefix} {verb} {options} --note '...'" for verb in verbs)])


def document(listed: ListedChange) -> dict[str, Any]:
    """A change for machines, with who decided it and when, by the audit log."""
    from hntes.rules.changeset.wording import in_one_line

    change = listed.change
    return asdict(change) | {
        "change_id": change.change_id,
        "summary": in_one_line(change, listed.effect),
        "effect": listed.effect,
        "standing": listed.standing,
        "gate": listed.gate,
        "decision": listed.decision,
        "first_approval": listed.first_approval,
        "held_until": listed.held_until,
    }


def full_document(view: ReviewView, *, diff: bool) -> dict[str, Any]:
    """The same with the evidence."""
    from hntes.workflow.review import words
    from hntes.workflow.review.queues import changed_queues

    parts = {
        "is_passed": view.listed.is_passed,
        "summary": words.summary_text(view),
        "pairs": view.facts.pairs,
        "notes": view.facts.notes,
        "verdicts": words.gate_text(view),
        "queues": changed_queues(view),
        "progress": view.progress,
        "unusual": view.needs.unusual if view.change.state == "pending" else (),
    }
    return document(view.listed) | parts | ({"difference": view.difference} if diff else {})


def group_rows(groups: Sequence[PairGroup], sums: Mapping[str, PairSums]) -> list[tuple[str, ...]]:
    """The groups under `GROUPS_HEAD`, and all pairs as the last row."""
    whole = sum(each.alpha_bytes for each in sums.values())
    rows = [(each.name, each.alpha_bytes, each.sums) for each in groups]
    return [
        (name, gigabytes(carried), *(_sum_words(sign, one) for sign, one in of.items()))
        for name, carried, of in (*rows, ("all", whole, sums))
    ]


def _sum_words(sign: str, one: PairSums) -> str:
    return f"{sign}{one.pairs} ({gigabytes(one.alpha_bytes)})" if one.pairs else f"{sign}0"


def groups_document(by: str | None, groups: Sequence[PairGroup]) -> dict[str, Any]:
    """The groups for machines; `pair_sums` of the change are those of all."""
    return {
        "by": by,
        "groups": [{"name": each.name, "alpha_bytes": each.alpha_bytes, "sums": each.sums} for each in groups],
    }
