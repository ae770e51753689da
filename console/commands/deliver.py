"""The command of the stage deliver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from console import output, stage_output
from console.options import json_option, routers_option, with_context

if TYPE_CHECKING:
    from pipeline.context import Context


@click.command()
@routers_option
@json_option
@with_context
def deliver(context: Context, router_names: tuple[str, ...], as_json: bool) -> None:
    """Puts approved configuration into output/ROUTER/approved.

    Your own delivery takes it from there: manifest.json names the text, its SHA-256, and who approved it. Only what the
    database says is approved and in force is put there; doing it again changes nothing. Nothing reaches a router. Exit
    status 3: a router failed.
    """
    from pipeline.deliver import deliver as deliver_router
    from pipeline.errors import FINISHED_WITH_PROBLEMS, expected, message

    done = {}
    failures = {}
    for router in context.chosen(router_names):
        try:
            done[router.name] = deliver_router(context, router)
        except expected() as problem:
            failures[router.name] = message(problem)
    if as_json:
        output.as_json(done)
    else:
        stage_output.heading("deliver")
        for name, delivered in done.items():
            what = f"{delivered.change_set.day}: {delivered.configuration}" if delivered else "nothing is approved"
            output.line(f"{name} {what}")
    for name, reason in failures.items():
        output.note(f"hntes: router {name} failed: {reason}")
    if failures:
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)
