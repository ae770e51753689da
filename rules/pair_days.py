"""From alpha observations of hosts to days of prefix pairs."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from rules.pairs import PrefixPair
from sql.entries import ObservationEntry


@dataclass(frozen=True)
class PairDay:
    """A prefix pair's alpha flows on one day: how many, their bytes, and the fullest window of any one of them."""

    pair: PrefixPair
    day: date
    flows: int
    bytes: int
    peak_bytes: int


def pair_days(observations: Iterable[ObservationEntry], ipv4_length: int, ipv6_length: int) -> tuple[PairDay, ...]:
    """One entry per pair and day of one router's observations, by day and pair."""
    found: dict[tuple[date, PrefixPair], tuple[int, int, int]] = {}
    hosts: dict[tuple[str, str], PrefixPair] = {}
    for seen in observations:
        pair = hosts.get((seen.source, seen.destination))
        if pair is None:
            pair = PrefixPair.of_hosts(seen.source, seen.destination, ipv4_length, ipv6_length)
            hosts[seen.source, seen.destination] = pair
        flows, total, peak = found.get((seen.day, pair), (0, 0, 0))
        found[seen.day, pair] = (flows + 1, total + seen.flow_bytes, max(peak, seen.peak_bytes))
    ordered = sorted(found, key=lambda key: (key[0], key[1].sort_key))
    return tuple(PairDay(pair, day, *found[day, pair]) for day, pair in ordered)
