"""From alpha observations of hosts to days of prefix pairs."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache
from ipaddress import ip_address

from rules.pairs import PrefixPair, prefix
from sql.entries import DailyTotal


@dataclass(frozen=True)
class PairDay:
    """A prefix pair's alpha flows on one day: how many, their bytes, and the fullest window of any one of them.

    `is_weak`: all of them are borderline, so that each may have been below the threshold.
    """

    pair: PrefixPair
    day: date
    flows: int
    bytes: int
    peak_bytes: int
    is_weak: bool = False


def pair_days(totals: Iterable[DailyTotal], ipv4_length: int, ipv6_length: int) -> tuple[PairDay, ...]:
    """One entry per pair and day of one router's totals, by day and pair."""
    found: dict[tuple[date, PrefixPair], tuple[int, int, int, bool]] = {}
    prefix_of = cache(lambda host: prefix(ip_address(host), ipv4_length, ipv6_length))
    for seen in totals:
        pair = PrefixPair(prefix_of(seen.source), prefix_of(seen.destination))
        flows, total, peak, is_weak = found.get((seen.day, pair), (0, 0, 0, True))
        is_weak = is_weak and seen.weak_flows == seen.flows
        found[seen.day, pair] = (flows + seen.flows, total + seen.flow_bytes, max(peak, seen.peak_bytes), is_weak)
    ordered = sorted(found, key=lambda key: (key[0], key[1].sort_key))
    return tuple(PairDay(pair, day, *found[day, pair]) for day, pair in ordered)
