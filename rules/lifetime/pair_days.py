"""From alpha observations of hosts to days of prefix pairs."""

from collections.abc import Iterable
from datetime import date
from functools import cache
from ipaddress import ip_address
from operator import itemgetter
from typing import NamedTuple

from hntes.rules.pairs import PrefixPair, prefix
from hntes.sql.entries import DailyTotal


class PairDay(NamedTuple):
    """A prefix pair's alpha flows on one day: how many, their bytes, and the fullest window of any one of them.

    `is_weak`: all of them are borderline, so that each may have been below the threshold. `is_implausible`: they were
    seen only where the port would have sent more than it can; then neither their number nor their bytes are known (0).
    """

    pair: PrefixPair
    day: date
    flows: int
    bytes: int
    peak_bytes: int
    is_weak: bool = False
    is_implausible: bool = False


_DAY = PairDay._fields.index("day")


def pair_days(totals: Iterable[DailyTotal], ipv4_length: int, ipv6_length: int) -> tuple[PairDay, ...]:
    """One entry per pair and day of one router's totals, by day and pair; only a day without a believable flow is
    implausible.
    """
    pair_of = _Widening(ipv4_length, ipv6_length)
    found: dict[PrefixPair, dict[date, PairDay]] = {}
    for seen in totals:
        pair = pair_of[seen.source, seen.destination]
        days = found.get(pair)
        if days is None:
            days = found[pair] = {}
        present = days.get(seen.day)
        if present is None:
            days[seen.day] = _first(pair, seen)
        elif not seen.implausible:
            days[seen.day] = _added(present, seen)
    listed = [each for pair in sorted(found, key=lambda pair: pair.sort_key) for each in found[pair].values()]
    return tuple(sorted(listed, key=itemgetter(_DAY)))


def _first(pair: PrefixPair, seen: DailyTotal) -> PairDay:
    if seen.implausible:
        return PairDay(pair, seen.day, 0, 0, 0, False, True)
    return PairDay(pair, seen.day, seen.flows, seen.flow_bytes, seen.peak_bytes, seen.weak_flows == seen.flows, False)


def _added(present: PairDay, seen: DailyTotal) -> PairDay:
    """A day of the pair with what was seen between two more hosts of it."""
    if present.is_implausible:
        return _first(present.pair, seen)
    return PairDay(
        present.pair,
        present.day,
        present.flows + seen.flows,
        present.bytes + seen.flow_bytes,
        max(present.peak_bytes, seen.peak_bytes),
        present.is_weak and seen.weak_flows == seen.flows,
        False,
    )


class _Widening(dict[tuple[str, str], PrefixPair]):
    """The prefix pair of two hosts; equal pairs are one object: there are far fewer of them than days of hosts."""

    def __init__(self, ipv4_length: int, ipv6_length: int) -> None:
        super().__init__()
        self._pairs: dict[PrefixPair, PrefixPair] = {}
        self._prefix_of = cache(lambda host: prefix(ip_address(host), ipv4_length, ipv6_length))

    def __missing__(self, hosts: tuple[str, str]) -> PrefixPair:
        pair = PrefixPair(*map(self._prefix_of, hosts))
        self[hosts] = self._pairs.setdefault(pair, pair)
        return self[hosts]
