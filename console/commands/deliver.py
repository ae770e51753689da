"""The command that lays out approved configuration for delivery."""

import click

from console import output
from console.options import chosen, json_option, routers_option, with_context
from pipeline.context import Context
from pipeline.deliver import hand_over as lay_out
from pipeline.errors import EXPECTED, FINISHED_WITH_PROBLEMS, message


@click.command()
@routers_option
@json_option
@with_context
def hand_over(context: Context, router_names: tuple[str, ...], as_json: bool) -> None:
    """Lays each router's approved configuration into output/ROUTER/approved, where delivery takes it.

    manifest.json names the text, its SHA-256, and who approved it. Only what the database says is approved and in force
    is laid out; doing it again changes nothing. Nothing reaches a router. Exit status 3: a router failed.
    """
    done = {}
    failures = {}
    for router in chosen(context, router_names):
        try:
            done[router.name] = lay_out(context, router)
        except EXPECTED as problem:
            failures[router.name] = message(problem)
    if as_json:
        output.as_json(done)
    else:
        for name, handed in done.items():
            what = f"{handed.change_set.day}: {handed.configuration}" if handed else "nothing is approved"
            output.line(f"{name} {what}")
    for name, reason in failures.items():
        output.note(f"hntes: router {name} failed: {reason}")
    if failures:
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)
