"""Paths of alpha flows as long as the settings say: the same runs, with hosts that are tuned for such a path."""

from collections.abc import Mapping
from dataclasses import replace

from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.hosts import harm
from hntes.gate.runs import TESTBED_MS, WantedRun
from hntes.gate.verdict import Verdict, joined_controls, value_words
from hntes.simulator.scenario import Scenario, Tcp

# A lone flow's goodput moves by 10 points from one recovery to the next: so much of it is measured packet by packet.
_FAR_PACKET_S = 120.0
# Windows have room for the path and such a buffer, as hosts have that are tuned for it (twice the path or more).
_TUNED_FOR_MS = 100.0
# An alpha queue of less than this part of the round trip runs empty in each recovery, as single bursts and losses
# decide: there the fluid engine is off by up to 14 points, from there on by less than 1 (decision 52).
_FLUID_FROM = 0.5


def over(wanted: WantedRun, plan: JudgedPlan) -> WantedRun:
    """The run over the plan's round trip: over the testbed's paths as it is, and without TCP flows."""
    senders = {flow.from_ for flow in wanted.scenario.flows if flow.traffic.kind == "tcp"}
    if plan.round_trip_ms <= TESTBED_MS or not senders:
        return wanted
    scenario = _tuned(_longer(wanted.scenario, senders, plan.round_trip_ms), plan)
    later_s = plan.start_up_s - wanted.start_up_s if wanted.start_up_s else 0.0
    measured_s = None if wanted.measured_s is None else wanted.measured_s + later_s
    reading = wanted.reading and replace(wanted.reading, from_s=wanted.reading.from_s + later_s)
    is_of_goodput = reading is not None and reading.kind == "goodput"
    is_short = plan.port.length_ms(plan.port.plan.alpha_queue) < _FLUID_FROM * plan.round_trip_ms
    return replace(
        wanted,
        scenario=scenario,
        packet_s=max(wanted.packet_s, _FAR_PACKET_S) if is_of_goodput else wanted.packet_s,
        needs_packets=wanted.needs_packets or (is_of_goodput and is_short),
        measured_s=measured_s,
        start_up_s=wanted.start_up_s + later_s,
        reading=reading,
        is_far=True,
    )


def _longer(scenario: Scenario, senders: set[str], round_trip_ms: float) -> Scenario:
    """Half of what is added lies in either direction of the senders' links."""
    added_us = (round_trip_ms - TESTBED_MS) * 1000 / 2
    links = (
        replace(link, delay_us=link.delay_us + added_us) if link.ends & senders else link for link in scenario.links
    )
    return replace(scenario, links=tuple(links))


def _tuned(scenario: Scenario, plan: JudgedPlan) -> Scenario:
    """Socket buffers that hold the path and the queue, in the proportions of the testbed's."""
    queue_ms = max(_TUNED_FOR_MS, plan.port.length_ms(plan.port.plan.alpha_queue))
    wanted_bytes = scenario.port_rate_bps() / 8 * (plan.round_trip_ms + queue_ms) / 1000
    return replace(scenario, tcp=_with_window(scenario.tcp, wanted_bytes))


def _with_window(tcp: Tcp, wanted_bytes: float) -> Tcp:
    if tcp.window_bytes is None or tcp.window_bytes >= wanted_bytes:
        return tcp
    factor = wanted_bytes / tcp.window_bytes
    clamped, held = tcp.clamped_window_bytes, tcp.clamp_held_bytes
    return replace(
        tcp,
        window_bytes=round(wanted_bytes),
        clamped_window_bytes=None if clamped is None else round(clamped * factor),
        clamp_held_bytes=None if held is None else round(held * factor),
    )


def worst_round_trip(found: Mapping[float, Verdict]) -> Verdict:
    """Of one measure the worst verdict over round trips in ms; its sentence names it, and the values of the others."""
    (round_trip_ms, worst) = max(found.items(), key=lambda each: harm(each[1]))
    worst = replace(worst, controls=joined_controls(found.values()))
    if len({verdict.sentence for verdict in found.values()}) == 1:
        return worst
    others = [
        f"{value} at {each:g} ms"
        for each, verdict in found.items()
        if each != round_trip_ms and (value := value_words(verdict.value, verdict.unit, verdict.limit))
    ]
    told = f" ({', '.join(others)})" if others else ""
    sentence = f"at a round trip of {round_trip_ms:g} ms, {worst.sentence}{told}"
    return replace(worst, sentence=sentence, round_trip_ms=round_trip_ms)
