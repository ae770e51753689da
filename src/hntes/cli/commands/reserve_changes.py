"""The commands of `hntes reserve` on scheduled changes: configuration due where reservations start or end."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from hntes import clock
from hntes.cli import change_view, output
from hntes.cli.options import DAY, FREE_TEXT, json_option, router_option, routers_option, with_context
from hntes.cli.reserve_options import MOMENT
from hntes.format import rfc3339

if TYPE_CHECKING:
    from datetime import date

    from hntes.settings.model import Router
    from hntes.sql.change import Change
    from hntes.sql.decisions import Verdict
    from hntes.workflow.context import Context

_hash = click.option(
    "--hash", "digits", metavar="HASH", default=None, help="Hash of the configuration, 6 digits or more."
)
_day = click.option("--day", type=DAY, default=None, help="Instead of --hash: all that start on that day (UTC).")
_who = click.option("--who", type=FREE_TEXT, default=None, help="Who decides. Default: the user of this machine.")
_note = click.option("--note", type=FREE_TEXT, default=None, help="Reason, for the audit log.")


@click.command("propose")
@routers_option
@click.option("--until", "until_s", type=MOMENT, default=None,
              help="Changes up to this time. Default: reservations.propose_hours.")  # fmt: skip
@json_option
@with_context
def propose(context: Context, router_names: tuple[str, ...], until_s: int | None, as_json: bool) -> None:
    """Proposes and judges the scheduled changes; approves those within quotas.

    Changes that a cancellation makes obsolete are superseded. Repeating it changes nothing. Nothing is sent to routers.
    One router's failure does not hold up the others. Exit status 3: a router failed, a configuration cannot be
    rendered, or did not pass the gate.
    """
    from hntes.workflow.delivery.scheduled_words import prepared_lines
    from hntes.workflow.errors import FINISHED_WITH_PROBLEMS, expected, message
    from hntes.workflow.stages.prepare_scheduled import PreparedChanges, prepare_scheduled

    found: dict[str, PreparedChanges] = {}
    failed: dict[str, str] = {}
    for router in context.chosen(router_names):
        try:
            found[router.name] = prepare_scheduled(context, router, until_s)
        except expected() as problem:
            failed[router.name] = message(problem)
    if as_json:
        output.as_json({name: each.proposed for name, each in found.items()})
    else:
        for name, each in found.items():
            for line in prepared_lines(name, each):
                output.line(line)
    for name, words in failed.items():
        output.note(f"{name} FAILED: {words}")
    if failed or any(each.has_problems for each in found.values()):
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


@click.command("changes")
@routers_option
@click.option("--all", "with_past", is_flag=True, help="Include past, rejected and superseded ones.")
@json_option
@with_context
def changes(context: Context, router_names: tuple[str, ...], with_past: bool, as_json: bool) -> None:
    """Lists the scheduled changes per router with start time and approver."""
    from hntes.rules.changeset.wording import reserved_words
    from hntes.workflow.reservations.scheduled_changes import reserved_in, scheduled_changes_of

    found = [
        each for r in context.chosen(router_names) for each in scheduled_changes_of(context, r, with_past=with_past)
    ]
    reserved = reserved_in(context, found)
    if as_json:
        output.as_json([asdict(each) | {"reserved": reserved[each.change_id]} for each in found])
        return
    output.table(
        ("router", "from", "until", "text", "on", "state", "by", "reservations"),
        [(e.router, _at(e.effective_s), _at(e.until_s), e.candidate_hash[:12],
          f"{(e.base_hash or '')[:12]} of {e.day}", e.state, e.decided_by or "",
          reserved_words(reserved[e.change_id])) for e in found],
        empty="no scheduled changes; `hntes reserve propose` looks for new ones",
    )  # fmt: skip


@click.command("text")
@router_option
@_hash
@json_option
@with_context
def text(context: Context, router_name: str, digits: str | None, as_json: bool) -> None:
    """Shows a pending scheduled change: the gate's verdict, and the diff from its base."""
    from hntes.workflow.review.view import review_view

    (router,) = context.chosen([router_name])
    for entry in _chosen(context, router, digits, None)[:1]:
        seen = review_view(context, router, entry)
        if as_json:
            output.as_json(change_view.full_document(seen, diff=True))
            return
        output.line(change_view.text(seen))
        output.verbatim(f"{seen.difference}\n")


@click.command("approve")
@router_option
@_hash
@_day
@_who
@_note
@json_option
@with_context
def approve(
    context: Context, router_name: str, digits: str | None, day: date | None, who: str | None, note: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Approves a scheduled change by its hash, or all of a router that start on a day.

    Each approval is bound to the configuration, its start time and its base. Exit status 4: one was refused.
    """
    _decide(context, router_name, digits, day, "approved", who, note, as_json=as_json)


@click.command("reject")
@router_option
@_hash
@_day
@_who
@_note
@json_option
@with_context
def reject(
    context: Context, router_name: str, digits: str | None, day: date | None, who: str | None, note: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Rejects a scheduled change: the router keeps its configuration."""
    _decide(context, router_name, digits, day, "rejected", who, note, as_json=as_json)


@click.command("deliver")
@routers_option
@click.option("--commit", is_flag=True, help="Commit on the routers; without it, only show the change.")
@json_option
@with_context
def deliver(context: Context, router_names: tuple[str, ...], commit: bool, as_json: bool) -> None:
    """Delivers the scheduled changes that are due; rules stay unchanged.

    A change is delivered to a router that runs the configuration it is based on. Call it often, such as every minute:
    it connects only to routers with something due. The start of a reservation is due `lead_s` earlier. For a router
    that HNTES does not reach, the configuration goes to output/ROUTER/approved. With --commit, owners are notified by
    webhook. Exit status 3: a delivery failed, a reservation is late or there after its end, or a webhook failed.
    """
    from hntes.workflow.delivery.scheduled_delivery import run_scheduled_round
    from hntes.workflow.delivery.scheduled_words import round_lines
    from hntes.workflow.errors import FINISHED_WITH_PROBLEMS

    found = run_scheduled_round(context, context.chosen(router_names), commit=commit)
    if as_json:
        output.as_json(found)
    else:
        for line in round_lines(found):
            output.line(line)
    if found.has_problems:
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


CHANGE_COMMANDS = (propose, changes, text, approve, reject, deliver)


def _decide(
    context: Context, router_name: str, digits: str | None, day: date | None,
    verdict: Verdict, who: str | None, note: str | None, *, as_json: bool,
) -> None:  # fmt: skip
    from hntes.workflow.errors import REFUSED
    from hntes.workflow.review.decide import Person, Request, decide

    (router,) = context.chosen([router_name])
    by = Person(who or getpass.getuser(), note)
    done = [
        decide(context, router, Request.on(entry, verdict), by, clock.now_ms())
        for entry in _chosen(context, router, digits, day)
    ]
    if as_json:
        output.as_json(done)
    for each in () if as_json else done:
        output.line(each.explanation)
    if not all(each.is_taken for each in done):
        raise click.exceptions.Exit(REFUSED)


def _chosen(context: Context, router: Router, digits: str | None, day: date | None) -> tuple[Change, ...]:
    from hntes.workflow.reservations.scheduled_changes import waiting_scheduled

    if (digits is None) == (day is None):
        raise click.UsageError("give either --hash or --day")
    return waiting_scheduled(context, router, digits, day)


def _at(moment_s: int | None) -> str:
    return "-" if moment_s is None else rfc3339(moment_s * 1000)
