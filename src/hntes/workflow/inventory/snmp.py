"""Routers asked by SNMP for their ports."""

import asyncio
from collections.abc import Sequence

from hntes.etl.counters.snmp_session import Agents, NoAnswerError, SnmpSession
from hntes.settings.snmp import SnmpAccess
from hntes.workflow.inventory.known import Inventory, KnownRouter
from hntes.workflow.inventory.snmp_walk import COLUMNS, MOST_OBJECTS, router_of

_TOGETHER = 16
_WHOLE_S = 120


def inventory_by_snmp(exporters: Sequence[str], *, port: int = 161) -> Inventory:
    """Each exporter that answers, asked with version 2c and $HNTES_SNMP_COMMUNITY; the others are told as problems.

    Raises:
        CounterSourceError: pysnmp is not installed, or the community is not set.
    """
    session = SnmpSession(SnmpAccess())
    return asyncio.run(_all(session, exporters, port))


async def _all(session: SnmpSession, exporters: Sequence[str], port: int) -> Inventory:
    gate = asyncio.Semaphore(_TOGETHER)
    with session.opened() as agents:
        found = await asyncio.gather(*(_one(gate, agents, exporter, port) for exporter in exporters))
    routers = tuple(each for each in found if isinstance(each, KnownRouter))
    return Inventory(routers, tuple(each for each in found if isinstance(each, str)))


async def _one(gate: asyncio.Semaphore, agents: Agents, exporter: str, port: int) -> KnownRouter | str:
    address = f"[{exporter}]:{port}" if ":" in exporter else f"{exporter}:{port}"
    try:
        async with gate, asyncio.timeout(_WHOLE_S):
            target = await agents.target(address)
            walked = [
                (name, index, value)
                for name, column in COLUMNS.items()
                for index, value in (await agents.column(target, column, MOST_OBJECTS)).items()
            ]
    except (NoAnswerError, TimeoutError) as problem:
        return f"{exporter}: SNMP: {str(problem) or f'not done within {_WHOLE_S} s'}"
    found = router_of(walked, exporter)
    return found if found.ports else f"{exporter}: SNMP: it shows no interface; may this community read IF-MIB?"
