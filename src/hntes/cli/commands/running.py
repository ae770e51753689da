"""`hntes router config`: reads running configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import json_option, routers_option, with_settings
from hntes.sanitize import shown_lines

if TYPE_CHECKING:
    from hntes.settings import Settings
    from hntes.settings.model import Router


@click.command()
@routers_option
@click.option("--store", is_flag=True, help="Write it to the router's `running_config` file.")
@json_option
@with_settings
def config(settings: Settings, router_names: tuple[str, ...], store: bool, as_json: bool) -> None:
    """Fetches a router's running configuration; later changes are checked against it.

    Changes nothing on the router. Without --store it prints the configuration of one router, with control characters
    escaped. With --store it reads all routers that HNTES reaches and that have `running_config` in the settings, or the
    given ones; the file of a router that does not answer stays. Run it before the night: a judgement is valid only for
    the file that it was made with.
    Exit status 3: a router failed.
    """
    from hntes.workflow.context import routers_of
    from hntes.workflow.errors import FINISHED_WITH_PROBLEMS, expected, message
    from hntes.workflow.stages.running_reader import read_running

    routers = routers_of(settings, router_names)
    if not store:
        if len(routers) != 1:
            raise click.UsageError("give one --router, or --store")
        running = read_running(routers[0], settings.delivery.timeout_s)
        if as_json:
            output.as_json({"router": routers[0].name, "configuration": running})
        else:
            output.verbatim(shown_lines(running))
        return
    if not router_names:
        routers = [each for each in routers if each.delivery is not None and each.running_config is not None]
    if not routers:
        output.note("hntes: no router in the settings has both [routers.delivery] and running_config; nothing was read")
    stored, failures = [], {}
    for router in routers:
        try:
            stored.append(_stored(router, settings.delivery.timeout_s, as_json=as_json))
        except expected() as problem:
            failures[router.name] = message(problem)
            output.failed(router.name, message(problem))
    if as_json:
        output.as_json({"routers": stored, "failures": failures})
    if failures:
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


def _stored(router: Router, timeout_s: int, *, as_json: bool) -> dict[str, object]:
    from hntes.workflow.stages.running_reader import store_running

    is_new = store_running(router, timeout_s)
    if not as_json:
        output.line(f"{router.name}: {router.running_config} {'written' if is_new else 'is up to date'}")
    return {"router": router.name, "file": router.running_config, "is_new": is_new}
