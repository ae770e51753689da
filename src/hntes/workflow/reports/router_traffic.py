"""A router's traffic and what its configuration does with it: for the router page and `hntes router traffic`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from ipaddress import ip_network
from typing import Literal

from hntes.rules.changeset.candidate import PARSED, Candidate
from hntes.rules.columns import HostPairs, PairColumns
from hntes.rules.matching import matches
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Interface, Router
from hntes.sql import (
    ageing_rules,
    changes,
    interface_loads,
    load_profiles,
    observations,
    overrides,
    queued_days,
)
from hntes.sql.ageing_rules import AGEING_DAYS, AgeingDay, AgeingRule
from hntes.sql.entries import ExclusionEntry
from hntes.sql.load_profiles import BIN_MINUTES, LoadProfile, LoadSum
from hntes.sql.observations import LargeFlow
from hntes.sql.queued_days import QueuedDay, QueuedSum
from hntes.sql.session import reading
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.shares import present_split
from hntes.workflow.stages.rules_as_of import base_hash

__all__ = [
    "AGEING_DAYS",
    "BIN_MINUTES",
    "AgeingDay",
    "AgeingRule",
    "PortDays",
    "QueuedDay",
    "QueuedSum",
    "RouterTraffic",
    "queued_of_all",
    "router_traffic",
]

FlowState = Literal["rule", "new", "excluded"]
# The largest alpha flows of a day; more cannot be told apart in a figure. Rules that age out, the next to go first.
MOST_FLOWS, MOST_AGEING = 1000, 20
_ANY = {4: ip_network("0.0.0.0/0"), 6: ip_network("::/0")}


@dataclass(frozen=True)
class PortDay:
    """One core port over a day, in bins of five minutes from 0:00 UTC, each the mean rate in bit/s of IP packets.

    `queued_bps` is the traffic of pairs in force on the day, `new_bps` of pairs that only the rules as of the day have,
    `beta_bps` all other. `queue_bps` is the rate that the present plan guarantees the alpha queue, None without one.
    """

    name: str
    rate_bps: int
    queue_bps: float | None
    queued_bps: tuple[float, ...]
    new_bps: tuple[float, ...]
    beta_bps: tuple[float, ...]
    queued_bytes: int
    new_bytes: int
    beta_bytes: int


@dataclass(frozen=True)
class PortDays:
    """The same of a core port by day; days that were not measured, or without traffic on the port, are left out."""

    name: str
    rate_bps: int
    queue_bps: float | None
    days: tuple[LoadSum, ...]


@dataclass(frozen=True)
class DrawnFlow:
    """An alpha flow. A pair in force on the day matches it ("rule"), or an exclusion of the day, or neither ("new")."""

    source: str
    destination: str
    first_ms: int
    flow_bytes: int
    state: FlowState


@dataclass(frozen=True)
class RouterTraffic:
    """What is stored of a router's day and the days before it.

    Attributes:
        router: Its name.
        day: The day of `ports` and `flows`, the last of `days`.
        is_measured: Whether the day's load was measured; else it has no ports.
        ports: Core ports with a known SNMP index, in the settings' order; none if the day has no profiles.
        port_days: The same ports over the days before, the last being `day`.
        alpha_flows: The number of the day's believed alpha flows.
        flows: The largest of them, at most MOST_FLOWS.
        days: The measured days with their queued bytes, by day; others are left out.
        pairs_in_force: Pairs of the configuration that is in force now, None without one.
        term_budget: The most that the router may have.
        ageing: Rules that age out after 1 to AGEING_DAYS complete days; empty before the first proposal.
        ageing_rules: The next of them to go, at most MOST_AGEING.
    """

    router: str
    day: date
    is_measured: bool
    ports: tuple[PortDay, ...]
    port_days: tuple[PortDays, ...]
    alpha_flows: int
    flows: tuple[DrawnFlow, ...]
    days: tuple[QueuedDay, ...]
    pairs_in_force: int | None
    term_budget: int
    ageing: tuple[AgeingDay, ...]
    ageing_rules: tuple[AgeingRule, ...]


def router_traffic(context: Context, router: Router, day: date, days: int) -> RouterTraffic:
    """The traffic of a day, and the last `days` days with it.

    Raises:
        CandidateStoreError: a configuration in force is missing on disk and in the database.
        CommandError: the day is in the future.
    """
    context.require_come(day)
    first = day - timedelta(days=days - 1)
    with reading(context.database) as session:
        measured = interface_loads.load_days(session, router.name, day, day)
        profiles = load_profiles.load_profiles(session, router.name, day)
        loads = load_profiles.load_sums(session, router.name, first, day)
        sums = observations.day_sums(session, router.name, day)
        flows = observations.largest_flows(session, router.name, day, MOST_FLOWS)
        exclusions = overrides.exclusions(session, router.name)
        queued = queued_days.queued_days(session, router.name, first, day)
        ageing = ageing_rules.ageing_days(session, router.name)
        next_to_go = ageing_rules.ageing_rules(session, router.name, MOST_AGEING)
        then, now = base_hash(session, router.name, day, context.last_day), changes.in_force(session, router.name)
    base = known_candidate(context, router, then) if then else None
    current = known_candidate(context, router, now.candidate_hash) if now else None
    active = [each for each in exclusions if each.covers(router.name) and each.active_on(day)]
    return RouterTraffic(
        router=router.name, day=day, is_measured=bool(measured),
        ports=_ports(context, router, current, profiles), port_days=_port_days(context, router, current, loads),
        alpha_flows=sums.flows - sums.implausible_flows, flows=drawn_flows(flows, base, active), days=queued,
        pairs_in_force=len(current.pairs) if current else None, term_budget=router.term_budget, ageing=ageing,
        ageing_rules=next_to_go,
    )  # fmt: skip


def queued_of_all(
    context: Context, routers: Sequence[Router], until_day: date, days: int
) -> tuple[QueuedSum, ...]:  # fmt: skip
    """Alpha bytes of each of these days over these routers, and those of pairs in force; measured days only.

    Raises:
        CommandError: the day is in the future.
    """
    context.require_come(until_day)
    with reading(context.database) as session:
        names = [each.name for each in routers]
        return queued_days.queued_sums(session, names, until_day - timedelta(days=days - 1), until_day)


def _ports(
    context: Context, router: Router, base: Candidate | None, profiles: Sequence[LoadProfile]
) -> tuple[PortDay, ...]:
    by_index = {each.interface_index: each for each in profiles}
    split = present_split(context, router, base)
    return tuple(
        _port(port.name, port.rate_bps, split.alpha_share_pct if split else None, by_index[index])
        for port, index in _core_ports(router)
        if index in by_index
    )


def _port_days(
    context: Context, router: Router, base: Candidate | None, loads: Sequence[LoadSum]
) -> tuple[PortDays, ...]:
    by_index: dict[int, list[LoadSum]] = {}
    for each in loads:
        by_index.setdefault(each.interface_index, []).append(each)
    split = present_split(context, router, base)
    return tuple(
        PortDays(
            port.name, port.rate_bps, port.rate_bps * split.alpha_share_pct / 100 if split else None,
            tuple(by_index[index]),
        )
        for port, index in _core_ports(router)
        if index in by_index
    )  # fmt: skip


def _core_ports(router: Router) -> list[tuple[Interface, int]]:
    """The ports that queue, with their SNMP index where that is known."""
    return [
        (each, each.snmp_index) for each in router.interfaces if each.role != "edge" and each.snmp_index is not None
    ]


def _port(name: str, rate_bps: int, alpha_pct: float | None, profile: LoadProfile) -> PortDay:
    def rates(byte_counts: Sequence[int]) -> tuple[float, ...]:
        return tuple(value * 8 / (60 * BIN_MINUTES) for value in byte_counts)

    queued, new, beta = profile.queued_bytes, profile.new_bytes, profile.beta_bytes
    return PortDay(
        name, rate_bps, None if alpha_pct is None else rate_bps * alpha_pct / 100,
        rates(queued), rates(new), rates(beta), sum(queued), sum(new), sum(beta),
    )  # fmt: skip


def drawn_flows(
    flows: Sequence[LargeFlow], base: Candidate | None, exclusions: Sequence[ExclusionEntry]
) -> tuple[DrawnFlow, ...]:
    """Flows of a router's day with their state, under the configuration in force and the exclusions of that day."""
    if not flows:
        return ()
    hosts = HostPairs.of([(each.source, each.destination) for each in flows])
    queued = set(matches(hosts, _columns(base)).hosts.tolist()) if base else frozenset[int]()
    excluded = set(matches(hosts, PairColumns.of(_excluded(exclusions))).hosts.tolist())
    return tuple(
        DrawnFlow(*flow, "rule" if row in queued else "excluded" if row in excluded else "new")
        for row, flow in enumerate(flows)
    )


@lru_cache(maxsize=PARSED)
def _columns(base: Candidate) -> PairColumns:
    """A candidate never changes; those in force are asked for on each request."""
    return PairColumns.of(list(base.pairs))


def _excluded(exclusions: Sequence[ExclusionEntry]) -> list[PrefixPair]:
    """The exclusions as pairs of prefixes."""
    found = []
    for each in exclusions:
        prefix = ip_network(each.prefix)
        every = _ANY[prefix.version]
        if each.side != "destination":
            found.append(PrefixPair(prefix, every))
        if each.side != "source":
            found.append(PrefixPair(every, prefix))
    return found
