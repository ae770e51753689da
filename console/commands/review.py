"""The command that goes through what waits for a decision, one change set after the other."""

from __future__ import annotations

import getpass
import sys
from collections import Counter
from typing import TYPE_CHECKING, Literal

import click

from base import clock
from base.wording import counted
from console import change_view, output
from console.options import FREE_TEXT, routers_option, with_context

if TYPE_CHECKING:
    from console.change_view import ChangeView
    from pipeline.context import Context

_VERDICTS: dict[str, Literal["approved", "rejected"]] = {"a": "approved", "r": "rejected"}


@click.command()
@routers_option
@click.option("--who", type=FREE_TEXT, default=None, help="Who decides. Default: the user of this machine.")
@with_context
def review(context: Context, router_names: tuple[str, ...], who: str | None) -> None:
    """Goes through the change sets that wait for a decision, one after the other.

    Each is shown as by `hntes show`, then asked about: approve (only what the gate has passed), reject, the difference,
    skip, quit. Those that are held until a day to come are left out (`hntes hold`). What was shown is what is decided
    on: a change set that was proposed anew meanwhile is refused. Scripts use `hntes changes --json` and `hntes
    approve`. Exit status 4: a decision was refused.
    """
    from pipeline.changes import waiting_changes
    from pipeline.errors import REFUSED

    if not sys.stdin.isatty():
        raise click.UsageError("standard input is not a terminal; use hntes changes --json and hntes approve")
    waiting = [listed.change_set for listed in waiting_changes(context, context.chosen(router_names))]
    if not waiting:
        output.note("no change set waits for a decision")
        return
    done: Counter[str] = Counter()
    for number, entry in enumerate(waiting, 1):
        seen = change_view.view(context, context.settings.router(entry.router), entry)
        output.line(f"\n-- {number} of {len(waiting)}\n{seen.text}")
        answer = _ask(seen)
        if answer == "q":
            break
        done[_decide(context, seen, answer, who or getpass.getuser())] += 1
    left = len(waiting) - done["approved"] - done["rejected"]
    told = [f"{done[word]} {word}" for word in ("approved", "rejected", "refused") if done[word]]
    output.line(", ".join([*told, f"{counted(left, 'change set')} still to be decided"]))
    if done["refused"]:
        raise click.exceptions.Exit(REFUSED)


def _ask(seen: ChangeView) -> str:
    """a, r, s or q; d shows the difference and asks again."""
    choices = {"a": "approve", "r": "reject", "d": "difference", "s": "skip", "q": "quit"}
    if not seen.is_passed:
        del choices["a"]  # the verdicts above say why
    words = ", ".join(f"[{key}] {word}" for key, word in choices.items())
    while True:
        answer: str = click.prompt(f"{seen.entry.router} {seen.entry.day}: {words}", prompt_suffix="? ",
                                   type=click.Choice(list(choices)), show_choices=False)  # fmt: skip
        if answer != "d":
            return answer
        click.echo_via_pager(output.safe(f"{seen.difference}\n"))


def _decide(context: Context, seen: ChangeView, answer: str, who: str) -> str:
    """What became of it: approved, rejected, refused or skipped."""
    from pipeline.decide import decide

    if answer == "s":
        return "skipped"
    state = _VERDICTS[answer]
    router, entry = context.settings.router(seen.entry.router), seen.entry
    note = click.prompt("note, for those who read it later (may be empty)", default="", show_default=False,
                        type=FREE_TEXT) or None  # fmt: skip
    decision = decide(context, router, entry.day, entry.candidate_hash, state, who, note, clock.now_ms())
    output.line(decision.explanation)
    return (
        state if decision.outcome == "decided" else "waiting" if decision.outcome == "waits_for_second" else "refused"
    )
