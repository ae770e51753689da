"""The explanation of one prefix pair for an operator: its rule or its absence, and the evidence."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from ipaddress import ip_address
from typing import Literal

from hntes.format import counted, long_gigabytes
from hntes.rules.lifetime.announced_use import AnnouncedUse, use_words
from hntes.rules.lifetime.rule import Departure, PairLife, Rule, RuleSet, Selection, excludes, pins_of
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import Doubt, ExclusionEntry, ObservationEntry, PinEntry

State = Literal[
    "in_force",
    "candidate",
    "over_budget",
    "aged_out",
    "pin_ended",
    "excluded",
    "waiting",
    "weak_evidence",
    "never_seen",
]

# IANA's protocol numbers of protocols for bulk data.
_PROTOCOLS = {1: "ICMP", 6: "TCP", 17: "UDP", 47: "GRE", 50: "ESP", 58: "ICMPv6", 132: "SCTP"}
_HEADLINES: dict[State, str] = {
    "in_force": "has a rule, and it is in force",
    "candidate": "has a rule in the candidate, which is not in force yet",
    "over_budget": "qualifies for a rule, but exceeds the router's term budget",
    "aged_out": "has no rule: aged out",
    "pin_ended": "has no rule: its pin ended",
    "excluded": "has no rule: excluded",
    "waiting": "has no rule yet: seen once, on weak evidence",
    "weak_evidence": "has no rule: seen on weak evidence only",
    "never_seen": "has no rule: no plausible sighting, and not pinned",
}


@dataclass(frozen=True)
class Explanation:
    """The facts about one pair on one router as of one day.

    `in_force`: whether the last approved configuration has it, independent of the candidate.
    `pins`: of this pair, ended ones too. `exclusions`: active ones that match it. `related`: known pairs, other than
    this, that overlap it on both sides. `evidence`: its observations of the last days, newest first. `announced`: what
    others said of these.
    """

    pair: PrefixPair
    router: str
    day: date
    ageing_days: int
    state: State
    in_force: bool
    rule: Rule | None
    departure: Departure | None
    pins: tuple[PinEntry, ...]
    exclusions: tuple[ExclusionEntry, ...]
    related: tuple[PrefixPair, ...]
    evidence_from: date
    evidence: tuple[ObservationEntry, ...]
    announced: tuple[AnnouncedUse, ...] = ()

    @property
    def known(self) -> PairLife | None:
        """First and last day, counts and age, if the pair is known, with or without a rule."""
        return self.rule or (self.departure.life if self.departure else None)

    @property
    def bytes_by_day(self) -> tuple[int, ...]:
        """The bytes of its evidence that is believed, on each day from `evidence_from` through `day`."""
        found = [0] * ((self.day - self.evidence_from).days + 1)
        for flow in self.evidence:
            if not flow.implausible:
                found[(flow.day - self.evidence_from).days] += flow.flow_bytes
        return tuple(found)


def explain(
    pair: PrefixPair,
    rule_set: RuleSet,
    selection: Selection,
    *,
    in_force_pairs: Collection[PrefixPair],
    pins: Iterable[PinEntry],
    observations: Iterable[ObservationEntry],
    evidence_days: int = 7,
    announced: tuple[AnnouncedUse, ...] = (),
) -> Explanation:
    """Why a pair has a rule or has none, as of the rule set's day.

    `observations` are the router's; those later than that day, or more than `evidence_days` days back, are passed over.
    """
    rule = next((rule for rule in rule_set.rules if rule.pair == pair), None)
    departure = next((gone for gone in rule_set.left if gone.pair == pair), None)
    exclusions = tuple(exclusion for exclusion in rule_set.exclusions if excludes(exclusion, pair))
    in_force = pair in in_force_pairs
    over_budget = any(left_out.pair == pair for left_out in selection.left_out)
    evidence_from = rule_set.day - timedelta(days=evidence_days - 1)
    return Explanation(
        pair=pair,
        router=rule_set.router,
        day=rule_set.day,
        ageing_days=rule_set.ageing_days,
        state=_state(rule, departure, bool(exclusions), over_budget, in_force),
        in_force=in_force,
        rule=rule,
        departure=departure,
        pins=pins_of(pair, pins, rule_set.router),
        exclusions=exclusions,
        related=_related(pair, rule_set),
        evidence_from=evidence_from,
        evidence=_evidence(pair, rule_set, observations, evidence_from),
        announced=announced,
    )


def headline(explanation: Explanation) -> str:
    """The state of the pair's rule, in a few words."""
    return _HEADLINES[explanation.state]


def explanation_text(explanation: Explanation, *, with_flows: bool = True) -> str:
    """The explanation in several lines of text; `with_flows`: with each alpha flow, otherwise with their number."""
    e = explanation
    lines = [f"{e.pair} on {e.router}, as of {e.day}: {headline(e)}"]
    if e.in_force and e.state not in ("in_force", "candidate"):
        lines.append("  it is still in force; the candidate removes it")
    if e.departure:
        lines.append(f"  no rule since {e.departure.absent_since}: {e.departure.reason}")
    elif e.rule:
        lines.append(f"  why: {e.rule.why}")
    lines += _history_lines(e)
    lines += [f"  pin: {_pin_text(pin, e.day)}" for pin in e.pins]
    lines += [
        f"  exclusion: {x.side} {x.prefix} by {x.owner}, {x.from_day} to {x.expires_day}: {x.reason}"
        for x in e.exclusions
    ]
    if e.related:
        lines.append(f"  known pairs that overlap it: {', '.join(map(str, e.related))}")
    lines.append(f"  alpha flows from {e.evidence_from} to {e.day}: {len(e.evidence) or 'none'}")
    lines += [f"    {line}" for line in flow_lines(e)] if with_flows else []
    lines += [f"  announced, not verified: {use_words(use)}" for use in e.announced]
    return "\n".join(lines)


def flow_lines(explanation: Explanation) -> list[str]:
    """Each alpha flow of the evidence in a line: ports, peak and its time, sampling, and doubts."""
    return [_flow_text(flow) for flow in explanation.evidence]


def _state(rule: Rule | None, departure: Departure | None, excluded: bool, over_budget: bool, in_force: bool) -> State:
    if excluded:
        return "excluded"
    if rule is None:
        return departure.cause if departure else "never_seen"
    if over_budget:
        return "over_budget"
    return "in_force" if in_force else "candidate"


def _related(pair: PrefixPair, rule_set: RuleSet) -> tuple[PrefixPair, ...]:
    known = [rule.pair for rule in rule_set.rules] + [gone.pair for gone in rule_set.left]
    overlapping = [
        other
        for other in known
        if other != pair
        and other.ip_version == pair.ip_version
        and other.source.overlaps(pair.source)
        and other.destination.overlaps(pair.destination)
    ]
    return tuple(sorted(overlapping, key=lambda other: other.sort_key))


def _evidence(
    pair: PrefixPair, rule_set: RuleSet, observations: Iterable[ObservationEntry], from_day: date
) -> tuple[ObservationEntry, ...]:
    found = [
        seen
        for seen in observations
        if seen.router == rule_set.router
        and from_day <= seen.day <= rule_set.day
        and pair.contains(ip_address(seen.source), ip_address(seen.destination))
    ]
    return tuple(sorted(found, key=lambda seen: (-seen.day.toordinal(), -seen.peak_bytes, seen.flow_id)))


def _history_lines(e: Explanation) -> list[str]:
    known = e.known
    if known is None or known.last_seen is None:
        return []
    seen = (
        f"  first seen {known.first_seen}, last seen {known.last_seen}, on {counted(known.days_seen, 'day')}; "
        f"{counted(known.flows, 'alpha flow')}, {long_gigabytes(known.alpha_bytes)}, "
        f"of it {long_gigabytes(known.recent_bytes)} in the last {e.ageing_days} days"
    )
    left = e.ageing_days + 1 - known.age_days
    more = counted(left, "more complete day")
    countdown = f"ages out after {more} without it" if left > 0 else "over the ageing interval"
    age = (
        f"  age {known.age_days} of {e.ageing_days} complete days: {countdown}; "
        f"frozen on {counted(known.frozen_days, 'day')} without complete data"
    )
    return [seen, age]


def _pin_text(pin: PinEntry, day: date) -> str:
    span = f"from {pin.from_day}" + (f" to {pin.expires_day}" if pin.expires_day else "")
    if pin.withdrawn_day is not None:
        span += f", withdrawn {pin.withdrawn_day}"
    holds = "active" if pin.active_on(day) else "not active on this day"
    return f"by {pin.owner}, {span} ({holds}): {pin.reason}"


_DOUBTS: dict[Doubt, str] = {
    "none": "above its port's rate",
    "port_rate": "above its port's rate",
    "above_counters": "flow records exceeded the interface's counters",
    "no_counters": "its interfaces have no counters",
}


def _flow_text(flow: ObservationEntry) -> str:
    source, destination = _end(flow.source, flow.source_port), _end(flow.destination, flow.destination_port)
    protocol = "" if flow.protocol is None else f" {_PROTOCOLS.get(flow.protocol, f'protocol {flow.protocol}')}"
    peak_at = datetime.fromtimestamp(flow.peak_start_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    if flow.sampling_factor is None or flow.sampling_factor == 0:
        sampling = "sampling factor unknown"
    else:
        sampling = f"sampled 1 in {flow.sampling_factor}" if flow.sampling_factor > 1 else "not sampled"
    error = "with unknown error" if flow.peak_sd_bytes is None else f"+- {long_gigabytes(flow.peak_sd_bytes)}"
    error = "exactly" if flow.peak_sd_bytes == 0 else error
    doubts = ", borderline" if flow.borderline else ""
    doubts += f", announced with {long_gigabytes(flow.confirmed_bytes)}" if flow.confirmed_bytes is not None else ""
    doubts += f", implausible: {_DOUBTS[flow.doubt]}" if flow.implausible else ""
    return (
        f"{flow.day} {source} > {destination}{protocol}: {long_gigabytes(flow.flow_bytes)}; "
        f"peak {long_gigabytes(flow.peak_bytes)} {error} in {flow.window_s} s from {peak_at} ({sampling}{doubts})"
    )


def _end(address: str, port: int | None) -> str:
    if port is None:
        return address
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
