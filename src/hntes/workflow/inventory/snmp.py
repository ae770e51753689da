"""Routers asked by SNMP for their ports."""

import asyncio
from collections.abc import Sequence

from hntes.etl.counters.snmp_session import Agents, Asker, NoAnswerError, ObjectName, SnmpSession
from hntes.workflow.inventory.known import Inventory, KnownRouter
from hntes.workflow.inventory.snmp_walk import COLUMNS, MOST_OBJECTS, Walked, router_of

# Objects per answer: some fifty of 25 bytes fit into an Ethernet frame.
_REPETITIONS = 40
_TOGETHER = 16
_WHOLE_S = 120


def inventory_by_snmp(exporters: Sequence[str], *, port: int = 161) -> Inventory:
    """Each exporter that answers, asked with version 2c and $HNTES_SNMP_COMMUNITY; the others are told as problems.

    Raises:
        CounterSourceError: pysnmp is not installed, or the community is not set.
    """
    session = SnmpSession(Asker())
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
            walked = [each for name, column in COLUMNS.items() for each in await _column(agents, target, name, column)]
    except (NoAnswerError, TimeoutError) as problem:
        return f"{exporter}: SNMP: {str(problem) or f'not done within {_WHOLE_S} s'}"
    found = router_of(walked, exporter)
    return found if found.ports else f"{exporter}: SNMP: it shows no interface; may this community read IF-MIB?"


async def _column(agents: Agents, target: object, name: str, column: ObjectName) -> list[Walked]:
    """All objects of a column."""
    found: list[Walked] = []
    after: ObjectName = column
    while len(found) < MOST_OBJECTS:
        binds = await agents.bulk(target, [after], _REPETITIONS)
        inside = [(tuple(number), value) for number, value in binds if tuple(number)[: len(column)] == column]
        inside = [(number, value) for number, value in inside if number > after]
        found += [(name, number[len(column) :], _text(value)) for number, value in inside]
        if len(inside) < len(binds) or not inside:
            break
        after = inside[-1][0]
    return found


def _text(value: object) -> str:
    """An answer as snmpwalk prints it, without its type."""
    octets = getattr(value, "asOctets", None)
    return octets().decode("utf-8", "replace") if octets is not None else str(value)
