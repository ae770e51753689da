"""The commands of the morning: what waits, what it would change, yes or no."""

import getpass
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Literal

import click

from console import say
from console.options import DAY, chosen, json_option, router_option, routers_option, with_context
from nightly.context import Context
from nightly.errors import REFUSED, CommandError
from nightly.folders import router_folder
from rules.diff import diff_text
from rules.gate.report import WORDS, value_words
from rules.store import load
from sql import changes as change_table
from sql.entries import ChangeSetEntry
from sql.session import reading, transaction
from sql.verdicts import objections, verdicts

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
    if as_json:
        say.as_json(found)
        return
    say.table(
        ("router", "day", "state", "candidate", "come", "go", "stay", "data", "expires (UTC)", "what"),
        [
            (e.router, e.day, e.state, e.candidate_hash[:12], e.pairs_added, e.pairs_removed, e.pairs_kept,
             "complete" if e.data_complete else "INCOMPLETE", _moment(e.expires_ms), e.summary)
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
    entry = _find(context, router_name, day)
    candidate = load(router_folder(context, router), entry.candidate_hash)
    base = load(router_folder(context, router), entry.base_hash) if entry.base_hash else None
    path = router_folder(context, router) / entry.day.isoformat() / "summary.txt"
    if entry.state in ("pending", "empty") and path.exists():
        say.line(path.read_text(encoding="utf-8").rstrip())
    else:
        say.line(f"{entry.router}, flows of {entry.day}: {entry.summary}")
    say.line(f"state: {entry.state}, candidate {entry.candidate_hash}, expires {_moment(entry.expires_ms)} UTC")
    _print_verdicts(context, entry)
    if diff:
        say.line()
        say.line(diff_text(base.text if base else "", candidate.text).rstrip())


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
    entry = _find(context, router.name, day)
    if len(candidate_hash) >= 12 and entry.candidate_hash.startswith(candidate_hash):
        candidate_hash = entry.candidate_hash
    if state == "approved":
        load(router_folder(context, router), entry.candidate_hash)  # what is approved must be what is on disk
    now_ms = time.time_ns() // 1_000_000
    with transaction(context.database) as session:
        decision = change_table.decide(
            session, router.name, entry.day, candidate_hash, state, who or getpass.getuser(), note, now_ms
        )
    say.line(decision.explanation)
    if decision.outcome != "decided":
        raise click.exceptions.Exit(REFUSED)


def _print_verdicts(context: Context, entry: ChangeSetEntry) -> None:
    with reading(context.database) as session:
        found = verdicts(session, entry.router, entry.candidate_hash)
        reasons = objections(session, entry.router, entry.candidate_hash)
    if entry.state == "empty" and not found:
        return
    say.line(f"gate: {'not passed' if reasons else 'passed'}")
    for each in found:
        limit = f" (limit {value_words(each.limit_value, each.unit)})" if each.limit_value is not None else ""
        say.line(f"  {each.criterion} {WORDS[each.outcome]}{limit}: {each.sentence}")
    if not found:
        say.line(f"  {reasons[0]}")


def _find(context: Context, router: str, day: date | None) -> ChangeSetEntry:
    with reading(context.database) as session:
        found = [entry for entry in change_table.change_sets(session, router) if day in (None, entry.day)]
    if not found:
        raise CommandError(f"router {router} has no change set{f' of {day}' if day else ''}; run `hntes nightly` first")
    return found[-1]


def _moment(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
