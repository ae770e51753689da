"""Simulation of splits at the measured beta peak: criterion 5 of the gate, split by split."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from hntes.gate.beta_peak import BetaPeak
from hntes.gate.criteria.beta import BETA
from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.criteria.reading import alpha_span_s
from hntes.gate.judge import MOST_BETA_PCT
from hntes.gate.lab import Lab, PerformedRun
from hntes.gate.ports import SIMULATED_BPS, PlannedPort, planned_ports
from hntes.gate.runs import START_UP_S
from hntes.gate.shares.demand import Split
from hntes.platforms.hardware_fit import model_of
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.settings.model import Gate, Router
from hntes.settings.plans import Plan
from hntes.simulator import EngineName, load_experiment
from hntes.simulator.engine import ShareCallback
from hntes.simulator.measures import mean_goodput_bps
from hntes.simulator.runs.store import MemoryRuns
from hntes.simulator.testbed.traffic import datagram_bytes, datagram_size


@dataclass(frozen=True)
class SplitOutcome:
    """One split at one beta load, while an alpha flow runs. `alpha_goodput_bps` is scaled to the port's rate.

    `passes` is criterion 5's: no loss of beta traffic, its delay within the bound.
    """

    split: Split
    passes: bool
    beta_loss_pct: float
    beta_delay_increase_ms: float
    alpha_goodput_bps: float
    engine: EngineName


def sweep(
    router: Router,
    plan: Plan,
    port_name: str,
    load_bps: int,
    splits: Iterable[Split],
    gate: Gate,
    lab: Lab,
    progress: ShareCallback = lambda _: None,
) -> tuple[SplitOutcome, ...]:
    """The outcomes of these splits at a beta load in bit/s on the wire, by growing beta share.

    Each split is rendered for the router and read back, so that it is the text that is judged. Nothing for a load that
    leaves no room for an alpha flow to be judged by.

    Raises:
        NotJudgedError: the router's plan has something that is not simulated.
        NotApplicableError: the lab asks the fluid engine only, and the plan needs packets.
        ScenarioError, UnsoundRunError: of the simulator.
    """
    listed = sorted(set(splits), key=lambda split: split.beta_share_pct)
    rate_bps = next(each.rate_bps for each in router.interfaces if each.name == port_name)
    load_pct = 100 * as_udp_ip_bps(load_bps) / rate_bps
    if load_pct > MOST_BETA_PCT:
        return ()
    plans = {
        split: JudgedPlan(planned_split(router, plan, split, port_name), gate, BetaPeak(load_pct, is_measured=True))
        for split in listed
    }
    runs = {(split, name): run for split, judged in plans.items() for name, run in BETA.wanted(judged).items()}
    ran = lab.perform(runs, progress)
    scale = rate_bps / SIMULATED_BPS
    return tuple(
        _outcome(split, judged, {name: ran[split, name] for name in BETA.wanted(judged)}, scale)
        for split, judged in plans.items()
    )


def fluid_lab() -> Lab:
    """A lab of the fluid engine alone: its runs take milliseconds, so nothing is kept on disk."""
    return Lab(MemoryRuns(), workers=1, only="fluid")


def as_udp_ip_bps(wire_bps: float) -> float:
    """The simulated UDP load that takes as much of a link, in bit/s of IP bytes, as the gate counts them.

    Small packets take more of a link than flow records say; the simulated load has its own packets.
    """
    ip_bytes, wire_bytes = _simulated_datagram()
    return wire_bps * ip_bytes / wire_bytes


@cache
def _simulated_datagram() -> tuple[int, int]:
    """IP and wire bytes of the packets of the simulated load, the same for every port."""
    scenario = load_experiment(6).cases()[0].scenario(seed=1)
    (udp,) = scenario.flows_of_kind("udp")
    return datagram_size(datagram_bytes(scenario.flow(udp)), scenario.tcp)


def planned_split(router: Router, plan: Plan, split: Split, port_name: str) -> PlannedPort:
    """The plan's port with these shares, as it is rendered for the router and read back."""
    shares = {"alpha_share_pct": split.alpha_share_pct, "beta_share_pct": split.beta_share_pct}
    model = model_of(router, plan.model_copy(update=shares), [])
    ports = planned_ports(
        parse_config(router.platform, render(model), model.interfaces),
        [],
        alpha_queue=router.queues.alpha,
        port_buffer_ms=model.port_buffer_ms,
    )
    return next(port for port in ports if port_name in port.ports)


def _outcome(split: Split, plan: JudgedPlan, ran: Mapping[str, PerformedRun], scale: float) -> SplitOutcome:
    verdicts = {verdict.measure: verdict for verdict in BETA.verdicts(plan, ran)}
    loaded = ran["loaded"]
    start_s, end_s = alpha_span_s(loaded)
    goodput_bps = mean_goodput_bps(loaded.result, "TCP1", (min(start_s + START_UP_S, end_s - 1), end_s))
    return SplitOutcome(
        split=split,
        passes=all(verdict.is_passing for verdict in verdicts.values()),
        beta_loss_pct=verdicts["beta_loss"].value or 0.0,
        beta_delay_increase_ms=verdicts["beta_delay_increase"].value or 0.0,
        alpha_goodput_bps=scale * goodput_bps,
        engine=loaded.engine,
    )
