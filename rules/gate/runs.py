"""The experiments that the gate runs through a plan's port, as scenarios for the simulator."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from settings.model import Gate
from simulator import PortPlan, QueuePlan, load_experiment
from simulator.traffic import shortened, with_udp_load, without

Scenario = dict[str, Any]

# What the plan is compared with in the figures: the published single queue.
SINGLE_QUEUE = PortPlan((QueuePlan("shared", 100, 100),), "shared", "shared")
IDLE_S = 20.0


def delay(plan: PortPlan, gate: Gate) -> Scenario:
    """Experiment 2: four alpha flows beside a ping."""
    return shortened(_through(2, "2-queues", "", plan, gate.seed), gate.run_s)


def idle(gate: Gate) -> Scenario:
    """Experiment 2's ping alone: what the delay of an idle network is."""
    scenario = _through(2, "2-queues", "", SINGLE_QUEUE, gate.seed)
    tcp = {flow["name"] for flow in scenario["flows"] if flow["traffic"]["kind"] == "tcp"}
    return shortened(without(scenario, tcp), IDLE_S)


def throughput(plan: PortPlan, gate: Gate, load_pct: float) -> Scenario:
    """Experiments 3 and 4: one alpha flow beside a constant beta load, in per cent of the port's rate."""
    scenario = shortened(_through(4, "2-queues", "", plan, gate.seed), gate.run_s)
    return with_udp_load(scenario, load_pct / 100 * port_bps(scenario))


def beta(plan: PortPlan, gate: Gate, peak_pct: float) -> Scenario:
    """Experiment 6: an alpha flow comes and goes beside the beta peak, in per cent of the port's rate."""
    scenario = shortened(_through(6, "beta-40", "htcp-udp-3", plan, gate.seed), gate.run_s)
    return with_udp_load(scenario, peak_pct / 100 * port_bps(scenario))


def fairness(plan: PortPlan, gate: Gate) -> Scenario:
    """Experiment 5: a second alpha flow with a similar round-trip time joins the first."""
    return shortened(_through(5, "2-queues", "similar-rtt", plan, gate.seed), gate.fairness_run_s)


def surprise(plan: PortPlan, gate: Gate, peak_pct: float) -> Scenario:
    """Experiment 7: an alpha flow that no rule knows yet lands among the beta traffic."""
    scenario = shortened(_through(7, "2-queues", "", plan, gate.seed), gate.run_s)
    return with_udp_load(scenario, peak_pct / 100 * port_bps(scenario))


def references(gate: Gate) -> list[Scenario]:
    """The single queue's runs, which all plans are compared with in figures."""
    return [delay(SINGLE_QUEUE, gate), throughput(SINGLE_QUEUE, gate, max(gate.beta_loads_pct))]


def port_bps(scenario: Mapping[str, Any]) -> float:
    """The rate of the scenario's port."""
    (port,) = scenario["ports"]
    ends = {port["at"], port["to"]}
    return next(float(link["rate_bps"]) for link in scenario["links"] if {link["from"], link["to"]} == ends)


@cache
def _through(number: int, configuration: str, variant: str, plan: PortPlan, seed: int) -> Scenario:
    return load_experiment(number).case(configuration, variant).scenario(seed, plan=plan)
