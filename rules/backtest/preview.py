"""Preview of an exclusion or a pin: affected pairs, their alpha bytes, and hosts in and outside its prefix."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Literal

from hntes.addresses import Network
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import ExclusionEntry
from hntes.sql.observations import SeenFlow

# The last is of a pin without a rule: an exclusion wins over it, or the term budget is exceeded.
Becomes = Literal["removed", "added", "kept", "not added"]


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
    prefix, seen = ip_network(exclusion.prefix), _believed(flows)
    sides = ("source", "destination") if exclusion.side == "either" else (exclusion.side,)
    found = []
    for pair in _ordered(before ^ after):
        named = {side: prefix for side in sides if _of(pair, side).overlaps(prefix)}
        found.append(_touched(pair, before, after, seen, named))
    return found


def touched_by_pin(
    pin: PrefixPair, before: frozenset[PrefixPair], after: frozenset[PrefixPair], flows: Iterable[SeenFlow]
) -> list[TouchedPair]:
    """The pin's own pair, pairs that overlap it on both sides, and those that it displaces from the budget."""
    seen = _believed(flows)
    named = {"source": pin.source, "destination": pin.destination}
    overlapping = {pair for pair in before | after if all(_of(pair, side).overlaps(named[side]) for side in named)}
    return [_touched(pair, before, after, seen, named) for pair in _ordered(overlapping | {pin} | (before ^ after))]


def _touched(
    pair: PrefixPair,
    before: frozenset[PrefixPair],
    after: frozenset[PrefixPair],
    flows: list[SeenFlow],
    named: Mapping[str, Network],
) -> TouchedPair:
    mine = [seen for seen in flows if _holds(pair, seen)]
    inside: set[str] = set()
    hosts: set[str] = set()
    for side, prefix in named.items():
        at = {seen.source if side == "source" else seen.destination for seen in mine}
        hosts |= at
        inside |= {host for host in at if ip_address(host) in prefix}
    return TouchedPair(
        pair, _becomes(pair in before, pair in after), sum(seen.flow_bytes for seen in mine), frozenset(inside),
        frozenset(hosts - inside),
    )  # fmt: skip


def _becomes(is_before: bool, is_after: bool) -> Becomes:
    if is_before:
        return "kept" if is_after else "removed"
    return "added" if is_after else "not added"


def _holds(pair: PrefixPair, seen: SeenFlow) -> bool:
    return pair.contains(ip_address(seen.source), ip_address(seen.destination))


def _of(pair: PrefixPair, side: str) -> Network:
    return pair.source if side == "source" else pair.destination


def _believed(flows: Iterable[SeenFlow]) -> list[SeenFlow]:
    return [seen for seen in flows if not seen.implausible]


def _ordered(pairs: Iterable[PrefixPair]) -> list[PrefixPair]:
    return sorted(pairs, key=lambda pair: pair.sort_key)
