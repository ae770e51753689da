"""Queue and redirect of a pair's packets on a Cisco router, from its configuration."""

import re
from collections.abc import Iterator
from functools import cache
from ipaddress import ip_network

from hntes.addresses import Network
from hntes.rules.pairs import PrefixPair
from tests.support.ios_lines import Configuration

NO_POLICY = "no policy"


def permitting(configuration: Configuration, pair: PrefixPair) -> frozenset[str]:
    """The access lists that permit all packets of a pair."""
    family = "ip access-list extended" if pair.ip_version == 4 else "ipv6 access-list"
    return frozenset(
        name
        for (kind, name), entries in configuration.lists.items()
        if kind == family and any(_permits(permits, pair) for permits in entries.values())
    )


def queues(configuration: Configuration, lists: frozenset[str], edge: str, core: str) -> frozenset[str]:
    """The output classes that may serve what these lists permit, without a code point of network control."""
    output = _attached(configuration, core, "output")
    if output is None:
        return frozenset([NO_POLICY])
    return frozenset(_output_class(configuration, output, group) for group in _groups(configuration, lists, edge))


def redirect(configuration: Configuration, lists: frozenset[str], edge: str, ip_version: int) -> frozenset[str]:
    """What the policy route-map of an interface sets for it; empty where the routing table decides."""
    family = "ip" if ip_version == 4 else "ipv6"
    name = configuration.interfaces.get(edge, {}).get(f"{family} policy route-map", "").rpartition(" ")[2]
    for (each, _), lines in sorted(configuration.routes.items()):
        matches = {line.split()[-1] for line in lines if line.startswith("match ")}
        if each == name and matches & lists:
            return frozenset(line for line in lines if line.startswith("set "))
    return frozenset()


def _attached(configuration: Configuration, interface: str, direction: str) -> dict[str, dict[str, list[str]]] | None:
    line = configuration.interfaces.get(interface, {}).get(f"service-policy {direction}")
    return None if line is None else configuration.policies["", line.split()[-1]]


def _groups(configuration: Configuration, lists: frozenset[str], edge: str) -> Iterator[str]:
    policy = _attached(configuration, edge, "input") or {}
    for name, slots in policy.items():
        matches = configuration.classes.get(("", name), set())
        named = {match.split()[-1] for match in matches if " access-group " in match}
        if name == "class-default" or named & lists:
            yield from re.findall(r"(?:set qos-group|set-qos-transmit) (\d+)", str(list(slots.values())))
            return
    yield "0"


def _output_class(configuration: Configuration, policy: dict[str, dict[str, list[str]]], group: str) -> str:
    for name in policy:
        if f"match qos-group {group}" in configuration.classes.get(("", name), set()):
            return name
    return "class-default"


@cache
def _permits(permits: str, pair: PrefixPair) -> bool:
    source, destination = _networks(permits.split()[2:], pair.ip_version)
    return _inside(pair.source, source) and _inside(pair.destination, destination)


def _networks(words: list[str], ip_version: int) -> Iterator[Network]:
    rest = iter(words)
    for word in rest:
        if word == "any":
            yield ip_network("0.0.0.0/0" if ip_version == 4 else "::/0")
        elif word == "host":
            yield ip_network(next(rest))
        else:
            yield ip_network(word if "/" in word else f"{word}/{next(rest)}")


def _inside(inner: Network, outer: Network) -> bool:
    first, last = int(inner.network_address), int(inner.broadcast_address)
    return int(outer.network_address) <= first and last <= int(outer.broadcast_address)
