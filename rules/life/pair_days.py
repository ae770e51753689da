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


def pair_days(totals: Iterable[DailyTotal], ipv4_length: int, ipv6_length: int) -> tuple[PairDay, ...]:
    """One entry per pair and day of one router's totals, by day and pair; only a day without a believable flow is
    implausible.
    """
    found: dict[tuple[date, PrefixPair], tuple[int, int, int, bool]] = {}
    prefix_of = cache(lambda host: prefix(ip_address(host), ipv4_length, ipv6_length))
    implausible: set[tuple[date, PrefixPair]] = set()
    for seen in totals:
        pair = PrefixPair(prefix_of(seen.source), prefix_of(seen.destination))
        if seen.implausible:
            implausible.add((seen.day, pair))
            continue
        flows, total, peak, is_weak = found.get((seen.day, pair), (0, 0, 0, True))
        is_weak = is_weak and seen.weak_flows == seen.flows
        found[seen.day, pair] = (flows + seen.flows, total + seen.flow_bytes, max(peak, seen.peak_bytes), is_weak)
    days = [PairDay(pair, day, *sums) for (day, pair), sums in found.items()]
    days += [PairDay(pair, day, 0, 0, 0, is_implausible=True) for day, pair in implausible - found.keys()]
    return tuple(sorted(days, key=lambda seen: (seen.day, seen.pair.sort_key)))
