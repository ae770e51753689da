"""Polls the octet counters of routers' interfaces by SNMP.

Source: RFC 2863, ifXTable: ifHCInOctets and ifHCOutOctets, 64-bit counters by ifIndex; RFC 3416, GetBulkRequest.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hntes.etl.counters.arithmetic import COUNTER_SIZE
from hntes.etl.counters.counter_files import CounterFiles, Reading
from hntes.etl.counters.snmp_session import Agents, NoAnswerError, ObjectName, SnmpSession

if TYPE_CHECKING:
    from hntes.settings.counters import SnmpCounters

_IN: ObjectName = (1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6)
_OUT: ObjectName = (1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 10)
# Interfaces per answer: two counters of some 20 bytes each fit into an Ethernet frame.
_REPETITIONS = 25
# A day's file of so many, polled every minute, has 430 MB; it is read up to 512 MiB.
MAX_INTERFACES = 5000

Say = Callable[[str], None]


@dataclass
class Poller:
    """Polls all routers of the settings. `say` takes a sentence when one stops answering, and when it answers again.

    Raises:
        CounterSourceError: pysnmp is not installed, or a secret is missing.
    """

    options: SnmpCounters
    files: CounterFiles
    say: Say
    _silent: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._session = SnmpSession(self.options)

    async def run(self) -> None:
        """Polls at each multiple of the interval until it is cancelled.

        Raises:
            CounterSourceError: the files cannot be written.
        """
        while True:
            await asyncio.sleep(self.options.interval_s - time.time() % self.options.interval_s)
            await self.poll()

    async def poll(self) -> dict[str, int]:
        """Polls once: the interfaces of each router that answered.

        Raises:
            CounterSourceError: the files cannot be written.
        """
        routers = sorted(self.options.routers.items())
        with self._session.opened() as agents:
            found = await asyncio.gather(*(self._one(agents, router, address) for router, address in routers))
        return {router: number for (router, _), number in zip(routers, found, strict=True) if number is not None}

    async def _one(self, agents: Agents, router: str, address: str) -> int | None:
        try:
            async with asyncio.timeout(self.options.interval_s):
                readings = await self._readings(agents, address)
        except (NoAnswerError, TimeoutError) as problem:
            words = str(problem) or f"not done within {self.options.interval_s} s"
            if self._silent.get(router) != words:
                self.say(f"router {router} ({address}): {words}")
                self._silent[router] = words
            return None
        self.files.append(router, readings)
        if self._silent.pop(router, ""):
            self.say(f"router {router} ({address}): answers again")
        return len(readings)

    async def _readings(self, agents: Agents, address: str) -> list[Reading]:
        """Both counters of each interface, as they were when the answer with them came."""
        target = await agents.target(address)
        found: dict[int, Reading] = {}
        after = {_IN: _IN, _OUT: _OUT}
        while after:
            asked = list(after)
            binds = await agents.bulk(target, [after[column] for column in asked], _REPETITIONS)
            now_ms = time.time_ns() // 1_000_000
            after = {
                column: names[-1]
                for place, column in enumerate(asked)
                if (names := _take(found, column, binds[place :: len(asked)], now_ms)) and names[-1] > after[column]
            }
            if len(found) > MAX_INTERFACES:
                raise NoAnswerError(f"it has more than {MAX_INTERFACES} interfaces")
        if not found:
            raise NoAnswerError("it has no ifHCInOctets and ifHCOutOctets: may this user or community read IF-MIB?")
        return [found[interface] for interface in sorted(found)]


def _take(found: dict[int, Reading], column: ObjectName, binds: list[tuple[Any, Any]], now_ms: int) -> list[ObjectName]:
    """Takes one column's counters of an answer; their names, none after the column's end."""
    names = []
    for name, value in binds:
        index = tuple(name)
        if index[: len(column)] != column or len(index) != len(column) + 1:
            return []
        try:
            octets = int(value)
        except (TypeError, ValueError):
            return []
        if 0 <= octets < COUNTER_SIZE:
            interface = index[-1]
            known = found.get(interface, Reading(now_ms, interface, None, None))
            received = (octets, known.out_octets) if column == _IN else (known.in_octets, octets)
            found[interface] = Reading(known.time_ms, interface, *received)
        names.append(index)
    return names
