"""The commands that decide changes: approve, reject, acknowledge, defer, reopen, withdraw."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Literal

import click

from hntes import clock
from hntes.cli import completion, output, stage_output
from hntes.cli.change_options import digits_of, latest_day
from hntes.cli.options import (
    DAY,
    FREE_TEXT,
    json_option,
    one_router_option,
    router_option,
    with_context,
)
from hntes.format import counted

if TYPE_CHECKING:
    from hntes.workflow.context import Context
    from hntes.workflow.review.approve_passed import SkippedChange
    from hntes.workflow.review.decide import Decision, Person

_Command = Callable[..., None]


def _decision_options(*, is_one: bool) -> Callable[[_Command], _Command]:
    """The options of approval and rejection; `is_one`: a rejection, which needs a hash and a reason."""
    options = (
        one_router_option("The router. Default: that of the hash."),
        click.option(
            "--day",
            type=DAY,
            default=None,
            help="Day of the change. Default: that of the hash.",
            shell_complete=completion.waiting_days,
        ),
        click.option(
            "--hash",
            "candidate_hash",
            required=is_one,
            help="The candidate's hash, its first 6 digits or more.",
            shell_complete=completion.hashes,
        ),
        click.option("--who", type=FREE_TEXT, default=None, help="Who decides. Default: the user of this machine."),
        click.option("--note", type=FREE_TEXT, required=is_one, help="Reason, for the audit log."),
        json_option,
    )

    def with_options(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


@click.command()
@_decision_options(is_one=False)
@click.option("--all-passed", "all_passed", is_flag=True, help="All that passed the gate and need nothing else.")
@click.option("--yes", "is_sure", is_flag=True, help="With --all-passed: no confirmation prompt.")
@with_context
def approve(
    context: Context, router_name: str | None, day: date | None, candidate_hash: str | None, who: str | None,
    note: str | None, all_passed: bool, is_sure: bool, as_json: bool,
) -> None:  # fmt: skip
    """Approves the candidate with this hash, if it passed the gate.

    Exit status 4: too late, another candidate, already decided, not passed, or held for its many new pairs.

    --all-passed lists the pending changes that passed, of one --router or all, asks for confirmation, and approves each
    one separately. Changes that need more are skipped by name: a first configuration, an incomplete day, one after a
    rejection, held ones, those that need a second approver. Exit status 4: an approval was refused, or a pending change
    was skipped.
    """
    from hntes.workflow.errors import REFUSED
    from hntes.workflow.review.decide import Person

    if all_passed:
        if candidate_hash is not None or day is not None:
            raise click.UsageError("--all-passed cannot be combined with --hash or --day")
        if as_json and not is_sure:
            raise click.UsageError("--all-passed --json needs --yes: it cannot ask")
        done, dropped = _approve_all(
            context, [router_name] if router_name else [], Person(who or getpass.getuser(), note), is_sure, as_json
        )
        if as_json:
            output.as_json({"approved": [decision.change for decision in done], "left": dropped})
        if dropped:
            raise click.exceptions.Exit(REFUSED)
        return
    if is_sure:
        raise click.UsageError("--yes requires --all-passed")
    if candidate_hash is None:
        raise click.UsageError("give --hash, or --all-passed")
    _decide(context, router_name, day, candidate_hash, "approved", Person(who or getpass.getuser(), note), as_json)


def _approve_all(
    context: Context, names: list[str], by: Person, is_sure: bool, is_quiet: bool
) -> tuple[Sequence[Decision], Sequence[SkippedChange]]:
    """Lists the changes, asks for confirmation, and approves those listed; returns them and those left."""
    from hntes.rules.changeset.wording import in_one_line
    from hntes.workflow.review.approve_passed import Approvals, approve_all_passed, bulk_approval

    found = bulk_approval(context, context.chosen(names))
    if not is_quiet:
        output.table(
            ("router", "day", "candidate", "what"),
            [
                (e.change.router, e.change.day, e.change.candidate_hash[:12], in_one_line(e.change, e.effect))
                for e in found.ready
            ],
            empty="no pending change can be approved without further checks",
        )
        for left in found.dropped:
            output.line(f"skipped: {left.router} {left.day}: {left.reason}")
    done = Approvals((), ())
    if found.ready and (is_sure or click.confirm(f"approve {counted(len(found.ready), 'change')}?")):
        done = approve_all_passed(context, found.requests, by, clock.now_ms())
    if not is_quiet:
        stage_output.heading("decide")
        for decision in done.approved:
            output.line(decision.explanation)
        for left in done.dropped:
            output.line(f"dropped: {left.router} {left.day}: {left.reason}")
    return done.approved, (*found.dropped, *done.dropped)


@click.command()
@_decision_options(is_one=True)
@with_context
def reject(
    context: Context, router_name: str | None, day: date | None, candidate_hash: str, who: str | None,
    note: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Rejects the candidate with this hash.

    `hntes change reopen` takes it back until the next night. Exit status 4: too late, another candidate, or already
    decided.
    """
    from hntes.workflow.review.decide import Person

    _decide(context, router_name, day, candidate_hash, "rejected", Person(who or getpass.getuser(), note), as_json)


@click.command()
@router_option
@click.option("--day", type=DAY, required=True, help="Day of the change.")
@click.option("--new-pairs", type=click.IntRange(min=0), required=True, help="Its number of new pairs.")
@click.option("--who", type=FREE_TEXT, default=None, help="Who checked them. Default: the user of this machine.")
@click.option("--note", type=FREE_TEXT, default=None, help="Their origin, for the audit log.")
@json_option
@with_context
def acknowledge(
    context: Context, router_name: str, day: date, new_pairs: int, who: str | None, note: str | None, as_json: bool
) -> None:
    """Acknowledges the number of new pairs of a held change.

    More new pairs in a night than review.new_pairs_limit may mean a change in the network, or forged flow records.
    The change cannot be approved until an operator enters the exact number.
    """
    from hntes.workflow.review.decide import Person, acknowledge_new_pairs

    (router,) = context.chosen([router_name])
    entry = acknowledge_new_pairs(context, router, day, new_pairs, Person(who or getpass.getuser(), note))
    if as_json:
        output.as_json(entry)
        return
    output.line(
        f"{entry.router} {entry.day}: {new_pairs} new pairs acknowledged; approve or reject candidate "
        f"{entry.candidate_hash[:12]} now"
    )


@click.command()
@router_option
@latest_day
@click.option("--until", type=DAY, required=True, help="Day (UTC) on which it is due again.")
@click.option("--reason", type=FREE_TEXT, required=True, help="Reason, for the audit log.")
@click.option("--who", type=FREE_TEXT, default=None, help="Who defers it. Default: the user of this machine.")
@json_option
@with_context
def defer(
    context: Context, router_name: str, day: date | None, until: date, reason: str, who: str | None, as_json: bool
) -> None:
    """Defers a change until a day.

    `hntes change list` shows it as held. A later night's change with the same candidate is also held; one with
    another candidate is not. It can still be approved or rejected by its hash, and expires like any other. `--until
    today` ends the hold.
    """
    from hntes.workflow.change_lookup import find_change
    from hntes.workflow.review.decide import Person, hold_change

    (router,) = context.chosen([router_name])
    wanted = find_change(context, router, day)
    entry = hold_change(context, router, wanted.day, until, Person(who or getpass.getuser(), reason))
    if as_json:
        output.as_json({"change": entry, "held_until": until if until > clock.today() else None})
        return
    ends = "is no longer held" if until <= clock.today() else f"is held until {until}"
    output.line(f"{entry.router} {entry.day}: candidate {entry.candidate_hash[:12]} {ends}")


@click.command()
@router_option
@latest_day
@click.option("--reason", type=FREE_TEXT, required=True, help="Reason, for the audit log.")
@click.option("--who", type=FREE_TEXT, default=None, help="Who takes it back. Default: the user of this machine.")
@json_option
@with_context
def reopen(
    context: Context, router_name: str, day: date | None, reason: str, who: str | None, as_json: bool
) -> None:  # fmt: skip
    """Takes back a rejection or a deferral: the change waits for a decision again.

    A rejection can be taken back until the night of a later day has proposed a change, and before it expires. An
    approval cannot: it may have been delivered already. Reject the next change, or remove HNTES from the router.
    """
    from hntes.workflow.change_lookup import find_change
    from hntes.workflow.review.decide import Person, reopen_change

    (router,) = context.chosen([router_name])
    wanted = find_change(context, router, day)
    entry = reopen_change(context, router, wanted.day, Person(who or getpass.getuser(), reason))
    if as_json:
        output.as_json(entry)
        return
    output.line(f"{entry.router} {entry.day}: candidate {entry.candidate_hash[:12]} waits for a decision again")


@click.command()
@router_option
@click.option("--day", type=DAY, required=True, help="Day of the change.")
@click.option("--reason", type=FREE_TEXT, required=True, help="Reason, for the audit log.")
@click.option("--who", type=FREE_TEXT, default=None, help="Who withdraws it. Default: the user of this machine.")
@json_option
@with_context
def withdraw(context: Context, router_name: str, day: date, reason: str, who: str | None, as_json: bool) -> None:
    """Withdraws a change that waits for a decision.

    It can no longer be approved, and supersedes no other: rerun an earlier day to have its change pending again.
    Exit status 4: it is not pending.
    """
    from hntes.workflow.errors import REFUSED
    from hntes.workflow.review.decide import Person, withdraw_change

    (router,) = context.chosen([router_name])
    decision = withdraw_change(context, router, day, Person(who or getpass.getuser(), reason))
    if as_json:
        output.as_json(decision)
    else:
        output.line(decision.explanation)
    if decision.outcome != "decided":
        raise click.exceptions.Exit(REFUSED)


def _decide(
    context: Context, router_name: str | None, day: date | None, candidate_hash: str,
    state: Literal["approved", "rejected"], by: Person, as_json: bool,
) -> None:  # fmt: skip
    from hntes.workflow.change_lookup import find_candidate, find_change
    from hntes.workflow.errors import REFUSED, CommandError
    from hntes.workflow.review.decide import Request, decide

    candidate_hash = digits_of(candidate_hash)
    found = find_candidate(context, context.chosen([router_name] if router_name else []), candidate_hash, day)
    if found is None and router_name is None:
        raise CommandError(f"no change has a candidate {candidate_hash}; `hntes change list --all` lists them")
    # The candidate of a named router may have changed since the operator looked at it.
    entry = found or find_change(context, context.settings.router(str(router_name)), day)
    if entry.candidate_hash.startswith(candidate_hash):
        candidate_hash = entry.candidate_hash
    request = Request(entry.change_id, candidate_hash, state)
    router = context.settings.router(entry.router)
    decision = decide(context, router, request, by, clock.now_ms())
    _print_decision(decision, as_json)
    if not decision.is_taken:
        raise click.exceptions.Exit(REFUSED)


def _print_decision(decision: Decision, as_json: bool) -> None:
    if as_json:
        output.as_json(decision)
    else:
        stage_output.heading("decide")
        output.line(decision.explanation)
