"""Texts at edges of the reservations' calendar, asked about one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from hntes.cli import output
from hntes.cli.asking import asked_note
from hntes.format import rfc3339

if TYPE_CHECKING:
    from hntes.settings.model import Router
    from hntes.workflow.context import Context
    from hntes.workflow.reservations.edge_changes import EdgeChangeEntry
    from hntes.workflow.review.edge_shown import ShownEdge

_VERDICTS: dict[str, Literal["approved", "rejected"]] = {"a": "approved", "r": "rejected"}
_OUTCOMES = {"waits_for_second": "waiting", "refused": "refused"}


def edges_left(context: Context, routers: Sequence[Router]) -> list[EdgeChangeEntry]:
    """Those of these routers that a person can decide on now, by instant."""
    from hntes.workflow.review.edge_decisions import edges_that_wait

    names = {router.name for router in routers}
    found = (each for each in edges_that_wait(context) if each.router in names)
    return sorted(found, key=lambda each: (each.from_s, each.router))


def review_edges(context: Context, waiting: Sequence[EdgeChangeEntry], who: str) -> Counter[str]:
    """Shows and asks about each; how many were approved, rejected, refused and skipped."""
    from hntes.workflow.review.edge_shown import shown_edge

    done: Counter[str] = Counter()
    for number, entry in enumerate(waiting, 1):
        router = context.settings.router(entry.router)
        seen = shown_edge(context, router, entry)
        output.line(f"\n-- text {number} of {len(waiting)}\n{seen.text}")
        answer = _ask(seen)
        if answer == "q":
            break
        done["skipped" if answer == "s" else _decided(context, router, entry, _VERDICTS[answer], who)] += 1
    return done


def _ask(seen: ShownEdge) -> str:
    """a, r, s or q; d shows the difference and asks again."""
    choices = {"a": "approve", "r": "reject", "d": "difference", "s": "skip", "q": "quit"}
    if seen.objections:
        del choices["a"]  # the lines above say why
    words = ", ".join(f"[{key}] {word}" for key, word in choices.items())
    asked = f"{seen.entry.router} {rfc3339(seen.entry.from_s * 1000)}: {words}"
    while True:
        answer: str = click.prompt(asked, prompt_suffix="? ", type=click.Choice(list(choices)), show_choices=False)
        if answer != "d":
            return answer
        output.paged(output.difference(seen.difference))


def _decided(
    context: Context, router: Router, entry: EdgeChangeEntry, state: Literal["approved", "rejected"], who: str
) -> str:
    from hntes.workflow.review.edge_decisions import decide_edge

    decision = decide_edge(context, router, entry, state, who, asked_note())
    output.line(decision.explanation)
    return _OUTCOMES.get(decision.outcome, state)
