"""Back-tests written out evening by evening and flow by flow, with the rules that nights decide: slow, and plain."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from ipaddress import ip_address

import numpy as np

from hntes.rules.backtest.traffic import AlphaFlows, BetaBytes, Traffic
from hntes.rules.columns import HostPairs, whole
from hntes.rules.lifetime.evenings import Policy, RuleInputs
from hntes.rules.lifetime.history import PrefixLengths, Sightings, pair_history
from hntes.rules.lifetime.rule import PairLife, Rule, RuleSet
from hntes.rules.pairs import PrefixPair, prefix
from hntes.sql.entries import DayEntry, ExclusionEntry, PinEntry
from tests.support.rule_sets import PairDay, rule_set

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

    def inputs(self, lengths: PrefixLengths) -> RuleInputs:
        """As columns."""
        number = {hosts: row for row, hosts in enumerate(self.hosts())}
        sightings = Sightings(
            whole([number[flow.source, flow.destination] for flow in self.flows]),
            whole([flow.day.toordinal() for flow in self.flows]),
            whole([1 for _ in self.flows]),
            whole([flow.is_weak for flow in self.flows]),
            whole([flow.bytes for flow in self.flows]),
            whole([flow.bytes for flow in self.flows]),
            np.array([flow.is_implausible for flow in self.flows], dtype=np.bool_),
        )
        history = pair_history(HostPairs.of(self.hosts()), sightings, lengths)
        return RuleInputs.of(history, self.complete, self.pins, self.exclusions)

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
            whole([carried for *_, carried in self.beta]),
        )
        return Traffic(HostPairs.of(self.hosts()), alpha, beta)

    def statuses(self) -> list[DayEntry]:
        return [DayEntry(ROUTER, day, 1, 1, 1, 0, 1, complete=True, reason="") for day in sorted(self.complete)]


def filters(
    world: World, policy: Policy, days: Sequence[date], *, every_one_approved: bool, begins: date
) -> dict[date, frozenset[PrefixPair]]:
    """The pairs in the filter on each day: the rules of the evening before, one evening after the other."""
    found: dict[date, frozenset[PrefixPair]] = {}
    history = [_pair_day(flow, policy.lengths) for flow in world.flows]
    in_force: frozenset[PrefixPair] = frozenset()
    evening = min(begins, days[0] - timedelta(days=1))
    while evening < days[-1]:
        as_of = rule_set(
            history, world.statuses(), world.pins, world.exclusions,
            router=ROUTER, day=evening, ageing_days=policy.ageing_days, weak_evidence=policy.weak_evidence,
        )  # fmt: skip
        protected = frozenset() if evening in world.complete else in_force - _excluded(as_of)
        kept = _within_budget(as_of, protected, in_force, policy.term_budget)
        found[evening + timedelta(days=1)] = kept
        if every_one_approved:
            in_force = kept
        evening += timedelta(days=1)
    return {day: found[day] for day in days}


def _excluded(as_of: RuleSet) -> frozenset[PrefixPair]:
    return frozenset(gone.pair for gone in as_of.left if gone.cause == "excluded")


def _within_budget(
    as_of: RuleSet, protected: frozenset[PrefixPair], in_force: frozenset[PrefixPair], term_budget: int
) -> frozenset[PrefixPair]:
    """What is protected first, then pins, what is in force or was seen on two days, and the largest; plainly sorted."""
    facts: dict[PrefixPair, PairLife] = {rule.pair: rule for rule in as_of.rules}
    facts |= {gone.pair: gone.life for gone in as_of.left if gone.pair in protected}

    def order(pair: PrefixPair) -> tuple[object, ...]:
        rule = facts[pair]
        is_pinned = isinstance(rule, Rule) and rule.pinned
        is_established = pair in in_force or rule.days_seen >= 2
        weight = rule.recent_bytes * (2 if pair in in_force else 1)
        return pair not in protected, not is_pinned, not is_established, -weight, pair.sort_key

    return frozenset(sorted(facts, key=order)[:term_budget])


def is_held(source: str, destination: str, pairs: frozenset[PrefixPair]) -> bool:
    """Whether some pair holds these hosts."""
    return any(pair.contains(ip_address(source), ip_address(destination)) for pair in pairs if _is_of(pair, source))


def _is_of(pair: PrefixPair, host: str) -> bool:
    return pair.ip_version == ip_address(host).version


def _pair_day(flow: Flow, lengths: PrefixLengths) -> PairDay:
    pair = PrefixPair(
        prefix(ip_address(flow.source), lengths.ipv4[0], lengths.ipv6[0]),
        prefix(ip_address(flow.destination), lengths.ipv4[1], lengths.ipv6[1]),
    )
    if flow.is_implausible:
        return PairDay(pair, flow.day, 0, 0, 0, is_implausible=True)
    return PairDay(pair, flow.day, 1, flow.bytes, flow.bytes, flow.is_weak)
