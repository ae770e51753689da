"""The commands of the stage decide: what waits, what it would change, yes or no."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from datetime import date
from string import hexdigits
from typing import TYPE_CHECKING, Literal

import click

from hntes import clock
from hntes.cli import change_view, completion, output, stage_output
from hntes.cli.options import (
    DAY,
    FREE_TEXT,
    json_option,
    one_router_option,
    router_option,
    routers_option,
    with_context,
)
from hntes.format import counted

if TYPE_CHECKING:
    from hntes.workflow.context import Context

_Command = Callable[..., None]
_any_router = one_router_option()
# Of one change set there is one candidate: so few digits are to show that somebody has looked at it.
LEAST_DIGITS = 6
_latest_day = click.option(
    "--day",
    type=DAY,
    default=None,
    help="Day of the change set. Default: the latest.",
    shell_complete=completion.waiting_days,
)


def _decision_options(*, is_one: bool) -> Callable[[_Command], _Command]:
    """What an approval and a rejection both need to know; `is_one`: router and hash must be given."""
    options = (
        router_option if is_one else _any_router,
        _latest_day,
        click.option(
            "--hash",
            "candidate_hash",
            required=is_one,
            help="The candidate's hash, its first 6 digits or more.",
            shell_complete=completion.hashes,
        ),
        click.option("--who", type=FREE_TEXT, default=None, help="Who decides. Default: the user of this machine."),
        click.option("--note", type=FREE_TEXT, default=None, help="Why, for those who read it later."),
    )

    def with_options(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


@click.command()
@routers_option
@click.option("--all", "every", is_flag=True, help="Also those that are decided, superseded or empty.")
@click.option("--days", type=click.IntRange(1), default=None,
              help="Only of the last so many days that have change sets. Default: all.")  # fmt: skip
@json_option
@with_context
def changes(context: Context, router_names: tuple[str, ...], every: bool, days: int | None, as_json: bool) -> None:
    """Lists the changes that wait for a decision.

    Below them stands, for each router whose approved text is not known to run on it, what was approved, what delivered
    and what confirmed; see `hntes router loaded`.
    """
    from hntes.rules.changeset.wording import in_one_line
    from hntes.workflow.review.changes import listed_changes
    from hntes.workflow.review.status import router_story
    from hntes.workflow.review.status_words import progress

    routers = context.chosen(router_names)
    found = listed_changes(context, routers, only_pending=not every, days=days)
    if as_json:
        output.as_json([change_view.document(listed) for listed in found])
        return
    output.table(
        ("router", "day", "state", "candidate", "data", "gate", "what"),
        [
            (e.router, e.day, listed.standing, e.candidate_hash[:12], "complete" if e.data_complete else "INCOMPLETE",
             listed.gate, "; ".join(filter(None, (in_one_line(e, listed.effect), progress(listed)))))
            for e, listed in ((listed.change, listed) for listed in found)
        ],
        empty="no change set" if every else "no change set waits for a decision; --all lists the others too",
    )  # fmt: skip
    for router in routers:
        story = router_story(context, router)
        if not story.is_confirmed:
            for text in story.lines:
                output.line(text)


@click.command()
@router_option
@_latest_day
@click.option("--diff/--no-diff", default=True, help="With or without the difference of the two configurations.")
@click.option("--transition", "with_transition", is_flag=True,
              help="Also the commands that lead there from what was delivered last.")  # fmt: skip
@json_option
@with_context
def show(
    context: Context, router_name: str, day: date | None, diff: bool, with_transition: bool, as_json: bool
) -> None:
    """Shows one change: its pairs, the verdict of the gate, the diff.

    The pairs added and removed come with their reasons, the verdict with one line per measure, the difference is that
    of the configuration texts. Below a change that waits stand the commands that decide it. On a terminal the
    difference is coloured (not with NO_COLOR set), and what is longer than the terminal goes through $PAGER.
    """
    from hntes.workflow.change_lookup import find_change
    from hntes.workflow.review.view import review_view
    from hntes.workflow.transitions import transition_to

    (router,) = context.chosen([router_name])
    seen = review_view(context, router, find_change(context, router, day))
    leading = transition_to(context, router, seen.change).text if with_transition else ""
    if as_json:
        output.as_json(
            change_view.full_document(seen, diff=diff) | ({"transition": leading} if with_transition else {})
        )
        return
    parts = [output.safe(change_view.text(seen))]
    if diff:
        parts.append(output.difference(seen.difference))
    if with_transition:
        parts.append(output.safe(leading.rstrip()))
    output.paged("\n\n".join(parts))
    if seen.change.state == "pending":
        output.line(f"\n{change_view.next_commands(seen)}")


@click.command()
@_decision_options(is_one=False)
@click.option("--all-passed", "all_passed", is_flag=True, help="All that the gate has passed and that need no more.")
@click.option("--yes", "is_sure", is_flag=True, help="With --all-passed: do not ask.")
@with_context
def approve(
    context: Context, router_name: str | None, day: date | None, candidate_hash: str | None, who: str | None,
    note: str | None, all_passed: bool, is_sure: bool,
) -> None:  # fmt: skip
    """Approves exactly the candidate with this hash, if the gate has passed it.

    Exit status 4: too late, another candidate, decided already, not passed, or held for its many new pairs.

    --all-passed lists what waits and was passed, of one --router or all, asks, and approves each as if it were alone.
    What needs more than a yes is left out by name: a first configuration, what is held, what a second person must
    approve. Exit status 4: something that was to be approved was refused, or something that waits was left out.
    """
    if all_passed:
        if candidate_hash is not None or day is not None:
            raise click.UsageError("--all-passed goes with neither --hash nor --day")
        _approve_all(context, [router_name] if router_name else [], who or getpass.getuser(), note, is_sure)
        return
    if is_sure:
        raise click.UsageError("--yes goes with --all-passed")
    if router_name is None or candidate_hash is None:
        raise click.UsageError("name what to approve by --router and --hash, or give --all-passed")
    _decide(context, router_name, day, candidate_hash, "approved", who, note)


def _approve_all(context: Context, names: list[str], who: str, note: str | None, is_sure: bool) -> None:
    """Shows what would be approved, asks, and approves what was shown."""
    from hntes.rules.changeset.wording import in_one_line
    from hntes.workflow.errors import REFUSED
    from hntes.workflow.review.approve_passed import Approvals, alike_changes, approve_all_passed
    from hntes.workflow.review.decide import Person

    found = alike_changes(context, context.chosen(names))
    output.table(
        ("router", "day", "candidate", "what"),
        [
            (e.change.router, e.change.day, e.change.candidate_hash[:12], in_one_line(e.change, e.effect))
            for e in found.ready
        ],
        empty="no change set that waits can be approved by a plain yes",
    )  # fmt: skip
    for left in found.dropped:
        output.line(f"left out: {left.router} {left.day}: {left.reason}")
    done = Approvals((), ())
    if found.ready and (is_sure or click.confirm(f"approve {counted(len(found.ready), 'change set')}?")):
        done = approve_all_passed(context, found.wanted, Person(who, note), clock.now_ms())
    stage_output.heading("decide")
    for decision in done.approved:
        output.line(decision.explanation)
    for left in done.dropped:
        output.line(f"dropped out: {left.router} {left.day}: {left.reason}")
    if found.dropped or done.dropped:
        raise click.exceptions.Exit(REFUSED)


@click.command()
@_decision_options(is_one=True)
@with_context
def reject(
    context: Context, router_name: str, day: date | None, candidate_hash: str, who: str | None, note: str | None
) -> None:
    """Rejects the candidate with this hash."""
    _decide(context, router_name, day, candidate_hash, "rejected", who, note)


@click.command()
@router_option
@click.option("--day", type=DAY, required=True, help="Day of the change set.")
@click.option("--new-pairs", type=click.IntRange(min=0), required=True, help="How many new pairs it has.")
@click.option("--who", type=FREE_TEXT, default=None, help="Who has looked at them. Default: the user of this machine.")
@click.option("--note", type=FREE_TEXT, default=None, help="Where they come from, for those who read it later.")
@with_context
def acknowledge(
    context: Context, router_name: str, day: date, new_pairs: int, who: str | None, note: str | None
) -> None:
    """Acknowledges the number of new pairs of a change that is held for it.

    A night with more new pairs than review.new_pairs_limit may be a change in the network, or forged flow records. It
    cannot be approved before a person gives the exact number.
    """
    from hntes.workflow.review.decide import Person, acknowledge_new_pairs

    (router,) = context.chosen([router_name])
    entry = acknowledge_new_pairs(context, router, day, new_pairs, Person(who or getpass.getuser(), note))
    output.line(
        f"{entry.router} {entry.day}: {new_pairs} new pairs acknowledged; approve or reject candidate "
        f"{entry.candidate_hash[:12]} now"
    )


@click.command()
@router_option
@_latest_day
@click.option("--until", type=DAY, required=True, help="Day (UTC) on which it is asked about again.")
@click.option("--reason", type=FREE_TEXT, required=True, help="Why, for those who read it later.")
@click.option("--who", type=FREE_TEXT, default=None, help="Who holds it. Default: the user of this machine.")
@with_context
def defer(context: Context, router_name: str, day: date | None, until: date, reason: str, who: str | None) -> None:
    """Defers a change until a day.

    `hntes change list` shows it as held. A later night's change set with the same candidate is held, too; one with
    another candidate is new and is not. It can still be approved or rejected by its hash, and expires as any other
    does. With `--until today` the hold ends.
    """
    from hntes.workflow.change_lookup import find_change
    from hntes.workflow.review.decide import Person, hold_change

    (router,) = context.chosen([router_name])
    wanted = find_change(context, router, day)
    entry = hold_change(context, router, wanted.day, until, Person(who or getpass.getuser(), reason))
    ends = "is no longer held" if until <= clock.today() else f"is held until {until}"
    output.line(f"{entry.router} {entry.day}: candidate {entry.candidate_hash[:12]} {ends}")


@click.command()
@router_option
@click.option("--day", type=DAY, required=True, help="Day of the change set.")
@click.option("--reason", type=FREE_TEXT, required=True, help="Why, for those who read it later.")
@click.option("--who", type=FREE_TEXT, default=None, help="Who takes it back. Default: the user of this machine.")
@with_context
def withdraw(context: Context, router_name: str, day: date, reason: str, who: str | None) -> None:
    """Withdraws a change that waits for a decision.

    It can no longer be approved, and supersedes no other: run an earlier day again to have its change set wait. Exit
    status 4: it does not wait.
    """
    from hntes.workflow.errors import REFUSED
    from hntes.workflow.review.decide import Person, withdraw_change

    (router,) = context.chosen([router_name])
    decision = withdraw_change(context, router, day, Person(who or getpass.getuser(), reason))
    output.line(decision.explanation)
    if decision.outcome != "decided":
        raise click.exceptions.Exit(REFUSED)


def _decide(
    context: Context, router_name: str, day: date | None, candidate_hash: str,
    state: Literal["approved", "rejected"], who: str | None, note: str | None,
) -> None:  # fmt: skip
    from hntes.workflow.change_lookup import find_change
    from hntes.workflow.errors import REFUSED
    from hntes.workflow.review.decide import Person, Request, decide

    (router,) = context.chosen([router_name])
    entry = find_change(context, router, day)
    candidate_hash = _digits(candidate_hash)
    if entry.candidate_hash.startswith(candidate_hash):
        candidate_hash = entry.candidate_hash
    request = Request(entry.change_id, candidate_hash, state)
    decision = decide(context, router, request, Person(who or getpass.getuser(), note), clock.now_ms())
    stage_output.heading("decide")
    output.line(decision.explanation)
    if not decision.is_taken:
        raise click.exceptions.Exit(REFUSED)


def _digits(text: str) -> str:
    """A hash or its first digits, as they are stored."""
    if len(text) < LEAST_DIGITS:
        raise click.UsageError(f"--hash {text}: too short; give {LEAST_DIGITS} digits or more")
    if not set(text.lower()) <= set(hexdigits):
        raise click.UsageError(
            f"--hash {text}: not a hash, which consists of the digits 0 to 9 and a to f; see `hntes change list`"
        )
    return text.lower()
