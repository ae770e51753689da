"""The commands about announced transfers: the receiver of fireflies, and the report by experiment."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import day_option, day_with_records, json_option, routers_option, with_context, with_settings
from hntes.format import counted, long_gigabytes

if TYPE_CHECKING:
    from hntes.settings.model import Settings
    from hntes.workflow.context import Context
    from hntes.workflow.reports.announced import AnnouncedReport


@click.command()
@with_settings
def listen(settings: Settings) -> None:
    """Receives SciTags fireflies over UDP and writes them to files of the day.

    Listens on the address in [announced.listen]. What is malformed, or above the limits there, is dropped and counted
    on standard error. Stop it with Ctrl-C or SIGTERM; what was received is written. See
    docs/how-to/announced-transfers.md.
    """
    import asyncio
    import signal

    from hntes import clock
    from hntes.etl.announced.receiver import Receiver, receive
    from hntes.workflow.errors import CommandError

    announced = settings.announced
    if announced is None:
        raise CommandError("the settings have no section [announced]; it names the folder of announcements")

    async def run() -> None:
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        receiver = Receiver(announced, lambda: clock.now_ms() / 1000, lambda words: output.note(f"hntes: {words}"))
        where = announced.listen
        await receive(
            receiver, where, stop, lambda port: output.note(f"fireflies are received on {where.address} port {port}")
        )
        output.note(f"hntes: {receiver.counts['kept']} fireflies kept")

    asyncio.run(run())


@click.command()
@day_option
@routers_option
@json_option
@with_context
def report(context: Context, day: date | None, router_names: tuple[str, ...], as_json: bool) -> None:
    """Sums a day's alpha flows by announced experiment and activity.

    "NetFlow" is the announced alpha flows' bytes by flow records, "announced" their bytes as their senders say. The
    second table has all transfers that were announced to have ended on the day, alpha flows or not. Nothing announced
    is authenticated, and nothing of it makes a rule.
    """
    from hntes.workflow.reports.announced import announced_report

    routers = context.chosen(router_names)
    found = announced_report(context, routers, day_with_records(context, day, routers))
    if as_json:
        output.as_json(found)
    else:
        _print(found)


def _print(found: AnnouncedReport) -> None:
    rows = []
    for each in found.routers:
        rows += [
            (each.router, use.experiment, use.activity, use.source, use.flows, long_gigabytes(use.alpha_bytes),
             "-" if use.announced_bytes is None else long_gigabytes(use.announced_bytes))
            for use in each.uses
        ]  # fmt: skip
        if each.unannounced_flows:
            rest = long_gigabytes(each.unannounced_bytes)
            rows.append((each.router, "unannounced", "", "", each.unannounced_flows, rest, "-"))
    names = ("router", "experiment", "activity", "source", "alpha flows", "NetFlow", "announced")
    output.table(names, rows, empty=f"no alpha flow on {found.day}")
    if found.totals:
        output.line()
        output.table(
            ("experiment", "activity", "source", "transfers", "announced"),
            [
                (one.experiment, one.activity, one.source, one.transfers, long_gigabytes(one.announced_bytes))
                for one in found.totals
            ],
            empty="",
        )
    for one in found.counts:
        received = f"{counted(one.files, 'file')}, {counted(one.messages, 'message')}"
        output.line(
            f"{one.source}: {received}, {one.malformed} malformed, "
            f"{one.unknown_endpoints} of unknown endpoints, {one.over_limit} over the limit, {one.unread_bytes} bytes "
            "unread"
        )
