"""Preview of an exclusion or a pin: affected pairs, their alpha bytes, and hosts in and outside its prefix."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal

from hntes.addresses import Network
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import ExclusionEntry
from hntes.sql.observations import SeenFlow

# The last is of a pin without a rule: an exclusion wins over it, or the term budget is exceeded.
Becomes = Literal["removed", "added", "kept", "not added"]
# Bytes by source and destination host.
_Hosts = dict[tuple[str, str], int]


@dataclass(frozen=True)
class TouchedPair:
    """A pair that the entry overlaps, the effect on its rule, and its alpha traffic of the days.

    `hosts_inside` and `hosts_outside` are those seen on the sides that the entry names, in its prefix and not.
    """

    pair: PrefixPair
    becomes: Becomes
    alpha_bytes: int
    hosts_inside: frozenset[str]
    hosts_outside: frozenset[str]


def touched_by_exclusion(
    exclusion: ExclusionEntry,
    before: frozenset[PrefixPair],
    after: frozenset[PrefixPair],
    flows: Iterable[SeenFlow],
) -> list[TouchedPair]:
    """The pairs whose rule the exclusion adds or removes, in filter order; added ones now fit into the term budget."""
    prefix, moved = ip_network(exclusion.prefix), _ordered(before ^ after)
    seen = _seen_of(moved, flows)
    sides = ("source", "destination") if exclusion.side == "either" else (exclusion.side,)
    found = []
    for pair in moved:
        named = {side: prefix for side in sides if _of(pair, side).overlaps(prefix)}
        found.append(_touched(pair, before, after, seen[pair], named))
    return found


def touched_by_pin(
    pin: PrefixPair, before: frozenset[PrefixPair], after: frozenset[PrefixPair], flows: Iterable[SeenFlow]
) -> list[TouchedPair]:
    """The pin's own pair, pairs that overlap it on both sides, and those that it displaces from the budget."""
    named = {"source": pin.source, "destination": pin.destination}
    overlapping = {pair for pair in before | after if all(_of(pair, side).overlaps(named[side]) for side in named)}
    touched = _ordered(overlapping | {pin} | (before ^ after))
    seen = _seen_of(touched, flows)
    return [_touched(pair, before, after, seen[pair], named) for pair in touched]


def _touched(
    pair: PrefixPair,
    before: frozenset[PrefixPair],
    after: frozenset[PrefixPair],
    seen: _Hosts,
    named: Mapping[str, Network],
) -> TouchedPair:
    inside: set[str] = set()
    hosts: set[str] = set()
    for side, prefix in named.items():
        at = {source if side == "source" else destination for source, destination in seen}
        hosts |= at
        inside |= {host for host in at if ip_address(host) in prefix}
    return TouchedPair(
        pair, _becomes(pair in before, pair in after), sum(seen.values()), frozenset(inside), frozenset(hosts - inside)
    )  # fmt: skip


def _becomes(is_before: bool, is_after: bool) -> Becomes:
    if is_before:
        return "kept" if is_after else "removed"
    return "added" if is_after else "not added"


def _seen_of(pairs: Collection[PrefixPair], flows: Iterable[SeenFlow]) -> Mapping[PrefixPair, _Hosts]:
    """The believed flows' bytes by pair and hosts: each two hosts are looked up once for each length of prefix."""
    named = {(_place(pair.source), _place(pair.destination)): pair for pair in pairs}
    lengths = {(pair.source.prefixlen, pair.destination.prefixlen) for pair in pairs}
    by_hosts: _Hosts = defaultdict(int)
    for seen in flows:
        if not seen.implausible:
            by_hosts[seen.source, seen.destination] += seen.flow_bytes
    found: dict[PrefixPair, _Hosts] = {pair: {} for pair in pairs}
    for hosts, flow_bytes in by_hosts.items():
        source, destination = map(ip_address, hosts)
        for of_source, of_destination in lengths:
            pair = named.get((_place_of(source, of_source), _place_of(destination, of_destination)))
            if pair is not None:
                found[pair][hosts] = flow_bytes
    return found


def _place(prefix: Network) -> tuple[int, int, int]:
    return _place_of(prefix.network_address, prefix.prefixlen)


def _place_of(address: IPv4Address | IPv6Address, length: int) -> tuple[int, int, int]:
    """Version, length and leading bits of the prefix of this length that holds the address."""
    return address.version, length, int(address) >> max(address.max_prefixlen - length, 0)


def _of(pair: PrefixPair, side: str) -> Network:
    return pair.source if side == "source" else pair.destination


def _ordered(pairs: Iterable[PrefixPair]) -> list[PrefixPair]:
    return sorted(pairs, key=lambda pair: pair.sort_key)
