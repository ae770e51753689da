"""The command that takes HNTES off routers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from console import output
from console.options import routers_option, with_settings

if TYPE_CHECKING:
    from settings import Settings
    from settings.model import Router


@click.command()
@routers_option
@click.option("--all", "is_all", is_flag=True, help="All routers that HNTES reaches.")
@click.option("--commit", is_flag=True, help="Commit on the routers, instead of showing what would be removed.")
@with_settings
def withdraw(settings: Settings, router_names: tuple[str, ...], is_all: bool, commit: bool) -> None:
    """Removes all of HNTES from routers that HNTES reaches.

    It needs the settings and the routers, and neither database nor lake: what was done is recorded as soon as the
    database can be written. Whatever stands in HNTES' own part is removed, also what somebody changed there. A router
    that fails does not keep the others from being withdrawn from. Exit status 3: a router failed. To take back a
    change set that waits, see `hntes take-back`.
    """
    from pipeline.context import routers_of
    from pipeline.errors import FINISHED_WITH_PROBLEMS, expected, message
    from pipeline.push import MonotonicPace
    from pipeline.withdraw import withdraw_router

    if is_all == bool(router_names):
        raise click.UsageError("name routers with --router, or give --all")
    failures = 0
    done = []
    for router in routers_of(settings, router_names):
        if is_all and not router.is_reached:
            continue
        try:
            pushed = withdraw_router(settings, router, MonotonicPace(), commit=commit)
        except expected() as problem:
            output.note(f"hntes: router {router.name} failed: {message(problem)}")
            failures += 1
            continue
        output.line(f"{router.name}: {_OUTCOMES[pushed.outcome]}")
        for line in pushed.difference.splitlines():
            output.line(f"  {line}")
        done.append(router)
    if commit:
        _recorded(done)
    if failures:
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


_OUTCOMES = {
    "shown": "would be withdrawn so; --commit does it",
    "done": "withdrawn",
    "held": "holds nothing of HNTES",
    "finished": "withdrawn: what an earlier call began was confirmed",
}


def _recorded(routers: list[Router]) -> None:
    """The withdrawal stands whether the log can be told now or not."""
    from pipeline.context import opened
    from pipeline.errors import expected, message
    from pipeline.withdraw import record_withdrawals

    try:
        with opened(click.get_current_context().find_root().obj) as context:
            for router in routers:
                record_withdrawals(context, router)
    except expected() as problem:
        output.note(f"hntes: not recorded yet, the next `hntes deliver` records it: {message(problem)}")
