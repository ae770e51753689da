"""The experiments that the gate runs through a plan's port, as scenarios for the simulator."""

from dataclasses import dataclass, replace
from functools import cache
from math import ceil, sqrt

from hntes.settings.hosts import HostProfile
from hntes.settings.model import Gate
from hntes.simulator import PortPlan, QueuePlan, load_experiment
from hntes.simulator.scenario import Host, Scenario
from hntes.simulator.steadiness.reading import Reading
from hntes.simulator.testbed.class_scenarios import class_scenario
from hntes.simulator.testbed.files import load_parameters
from hntes.simulator.testbed.premium_plan import PremiumPlan
from hntes.simulator.testbed.reservation_scenarios import Sending, premium_scenario, without_reservations
from hntes.simulator.testbed.traffic import staying, with_udp_load, without

# The published single queue, of the testbed's whole buffer.
SINGLE_QUEUE = PortPlan((QueuePlan("shared", 100, 100),), "shared", "shared")
TESTBED: HostProfile = "linux-2.6.33"
# Slow start overshoots into the queue and recovers within this time (experiment 4: all losses in the first 3 s).
START_UP_S = 5.0
# The round trip of the testbed's own paths; runs over them are as published.
TESTBED_MS = 2.0
# H-TCP regains half of its window at 10 Gb/s in about 2.9 sqrt(rtt / ms) seconds: it grows by 10 packets per round trip
# for each second since the last loss, which Linux divides by 100 ms / rtt. A sixth more is for the slow start itself.
_START_UP_S_PER_SQRT_MS = 3.4


@dataclass(frozen=True)
class WantedRun:
    """A scenario of the published length; `packet_s` is its length where it has to be run packet by packet.

    `measured_s`: when all that is measured of it has happened, a run ends; None: at its end. It shrinks with the
    length, as all times of a run do, but for the `start_up_s` in it.
    `is_fluid_only`: not worth a run packet by packet; it is left out where the fluid engine does not apply.
    `is_only_reported`: nothing depends on what it measures, so that the fluid engine's result counts, steady or not.
    `reading`: what the criterion reads of it; over a longer path than the testbed's (`is_far`), a fluid result has to
    be steady in that alone. Without one it counts there as it is: the shortest path fills queues most.
    """

    scenario: Scenario
    packet_s: float
    needs_packets: bool = False
    is_fluid_only: bool = False
    measured_s: float | None = None
    start_up_s: float = 0.0
    is_only_reported: bool = False
    reading: Reading | None = None
    is_far: bool = False


def start_up_s(round_trip_ms: float) -> float:
    """How long an alpha flow takes to get over its slow start.

    Example:
        >>> [start_up_s(each) for each in (2, 20, 80)]
        [5.0, 16.0, 31.0]
    """
    return max(START_UP_S, float(ceil(_START_UP_S_PER_SQRT_MS * sqrt(round_trip_ms))))


def delay(plan: PortPlan, gate: Gate, hosts: HostProfile, *, needs_packets: bool = False) -> WantedRun:
    """Experiment 2 until the fourth alpha flow leaves: one after the other comes beside a ping."""
    scenario = _through(2, "2-queues", "", plan, gate.seed, hosts)
    return WantedRun(scenario, gate.run_s, needs_packets, measured_s=scenario.on_span_s("TCP4")[1])


def idle(gate: Gate) -> WantedRun:
    """Experiment 2's ping alone: what the delay of an idle network is. Without TCP, hosts of any kind are alike."""
    scenario = _through(2, "2-queues", "", SINGLE_QUEUE, gate.seed, TESTBED)
    return WantedRun(without(scenario, scenario.flows_of_kind("tcp")), gate.run_s)


def throughput(
    plan: PortPlan, gate: Gate, hosts: HostProfile, load_pct: float, *, needs_packets: bool = False
) -> WantedRun:
    """Experiments 3 and 4: one alpha flow beside a constant beta load, in per cent of the port's rate.

    What is measured after the start-up takes half of the length.
    """
    scenario = _through(4, "2-queues", "", plan, gate.seed, hosts)
    half_s = scenario.duration_s / 2
    return WantedRun(
        _with_load(scenario, load_pct), gate.run_s, needs_packets, measured_s=START_UP_S + half_s,
        start_up_s=START_UP_S, reading=Reading("goodput", START_UP_S),
    )  # fmt: skip


def beta(plan: PortPlan, gate: Gate, hosts: HostProfile, peak_pct: float) -> WantedRun:
    """Experiment 6: an alpha flow comes and goes beside the beta peak, in per cent of the port's rate."""
    scenario = _through(6, "beta-40", "htcp-udp-3", plan, gate.seed, hosts)
    start_s, end_s = scenario.on_span_s("TCP1")
    return WantedRun(_with_load(scenario, peak_pct), gate.run_s, measured_s=end_s, reading=Reading("beside", start_s))


def fairness(plan: PortPlan, gate: Gate, hosts: HostProfile) -> WantedRun:
    """Experiment 5: a second alpha flow with a similar round-trip time joins the first."""
    scenario = _through(5, "2-queues", "similar-rtt", plan, gate.seed, hosts)
    start_s, end_s = scenario.on_span_s("TCP2")
    reading = Reading("goodput", (start_s + end_s) / 2)
    return WantedRun(scenario, gate.fairness_run_s, measured_s=end_s, reading=reading)


def unequal_paths(plan: PortPlan, gate: Gate, hosts: HostProfile) -> WantedRun:
    """Experiment 5 with round-trip times of 2 and 52 ms.

    Published, a delay emulator at the sender made the 50 ms, and its queue is believed to have overflowed. Here they
    are the path's, as in a network: nothing is lost in them.
    """
    published = _through(5, "2-queues", "different-rtt", plan, gate.seed, hosts)
    scenario = replace(published, hosts=tuple(map(_with_unlimited_delay, published.hosts)))
    return WantedRun(scenario, gate.fairness_run_s, is_fluid_only=True, measured_s=scenario.on_span_s("TCP2")[1])


def fairness_of_four(plan: PortPlan, gate: Gate, hosts: HostProfile) -> WantedRun:
    """Experiment 2's four alpha flows, of which each that has come stays; behind a marker, which needs packets."""
    scenario = _through(2, "2-queues", "", plan, gate.seed, hosts)
    alone = without(scenario, scenario.flows_of_kind("ping"))
    return WantedRun(staying(alone), gate.fairness_run_s, needs_packets=True)


def surprise(plan: PortPlan, gate: Gate, hosts: HostProfile, peak_pct: float) -> WantedRun:
    """Experiment 7: an alpha flow that no rule knows yet lands among the beta traffic."""
    scenario = _through(7, "2-queues", "", plan, gate.seed, hosts)
    measured_s = scenario.on_span_s("TCP1")[1]
    return WantedRun(_with_load(scenario, peak_pct), gate.run_s, measured_s=measured_s, is_only_reported=True)


def premium(plan: PremiumPlan, gate: Gate, hosts: HostProfile, sending: Sending) -> WantedRun:
    """Reservations beside overload of alpha and best effort, all used alike."""
    return _by_packets(premium_scenario(plan, sending, load_parameters(hosts), gate.seed))


def premium_idle(plan: PremiumPlan, gate: Gate) -> WantedRun:
    """The pings of reservations' queues alone. Without TCP, hosts of any kind are alike."""
    return _by_packets(premium_scenario(plan, "none", load_parameters(TESTBED), gate.seed, overload=()))


def without_premium(plan: PremiumPlan, gate: Gate, hosts: HostProfile) -> WantedRun:
    """Overload of alpha and best effort through the port without the queues of reservations."""
    unused = premium_scenario(plan, "none", load_parameters(hosts), gate.seed)
    return _by_packets(without_reservations(unused, plan))


def classes(plan: PortPlan, kept: tuple[str, ...], gate: Gate, hosts: HostProfile, *, with_alpha: bool) -> WantedRun:
    """The operator's classes in use beside unmarked traffic that fills the port, with alpha flows or without."""
    return _by_packets(class_scenario(plan, kept, load_parameters(hosts), gate.seed, with_alpha=with_alpha))


def _by_packets(scenario: Scenario) -> WantedRun:
    return WantedRun(scenario, scenario.duration_s, needs_packets=True)


def _with_load(scenario: Scenario, load_pct: float) -> Scenario:
    return with_udp_load(scenario, load_pct / 100 * scenario.port_rate_bps())


def _with_unlimited_delay(host: Host) -> Host:
    if host.delay_emulator is None:
        return host
    return replace(host, delay_emulator=replace(host.delay_emulator, limit_buffers=None))


@cache
def _through(number: int, configuration: str, variant: str, plan: PortPlan, seed: int, hosts: HostProfile) -> Scenario:
    case = load_experiment(number).case(configuration, variant)
    return case.scenario(seed, load_parameters(hosts), plan)
