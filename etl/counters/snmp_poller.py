"""Polls the octet counters of routers' interfaces by SNMP.

Source: RFC 2863, ifXTable: ifHCInOctets and ifHCOutOctets, 64-bit counters by ifIndex; RFC 3416, GetBulkRequest.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from hntes.etl.counters.arithmetic import COUNTER_SIZE
from hntes.etl.counters.counter_files import CounterFiles, Reading
from hntes.etl.counters.source import CounterSourceError

if TYPE_CHECKING:
    from hntes.settings.counters import SnmpCounters

COMMUNITY_VARIABLE = "HNTES_SNMP_COMMUNITY"
AUTH_VARIABLE, PRIVACY_VARIABLE = "HNTES_SNMP_AUTH_KEY", "HNTES_SNMP_PRIV_KEY"
_Name = tuple[int, ...]
_IN: _Name = (1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6)
_OUT: _Name = (1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 10)
# Interfaces per answer: two counters of some 20 bytes each fit into an Ethernet frame.
_REPETITIONS = 25
# A day's file of so many, polled every minute, has 430 MB; it is read up to 512 MiB.
MAX_INTERFACES = 5000

Say = Callable[[str], None]


class NoAnswerError(CounterSourceError):
    """A router did not answer, or not with what was asked for."""


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
        try:
            snmp: Any = import_module("pysnmp.hlapi.v3arch.asyncio")
        except ImportError:
            raise CounterSourceError("polling needs pysnmp: install the extra `snmp` of hntes") from None
        self._snmp = snmp
        self._user = _user(snmp, self.options, os.environ)

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
        engine = self._snmp.SnmpEngine()
        routers = sorted(self.options.routers.items())
        try:
            found = await asyncio.gather(*(self._one(engine, router, address) for router, address in routers))
        finally:
            engine.close_dispatcher()
        return {router: number for (router, _), number in zip(routers, found, strict=True) if number is not None}

    async def _one(self, engine: object, router: str, address: str) -> int | None:
        try:
            async with asyncio.timeout(self.options.interval_s):
                readings = await self._readings(engine, address)
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

    async def _readings(self, engine: object, address: str) -> list[Reading]:
        """Both counters of each interface, as they were when the answer with them came."""
        target = await self._target(address)
        found: dict[int, Reading] = {}
        after = {_IN: _IN, _OUT: _OUT}
        while after:
            asked = list(after)
            binds = await self._asked(engine, target, [after[column] for column in asked])
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

    async def _asked(self, engine: object, target: object, names: list[_Name]) -> list[tuple[Any, Any]]:
        snmp = self._snmp
        wanted = [snmp.ObjectType(snmp.ObjectIdentity(name)) for name in names]
        try:
            problem, status, _, binds = await snmp.bulk_cmd(
                engine, self._user, target, snmp.ContextData(), 0, _REPETITIONS, *wanted, lookupMib=False
            )
        # what the library raises on a malformed answer is not documented
        except Exception as cause:
            raise NoAnswerError(f"no answer that can be read ({type(cause).__name__}: {cause})") from cause
        if problem or status:
            raise NoAnswerError(str(problem or status.prettyPrint()))
        return list(binds)

    async def _target(self, address: str) -> object:
        host, port = _host_and_port(address)
        options = {"timeout": self.options.timeout_s, "retries": self.options.retries}
        try:
            kind = self._snmp.Udp6TransportTarget if _is_ipv6(host) else self._snmp.UdpTransportTarget
            return await kind.create((host, port), **options)
        except Exception as cause:
            raise NoAnswerError(f"its name is not known ({cause})") from cause


def _take(found: dict[int, Reading], column: _Name, binds: list[tuple[Any, Any]], now_ms: int) -> list[_Name]:
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


def _user(snmp: Any, options: SnmpCounters, environment: Mapping[str, str]) -> object:
    """Who asks."""
    if options.version == "2c":
        return snmp.CommunityData(_secret(environment, COMMUNITY_VARIABLE), mpModel=1)
    keys = _secret(environment, AUTH_VARIABLE), _secret(environment, PRIVACY_VARIABLE)
    return snmp.UsmUserData(
        options.user, *keys,
        authProtocol={"sha": snmp.USM_AUTH_HMAC96_SHA, "sha256": snmp.USM_AUTH_HMAC192_SHA256,
                      "sha512": snmp.USM_AUTH_HMAC384_SHA512}[options.auth],
        privProtocol={"aes128": snmp.USM_PRIV_CFB128_AES, "aes256": snmp.USM_PRIV_CFB256_AES}[options.privacy],
    )  # fmt: skip


def _secret(environment: Mapping[str, str], variable: str) -> str:
    if value := environment.get(variable):
        return value
    raise CounterSourceError(f"the environment variable {variable} is not set; it has the SNMP secret")


def _host_and_port(address: str) -> tuple[str, int]:
    """`host`, `host:port`, an IPv6 address, or `[IPv6]:port`."""
    if address.startswith("["):
        host, _, port = address[1:].partition("]")
        return host, int(port.removeprefix(":") or 161)
    if address.count(":") == 1:
        host, _, port = address.partition(":")
        return host, int(port)
    return address, 161


def _is_ipv6(host: str) -> bool:
    try:
        return ip_address(host).version == 6
    except ValueError:
        return False
