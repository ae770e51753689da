"""The commands of the morning: what waits, what it would change, yes or no."""

import getpass
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Literal

import click

from console import output
from console.options import DAY, chosen, json_option, router_option, routers_option, with_context
from pipeline.context import Context
from pipeline.decide import change_text, decide_change, find_change, gate_text
from pipeline.errors import REFUSED
from sql import change_sets as change_table
from sql.session import reading
from sql.verdicts import objections

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
        click.option("--note", default=None, help="Why, for those who come after."),
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
    names = [router.name for router in chosen(context, router_names)]
    with reading(context.database) as session:
        found = [entry for entry in change_table.change_sets(session) if entry.router in names]
        found = [entry for entry in found if every or entry.state == "pending"]
        refused = {entry: bool(objections(session, entry.router, entry.candidate_hash)) for entry in found}
    if as_json:
        output.as_json(found)
        return
    output.table(
        ("router", "day", "state", "candidate", "come", "go", "stay", "data", "gate", "expires (UTC)", "what"),
        [
            (e.router, e.day, e.state, e.candidate_hash[:12], e.pairs_added, e.pairs_removed, e.pairs_kept,
             "complete" if e.data_complete else "INCOMPLETE", "not passed" if refused[e] else "passed",
             _moment(e.expires_ms), e.summary)
            for e in found
        ],
    )  # fmt: skip


@click.command()
@router_option
@_latest_day
@click.option("--diff/--no-diff", default=True, help="With or without the difference of the two configurations.")
@with_context
def show(context: Context, router_name: str, day: date | None, diff: bool) -> None:
    """Shows one change set: the pairs that come and go with their reasons, what the gate says of it, and the
    difference in configuration."""
    (router,) = chosen(context, [router_name])
    entry = find_change(context, router, day)
    told, difference = change_text(context, router, entry)
    output.line(told)
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
    (router,) = chosen(context, [router_name])
    entry = find_change(context, router, day)
    if len(candidate_hash) >= 12 and entry.candidate_hash.startswith(candidate_hash):
        candidate_hash = entry.candidate_hash
    now_ms = time.time_ns() // 1_000_000
    who = who or getpass.getuser()
    decision = decide_change(context, router, entry.day, candidate_hash, state, who, note, now_ms)
    output.line(decision.explanation)
    if decision.outcome != "decided":
        raise click.exceptions.Exit(REFUSED)


def _moment(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
