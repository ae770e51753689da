"""`hntes data poll-counters`: polls the routers' interface counters by SNMP."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Collection
from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import with_settings
from hntes.format import counted

if TYPE_CHECKING:
    from hntes.etl.counters.snmp_poller import Poller
    from hntes.settings.model import Settings


@click.command()
@click.option("--once", is_flag=True, help="Poll once, say how many interfaces each router has, and end.")
@with_settings
def poll_counters(settings: Settings, once: bool) -> None:
    """Polls interface counters of the routers by SNMP, until it is stopped.

    Reads ifHCInOctets and ifHCOutOctets of the routers in [counters.snmp] every interval_s and appends them to a CSV
    file per router and UTC day, for `source = "snmp"`. Run it as a service. Needs the extra `snmp`; secrets are taken
    from the environment: HNTES_SNMP_COMMUNITY, or HNTES_SNMP_AUTH_KEY and HNTES_SNMP_PRIV_KEY.

    Exit status 1 if a router did not answer to --once, 0 after SIGTERM, 130 after Ctrl-C.
    """
    from hntes.etl.counters.counter_files import CounterFiles
    from hntes.etl.counters.snmp_poller import Poller
    from hntes.etl.counters.source import CounterSourceError

    options = settings.counters.snmp if settings.counters else None
    if options is None:
        raise CounterSourceError("counters.snmp: the section is missing; it names the folder and the routers")
    if strangers := sorted(set(options.routers) - {router.name for router in settings.routers}):
        raise CounterSourceError(f"counters.snmp.routers: no such router in the settings: {', '.join(strangers)}")
    with CounterFiles(options.folder) as files:
        poller = Poller(options, files, lambda words: output.note(f"hntes: {words}"))
        if once:
            _once(poller, options.routers)
            return
        routers = counted(len(options.routers), "router")
        output.line(f"polling {routers} every {options.interval_s} s into {options.folder}; Ctrl-C ends it")
        asyncio.run(_until_stopped(poller))


def _once(poller: Poller, routers: Collection[str]) -> None:
    found = asyncio.run(poller.poll())
    for router, interfaces in found.items():
        output.line(f"router {router}: {counted(interfaces, 'interface')}")
    if len(found) < len(routers):
        raise click.exceptions.Exit(1)


async def _until_stopped(poller: Poller) -> None:
    running = asyncio.ensure_future(poller.run())
    stopped = {signal.SIGTERM: 0, signal.SIGINT: 130}
    status = 0

    def stop(number: signal.Signals) -> None:
        nonlocal status
        status = stopped[number]
        running.cancel()

    for number in stopped:
        asyncio.get_running_loop().add_signal_handler(number, stop, number)
    try:
        await running
    except asyncio.CancelledError:
        raise click.exceptions.Exit(status) from None
