"""Replays written out evening by evening and flow by flow, with the decision code of the nights: slow, and plain."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from ipaddress import ip_address

import numpy as np

from hntes.rules.backtest.columns import AlphaFlows, BetaBytes, HostPairs, Traffic, whole
from hntes.rules.backtest.fold import History, Policy
from hntes.rules.backtest.known_pairs import Sightings
from hntes.rules.lifetime.budget import within_budget
from hntes.rules.lifetime.pair_days import PairDay, pair_days
from hntes.rules.lifetime.rule_set import never_remove_when_incomplete, rule_set
from hntes.rules.pairs import PrefixPair, prefix
from hntes.sql.entries import DailyTotal, DayEntry, ExclusionEntry, PinEntry

ROUTER = "r1"


@dataclass(frozen=True)
class Flow:
    """One alpha flow of a day."""

    day: date
    source: str
    destination: str
    bytes: int
    is_weak: bool = False
    is_implausible: bool = False


@dataclass(frozen=True)
class World:
    """What is known of a router: its flows, the days whose data is complete, pins and exclusions; and beta by day."""

    flows: tuple[Flow, ...]
    complete: frozenset[date]
    pins: tuple[PinEntry, ...] = ()
    exclusions: tuple[ExclusionEntry, ...] = ()
    beta: tuple[tuple[date, str, str, int], ...] = ()

    def hosts(self) -> list[tuple[str, str]]:
        found = {(flow.source, flow.destination) for flow in self.flows}
        return sorted(found | {(source, destination) for _, source, destination, _ in self.beta})

    def history(self) -> History:
        """As columns."""
        number = {hosts: row for row, hosts in enumerate(self.hosts())}
        sightings = Sightings(
            whole([flow.day.toordinal() for flow in self.flows]),
            whole([number[flow.source, flow.destination] for flow in self.flows]),
            whole([flow.bytes for flow in self.flows]),
            np.array([flow.is_weak for flow in self.flows], dtype=np.bool_),
            np.array([flow.is_implausible for flow in self.flows], dtype=np.bool_),
        )
        complete = whole(sorted(day.toordinal() for day in self.complete))
        return History(HostPairs.of(self.hosts()), sightings, complete, self.pins, self.exclusions)

    def traffic(self) -> Traffic:
        """As columns: what is believed, each flow one of its own."""
        number = {hosts: row for row, hosts in enumerate(self.hosts())}
        seen = [flow for flow in self.flows if not flow.is_implausible]
        sizes = whole([flow.bytes for flow in seen])
        alpha = AlphaFlows(
            whole([flow.day.toordinal() for flow in seen]),
            whole([number[flow.source, flow.destination] for flow in seen]),
            whole(range(len(seen))),
            sizes,
            sizes,
        )
        beta = BetaBytes(
            whole([day.toordinal() for day, *_ in self.beta]),
            whole([number[source, destination] for _, source, destination, _ in self.beta]),
            whole([octets for *_, octets in self.beta]),
        )
        return Traffic(HostPairs.of(self.hosts()), alpha, beta)

    def statuses(self) -> list[DayEntry]:
        return [DayEntry(ROUTER, day, 1, 1, 1, 0, 1, complete=True, reason="") for day in sorted(self.complete)]


def filters(
    world: World, policy: Policy, days: Sequence[date], *, every_one_approved: bool, begins: date
) -> dict[date, frozenset[PrefixPair]]:
    """The pairs in the filter on each day: the rules of the evening before, one evening after the other."""
    found: dict[date, frozenset[PrefixPair]] = {}
    history = _pair_days(world, policy)
    in_force: frozenset[PrefixPair] = frozenset()
    evening = min(begins, days[0] - timedelta(days=1))
    while evening < days[-1]:
        as_of = rule_set(
            history, world.statuses(), world.pins, world.exclusions,
            router=ROUTER, day=evening, ageing_days=policy.ageing_days, weak_evidence=policy.weak_evidence,
        )  # fmt: skip
        as_of = never_remove_when_incomplete(as_of, in_force, evening in world.complete)
        kept = within_budget(as_of.rules, policy.term_budget, in_force).kept
        found[evening + timedelta(days=1)] = frozenset(rule.pair for rule in kept)
        if every_one_approved:
            in_force = found[evening + timedelta(days=1)]
        evening += timedelta(days=1)
    return {day: found[day] for day in days}


def is_held(source: str, destination: str, pairs: frozenset[PrefixPair]) -> bool:
    """Whether some pair holds these hosts."""
    return any(pair.contains(ip_address(source), ip_address(destination)) for pair in pairs if _is_of(pair, source))


def _is_of(pair: PrefixPair, host: str) -> bool:
    return pair.ip_version == ip_address(host).version


def _pair_days(world: World, policy: Policy) -> list[PairDay]:
    totals = [
        DailyTotal(f.day, f.source, f.destination, 1, f.bytes, f.bytes, int(f.is_weak), f.is_implausible)
        for f in world.flows
    ]
    (ipv4, ipv4_destination), (ipv6, ipv6_destination) = policy.lengths.ipv4, policy.lengths.ipv6
    if ipv4 == ipv4_destination and ipv6 == ipv6_destination:
        return list(pair_days(totals, ipv4, ipv6))
    return [_mixed(total, policy) for total in totals]


def _mixed(total: DailyTotal, policy: Policy) -> PairDay:
    """With lengths of their own for source and destination, which the nights do not have: a flow, a day."""
    pair = PrefixPair(
        prefix(ip_address(total.source), policy.lengths.ipv4[0], policy.lengths.ipv6[0]),
        prefix(ip_address(total.destination), policy.lengths.ipv4[1], policy.lengths.ipv6[1]),
    )
    if total.implausible:
        return PairDay(pair, total.day, 0, 0, 0, is_implausible=True)
    return PairDay(pair, total.day, 1, total.flow_bytes, total.peak_bytes, bool(total.weak_flows))
