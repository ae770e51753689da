"""The commands of the stage deliver."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

import click

from console import output, stage_output
from console.options import FREE_TEXT, json_option, router_option, routers_option, with_context, with_settings

if TYPE_CHECKING:
    from pipeline.context import Context
    from settings import Settings


@click.command()
@routers_option
@click.option("--commit", is_flag=True, help="Commit on the routers, instead of showing what would change there.")
@click.option("--again", is_flag=True, help="Also what was withdrawn from a router since it was approved.")
@json_option
@with_context
def deliver(context: Context, router_names: tuple[str, ...], commit: bool, again: bool, as_json: bool) -> None:
    """Puts approved configuration into output/ROUTER/approved, and onto routers that HNTES reaches.

    Your own delivery takes it from there: manifest.json names the text, the transition (the commands that lead there
    from what was delivered last), the withdrawal (those that remove it), their SHA-256, and who approved. Only what the
    database says is approved and in force is put there; doing it again changes nothing. The text counts as delivered
    once `hntes delivered` says so.

    A router with [routers.delivery] in the settings is asked what would change. With --commit it gets the change on
    trial, is read back and probed, and keeps it only if all is well; one router after the other, up to the first that
    fails. Killed at any point, the same command goes on. Exit status 3: a router failed.
    """
    from pipeline.deliver import deliver as deliver_router
    from pipeline.errors import FINISHED_WITH_PROBLEMS, expected, message
    from pipeline.push import push_router

    done: dict[str, object] = {}
    failures = {}
    for router in context.chosen(router_names):
        try:
            if router.delivery is None:
                done[router.name] = deliver_router(context, router)
            else:
                done[router.name] = push_router(context, router, commit=commit, again=again)
        except expected() as problem:
            failures[router.name] = message(problem)
            if commit:
                break
    if as_json:
        output.as_json(done)
    else:
        stage_output.heading("deliver")
        for name, delivered in done.items():
            _print(name, delivered)
    for name, reason in failures.items():
        output.note(f"hntes: router {name} failed: {reason}")
    if failures:
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


_PUSHED = {
    "shown": "would change so; --commit delivers it",
    "done": "delivered: verified on trial, then confirmed",
    "held": "holds it already",
    "finished": "delivered: what an earlier call began was verified and confirmed",
}


def _print(name: str, delivered: object) -> None:
    from pipeline.deliver import Delivered
    from pipeline.push import RouterPush

    if isinstance(delivered, RouterPush):
        output.line(f"{name} {delivered.change_set.day}: {_PUSHED[delivered.pushed.outcome]}")
        for line in delivered.pushed.difference.splitlines():
            output.line(f"  {line}")
    elif isinstance(delivered, Delivered):
        output.line(f"{name} {delivered.change_set.day}: {delivered.configuration}")
    else:
        output.line(f"{name} nothing is approved")


@click.command()
@router_option
@click.option("--hash", "--sha256", "candidate_hash", metavar="HASH", required=True,
              help="SHA-256 of the text, its first 6 digits or more; the manifest's `sha256`.")  # fmt: skip
@click.option("--confirmed", "is_confirmed", is_flag=True, help="The router was seen to run it.")
@click.option("--who", type=FREE_TEXT, default=None, help="Who reports it. Default: the user of this machine.")
@click.option("--note", type=FREE_TEXT, default=None, help="For those who read it later, say the ticket or the commit.")
@with_context
def delivered(
    context: Context, router_name: str, candidate_hash: str, is_confirmed: bool, who: str | None, note: str | None
) -> None:
    """Records that the approved text was loaded on a router, or that the router runs it.

    For what loads `output/ROUTER/approved`: call it after the text was loaded, and with --confirmed once the router was
    seen to run it. Any other text than the approved one is refused. Repeating it adds nothing. Exit status 4: refused.
    """
    from pipeline.deliver import report_delivered
    from pipeline.errors import REFUSED

    (router,) = context.chosen([router_name])
    who = who or getpass.getuser()
    report = report_delivered(context, router, candidate_hash, who, note, is_confirmed=is_confirmed)
    output.line(report.explanation)
    if report.outcome == "refused":
        raise click.exceptions.Exit(REFUSED)


@click.command()
@router_option
@with_settings
def withdrawal(settings: Settings, router_name: str) -> None:
    """Prints the commands that remove all of HNTES from a router.

    They are made from the text that was delivered last, in `output/ROUTER/approved`, and from nothing else: the
    database may be away. Of a router that still has an earlier text, take `HASH.withdrawal` of that text in
    the same folder instead. It changes nothing here.
    """
    from pipeline.context import routers_of
    from pipeline.transitions import last_withdrawal

    (router,) = routers_of(settings, [router_name])
    click.echo(last_withdrawal(settings.paths.output, router), nl=False)
