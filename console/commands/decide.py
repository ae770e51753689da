"""The commands of the stage decide: what waits, what it would change, yes or no."""

from __future__ import annotations

import getpass
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Literal

import click

from console import output, stage_output
from console.options import DAY, json_option, router_option, routers_option, with_context

if TYPE_CHECKING:
    from pipeline.context import Context

_Command = Callable[..., None]
_latest_day = click.option("--day", type=DAY, default=None, help="Day of the change set. Default: the latest.")


def _decision_options(command: _Command) -> _Command:
    """What an approval and a rejection both need to know."""
    options = (
        router_option,
        _latest_day,
        click.option(
            "--hash", "candidate_hash", required=True, help="The candidate's hash, its first 12 digits or more."
        ),
        click.option("--who", default=None, help="Who decides. Default: the user of this machine."),
        click.option("--note", default=None, help="Why, for those who read it later."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@routers_option
@click.option("--all", "every", is_flag=True, help="Also those that are decided, superseded or empty.")
@json_option
@with_context
def changes(context: Context, router_names: tuple[str, ...], every: bool, as_json: bool) -> None:
    """Lists the change sets that wait for a decision."""
    from pipeline.changes import listed_changes

    found = listed_changes(context, context.chosen(router_names), only_pending=not every)
    if as_json:
        output.as_json([listed.change_set for listed in found])
        return
    output.table(
        ("router", "day", "state", "candidate", "added", "removed", "kept", "data", "gate", "expires (UTC)", "what"),
        [
            (e.router, e.day, e.state, e.candidate_hash[:12], e.pairs_added, e.pairs_removed, e.pairs_kept,
             "complete" if e.data_complete else "INCOMPLETE", "passed" if is_passed else "not passed",
             _moment(e.expires_ms), e.summary)
            for e, is_passed in ((listed.change_set, listed.is_passed) for listed in found)
        ],
    )  # fmt: skip


@click.command()
@router_option
@_latest_day
@click.option("--diff/--no-diff", default=True, help="With or without the difference of the two configurations.")
@with_context
def show(context: Context, router_name: str, day: date | None, diff: bool) -> None:
    """Shows one change set: its pairs, the gate's verdict, the difference.

    The pairs added and removed come with their reasons, the verdict with one line per measure, the difference is that
    of the configuration texts.
    """
    from pipeline.change_text import change_text, gate_text
    from pipeline.changes import find_change

    (router,) = context.chosen([router_name])
    entry = find_change(context, router, day)
    summary, difference = change_text(context, router, entry)
    output.line(summary)
    output.line(f"state: {entry.state}, candidate {entry.candidate_hash}, expires {_moment(entry.expires_ms)} UTC")
    _, verdicts = gate_text(context, entry)
    if verdicts:
        output.line(verdicts)
    if diff:
        output.line()
        output.line(difference)


@click.command()
@_decision_options
@with_context
def approve(
    context: Context, router_name: str, day: date | None, candidate_hash: str, who: str | None, note: str | None
) -> None:
    """Approves exactly the candidate of that hash, if the gate has passed it.

    Exit status 4: too late, another candidate, decided already, or not passed.
    """
    _decide(context, router_name, day, candidate_hash, "approved", who, note)


@click.command()
@_decision_options
@with_context
def reject(
    context: Context, router_name: str, day: date | None, candidate_hash: str, who: str | None, note: str | None
) -> None:
    """Rejects the candidate of that hash: what is in force stays."""
    _decide(context, router_name, day, candidate_hash, "rejected", who, note)


def _decide(
    context: Context, router_name: str, day: date | None, candidate_hash: str,
    state: Literal["approved", "rejected"], who: str | None, note: str | None,
) -> None:  # fmt: skip
    from pipeline.changes import find_change
    from pipeline.decide import decide
    from pipeline.errors import REFUSED

    (router,) = context.chosen([router_name])
    entry = find_change(context, router, day)
    if len(candidate_hash) >= 12 and entry.candidate_hash.startswith(candidate_hash):
        candidate_hash = entry.candidate_hash
    now_ms = time.time_ns() // 1_000_000
    decision = decide(context, router, entry.day, candidate_hash, state, who or getpass.getuser(), note, now_ms)
    stage_output.heading("decide")
    output.line(decision.explanation)
    if decision.outcome != "decided":
        raise click.exceptions.Exit(REFUSED)


def _moment(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
