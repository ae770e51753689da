"""The command that compares routers with what was delivered to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import json_option, routers_option, with_context
from hntes.cli.router_results import documents, each_router

if TYPE_CHECKING:
    from hntes.settings.model import Router
    from hntes.workflow.context import Context


@click.command()
@routers_option
@click.option(
    "--known", "is_known", is_flag=True, help="Show the last results with their times, without reading any router."
)
@json_option
@with_context
def drift(context: Context, router_names: tuple[str, ...], is_known: bool, as_json: bool) -> None:
    """Compares running configurations with what was delivered.

    Reads the configuration of each router that HNTES reaches; changes nothing there. "behind": the router has an
    earlier configuration, or none. "changed": HNTES' own part was changed, listed by statement (`-` missing, `+`
    unexpected), or a statement of the router's own overrides it (`!`). With --json a router that does not answer is
    "failed", and `problem` says why. Exit status 3: a router's configuration differs from the last delivery, or it
    does not answer; with --known also if it was not read for two days.
    """
    chosen = [router for router in context.chosen(router_names) if router.is_reached or router_names]
    if not chosen:
        output.note(
            "hntes: no router in the settings is reached by HNTES ([routers.delivery] or [routers.flowspec]); "
            "none was compared"
        )
    if is_known:
        _print_known(context, chosen, as_json)
        return
    from hntes.workflow.delivery.drift import router_drift
    from hntes.workflow.errors import FINISHED_WITH_PROBLEMS

    found, failures = each_router(chosen, lambda router: router_drift(context, router))
    if as_json:
        output.as_json(documents(chosen, found, failures, {"state": "failed", "delivered": None, "statements": ()}))
    else:
        for each in found.values():
            output.line(f"{each.router}: {each.state} ({(each.delivered or 'nothing')[:12]} was delivered last)")
            for line in each.statements:
                output.line(f"  {line}")
    for name, reason in failures.items():
        output.failed(name, reason)
    if failures or any(each.state != "equal" for each in found.values()):
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


def _print_known(context: Context, routers: Sequence[Router], as_json: bool) -> None:
    from hntes.workflow.delivery.drift_known import known_drift
    from hntes.workflow.errors import FINISHED_WITH_PROBLEMS

    found = known_drift(context, routers)
    if as_json:
        output.as_json(found)
    else:
        for each in found:
            output.line(f"{each.router}: {each.words}")
    if not all(each.is_well for each in found):
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)
