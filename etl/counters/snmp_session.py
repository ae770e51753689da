"""Asking SNMP agents for many objects at once (RFC 3416, GetBulkRequest), with secrets from the environment."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from hntes.etl.counters.source import CounterSourceError

if TYPE_CHECKING:
    from hntes.settings.snmp import SnmpAccess

COMMUNITY_VARIABLE = "HNTES_SNMP_COMMUNITY"
AUTH_VARIABLE, PRIVACY_VARIABLE = "HNTES_SNMP_AUTH_KEY", "HNTES_SNMP_PRIV_KEY"
ObjectName = tuple[int, ...]
# Objects per answer: some fifty of 25 bytes fit into an Ethernet frame.
_REPETITIONS = 40


class NoAnswerError(CounterSourceError):
    """A router did not answer, or not with what was asked for."""


class SnmpSession:
    """How agents are asked.

    Raises:
        CounterSourceError: pysnmp is not installed, or a secret is missing.
    """

    def __init__(self, access: SnmpAccess) -> None:
        try:
            self._snmp: Any = import_module("pysnmp.hlapi.v3arch.asyncio")
        except ImportError:
            raise CounterSourceError("SNMP needs pysnmp: install the extra `snmp` of hntes") from None
        self._user = _user(self._snmp, access, os.environ)
        self._options = {"timeout": access.timeout_s, "retries": access.retries}

    @contextmanager
    def opened(self) -> Iterator[Agents]:
        """The agents, within a running event loop."""
        engine = self._snmp.SnmpEngine()
        try:
            yield Agents(self._snmp, engine, self._user, self._options)
        finally:
            engine.close_dispatcher()


@dataclass(frozen=True)
class Agents:
    """Agents that can be asked, by their addresses."""

    _snmp: Any
    _engine: object
    _user: object
    _options: dict[str, int]

    async def bulk(self, target: object, names: Sequence[ObjectName], repetitions: int) -> list[tuple[Any, Any]]:
        """The next objects after each of these, in turn.

        Raises:
            NoAnswerError: there is none, or it cannot be read.
        """
        snmp = self._snmp
        wanted = [snmp.ObjectType(snmp.ObjectIdentity(name)) for name in names]
        try:
            problem, status, _, binds = await snmp.bulk_cmd(
                self._engine, self._user, target, snmp.ContextData(), 0, repetitions, *wanted, lookupMib=False
            )
        # what the library raises on a malformed answer is not documented
        except Exception as cause:
            raise NoAnswerError(f"no answer that can be read ({type(cause).__name__}: {cause})") from cause
        if problem or status:
            raise NoAnswerError(str(problem or status.prettyPrint()))
        return list(binds)

    async def column(self, target: object, column: ObjectName, most: int) -> dict[ObjectName, str]:
        """All objects of a column, at most about `most`: the rest of each number, and its value as snmpwalk prints it.

        Raises:
            NoAnswerError: there is none, or it cannot be read.
        """
        found: dict[ObjectName, str] = {}
        after = column
        while len(found) < most:
            binds = await self.bulk(target, [after], _REPETITIONS)
            inside = [(tuple(number), value) for number, value in binds if tuple(number)[: len(column)] == column]
            inside = [(number, value) for number, value in inside if number > after]
            found |= {number[len(column) :]: _text(value) for number, value in inside}
            if len(inside) < len(binds) or not inside:
                break
            after = inside[-1][0]
        return found

    async def target(self, address: str) -> object:
        """An agent, by `host`, `host:port`, an IPv6 address, or `[IPv6]:port`.

        Raises:
            NoAnswerError: its name is not known.
        """
        host, port = _host_and_port(address)
        try:
            kind = self._snmp.Udp6TransportTarget if _is_ipv6(host) else self._snmp.UdpTransportTarget
            return await kind.create((host, port), **self._options)
        except Exception as cause:
            raise NoAnswerError(f"its name is not known ({cause})") from cause


def _user(snmp: Any, access: SnmpAccess, environment: Mapping[str, str]) -> object:
    if access.version == "2c":
        return snmp.CommunityData(_secret(environment, COMMUNITY_VARIABLE), mpModel=1)
    keys = _secret(environment, AUTH_VARIABLE), _secret(environment, PRIVACY_VARIABLE)
    return snmp.UsmUserData(
        access.user, *keys,
        authProtocol={"sha": snmp.USM_AUTH_HMAC96_SHA, "sha256": snmp.USM_AUTH_HMAC192_SHA256,
                      "sha512": snmp.USM_AUTH_HMAC384_SHA512}[access.auth],
        privProtocol={"aes128": snmp.USM_PRIV_CFB128_AES, "aes256": snmp.USM_PRIV_CFB256_AES}[access.privacy],
    )  # fmt: skip


def _text(value: object) -> str:
    """An answer as snmpwalk prints it, without its type."""
    octets = getattr(value, "asOctets", None)
    return octets().decode("utf-8", "replace") if octets is not None else str(value)


def _secret(environment: Mapping[str, str], variable: str) -> str:
    if value := environment.get(variable):
        return value
    raise CounterSourceError(f"the environment variable {variable} is not set; it has the SNMP secret")


def _host_and_port(address: str) -> tuple[str, int]:
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
