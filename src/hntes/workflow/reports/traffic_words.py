"""A router's traffic in sentences: beside the figures of the router page, and printed by `hntes router traffic`."""

from collections import Counter
from collections.abc import Sequence
from datetime import date

from hntes.format import agreeing, counted, gbps, gigabytes
from hntes.rules.backtest.effect_words import share_text
from hntes.workflow.reports.all_flows import AllFlows
from hntes.workflow.reports.router_traffic import (
    BIN_MINUTES,
    DrawnFlow,
    FlowState,
    PortDay,
    PortDays,
    QueuedDay,
    QueuedSum,
    RouterTraffic,
)

# Kinds of alpha flows, in the order in which they are named and drawn.
STATES: dict[FlowState, str] = {"rule": "with a rule", "new": "without a rule", "excluded": "excluded"}


def port_words(port: PortDay) -> str:
    """What left a port by kind, and its busiest five minutes."""
    kinds = (
        (port.queued_bytes, "alpha with a rule"),
        (port.new_bytes, "alpha without a rule"),
        (port.beta_bytes, "beta"),
    )
    sums = ", ".join(f"{gigabytes(total)} {kind}" for total, kind in kinds)
    busiest = max(map(sum, zip(port.queued_bps, port.new_bps, port.beta_bps, strict=True)), default=0.0)
    queued = max(port.queued_bps, default=0.0)
    words = f"{sums}; busiest {BIN_MINUTES} minutes {gbps(busiest)} of {gbps(port.rate_bps)}"
    if port.queue_bps is None:
        return words
    return f"{words}, alpha with a rule at most {gbps(queued)} of the {gbps(port.queue_bps)} of its queue"


def port_days_words(port: PortDays) -> str:
    """What left a port over its measured days, and the busiest of them."""
    whole = sum(each.queued_bytes + each.new_bytes + each.beta_bytes for each in port.days)
    busiest = max(port.days, key=lambda each: each.busiest_bytes)
    return (
        f"{gigabytes(whole)} on {counted(len(port.days), 'day')}, busiest {BIN_MINUTES} minutes "
        f"{gbps(_bin_bps(busiest.busiest_bytes))} on {busiest.day}"
    )


def port_day_rows(port: PortDays) -> tuple[tuple[str, ...], ...]:
    """Each day of a port: bytes by kind, and its busiest five minutes."""
    return tuple(
        (
            str(each.day), gigabytes(each.queued_bytes), gigabytes(each.new_bytes), gigabytes(each.beta_bytes),
            gbps(_bin_bps(each.busiest_bytes)),
        )
        for each in port.days
    )  # fmt: skip


def _bin_bps(byte_count: int) -> float:
    return byte_count * 8 / (60 * BIN_MINUTES)


def flows_words(traffic: RouterTraffic) -> str:
    """The alpha flows of the day by what becomes of them."""
    return _flows_words(traffic.day, traffic.alpha_flows, traffic.flows)


def all_flows_words(found: AllFlows) -> str:
    """The same of all routers."""
    return _flows_words(found.day, found.alpha_flows, [each.flow for each in found.flows])


def _flows_words(day: date, alpha_flows: int, flows: Sequence[DrawnFlow]) -> str:
    if not alpha_flows:
        return f"no alpha flow on {day}"
    numbers, carried = Counter[str](), Counter[str]()
    for flow in flows:
        numbers[flow.state] += 1
        carried[flow.state] += flow.flow_bytes
    named = [(each, name) for each, name in STATES.items() if numbers[each]]
    parts = ", ".join(f"{numbers[each]} {name} ({gigabytes(carried[each])})" for each, name in named)
    if alpha_flows > len(flows):
        return f"{counted(alpha_flows, 'alpha flow')}; of the {len(flows)} largest: {parts}"
    return f"{counted(alpha_flows, 'alpha flow')}: {parts}"


def queued_words(days: Sequence[QueuedDay | QueuedSum]) -> str:
    """How much of the alpha traffic of some days was of pairs in force on its day."""
    if not days:
        return "no day was measured"
    alpha, queued = sum(each.alpha_bytes for each in days), sum(each.queued_bytes for each in days)
    measured = f"{counted(len(days), 'measured day')} up to {days[-1].day}"
    if not alpha:
        return f"{measured}: no alpha traffic"
    shares = f"{gigabytes(queued)} ({share_text(queued, alpha)}) of {gigabytes(alpha)} of alpha traffic"
    return f"{measured}: {shares} matched a pair in force on its day"


def day_rows(days: Sequence[QueuedDay | QueuedSum]) -> tuple[tuple[str, str, str, str], ...]:
    """Each day with its alpha bytes with and without a rule, and the share of the former."""
    return tuple(
        (
            str(each.day),
            gigabytes(each.queued_bytes),
            gigabytes(each.alpha_bytes - each.queued_bytes),
            share_text(each.queued_bytes, each.alpha_bytes) if each.alpha_bytes else "no alpha traffic",
        )
        for each in days
    )


def budget_words(traffic: RouterTraffic) -> str:
    """The pairs in force against the term budget."""
    if traffic.pairs_in_force is None:
        return f"nothing is approved yet; the budget is {counted(traffic.term_budget, 'term')}"
    left = traffic.term_budget - traffic.pairs_in_force
    beyond = "" if left >= 0 else f": {-left} more than the budget, which was lowered"
    return f"{counted(traffic.pairs_in_force, 'pair')} in force of {traffic.term_budget} terms{beyond}"


def ageing_words(traffic: RouterTraffic) -> str:
    """How many rules age out soon."""
    if not traffic.ageing:
        return "rules that age out are not known before the next proposal"
    rules, carried = sum(each.rules for each in traffic.ageing), sum(each.alpha_bytes for each in traffic.ageing)
    within = f"within {counted(len(traffic.ageing), 'complete day')} without alpha traffic of its pair"
    as_of = f"as of {traffic.ageing[0].day}"
    if not rules:
        return f"{as_of}, no rule ages out {within}"
    verb = agreeing(rules, "ages", "age")
    return f"{as_of}, {counted(rules, 'rule')} {verb} out {within}; they carried {gigabytes(carried)} so far"


def missing_load(traffic: RouterTraffic) -> str:
    """Why a day has no load to draw."""
    if not traffic.is_measured:
        return f"The load of {traffic.day} was not measured: its night has not run, or failed, or the lake was away."
    return (
        f"The load of {traffic.day} is not known by time of day: no core port with an snmp_index sent anything, or it "
        f"was measured by an earlier version (hntes stage measure --day {traffic.day} measures it again)."
    )
