"""What each split would make of the measured beta peak: criterion 5 of the gate, split by split."""

from collections.abc import Iterable
from dataclasses import dataclass

from gate import SIMULATED_BPS, Case, Lab, MemoryStore, PlannedPort, planned_ports
from gate.criteria import beta
from gate.criteria.reading import START_UP_S, goodput_bps, on_interval
from gate.judge import MOST_BETA_PCT
from gate.lab import Progress
from gate.shares.demand import Split
from rules.qos.build import PORT_BUFFER_MS, QUEUES, build_model
from rules.readback import read_back
from rules.render.text import render
from settings.model import Gate, Router
from settings.plans import Plan
from settings.terms import ALPHA
from simulator import load_experiment
from simulator.results import EngineName
from simulator.testbed.traffic import datagram_size


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
    progress: Progress = lambda _: None,
) -> tuple[SplitOutcome, ...]:
    """The outcomes of these splits at a beta load in bit/s on the wire, by growing beta share.

    Each split is rendered for the router and read back, so that it is the text that is judged. Nothing for a load that
    leaves no room for an alpha flow to be judged by.

    Raises:
        NotJudgedError: the router's plan has something that is not simulated.
        NotApplicableError: the lab's engine is the fluid one, and the plan needs packets.
        ScenarioError, EngineMissingError, UnsoundRunError: of the simulator.
    """
    listed = sorted(set(splits), key=lambda split: split.beta_share_pct)
    rate_bps = next(each.rate_bps for each in router.interfaces if each.name == port_name)
    load_pct = 100 * as_udp_ip_bps(load_bps) / rate_bps
    if load_pct > MOST_BETA_PCT:
        return ()
    cases = [Case(_planned(router, plan, split, port_name), gate, load_pct, is_measured=True) for split in listed]
    # all runs at once, side by side; the criterion then finds each in the lab's store
    lab.perform([run for case in cases for run in beta.wanted(case)], progress)
    return tuple(
        _outcome(split, case, lab, rate_bps / SIMULATED_BPS) for split, case in zip(listed, cases, strict=True)
    )


def fluid_lab() -> Lab:
    """A lab of the fluid engine alone: its runs take milliseconds, so nothing is kept on disk."""
    return Lab(MemoryStore(), workers=1, applies=lambda _: True, steady=lambda _scenario, _result: True)


def as_udp_ip_bps(wire_bps: float) -> float:
    """The simulated UDP load that takes as much of a link, in bit/s of IP bytes, as the gate counts them.

    Small packets take more of a link than flow records say; the simulated load has its own packets.
    """
    scenario = load_experiment(6).cases()[0].scenario(seed=1)
    datagram_bytes = next(f["traffic"]["datagram_bytes"] for f in scenario["flows"] if f["traffic"]["kind"] == "udp")
    ip_bytes, wire_bytes = datagram_size(datagram_bytes, scenario)
    return wire_bps * ip_bytes / wire_bytes


def _planned(router: Router, plan: Plan, split: Split, port_name: str) -> PlannedPort:
    shares = {"alpha_share_pct": split.alpha_share_pct, "beta_share_pct": split.beta_share_pct}
    model = build_model(router, plan.model_copy(update=shares), [])
    ports = planned_ports(
        read_back(router.platform, render(model), model.interfaces),
        [],
        alpha_queue=QUEUES[ALPHA],
        port_buffer_ms=PORT_BUFFER_MS,
    )
    return next(port for port in ports if port_name in port.ports)


def _outcome(split: Split, case: Case, lab: Lab, scale: float) -> SplitOutcome:
    ran = lab.perform(beta.wanted(case))
    verdicts = {verdict.measure: verdict for verdict in beta.verdicts(case, ran)}
    loss, delay = verdicts["beta_loss"], verdicts["beta_delay_increase"]
    start_s, end_s = on_interval(ran[0].scenario, "TCP1")
    return SplitOutcome(
        split=split,
        passes=all(verdict.is_passing for verdict in verdicts.values()),
        beta_loss_pct=loss.value or 0.0,
        beta_delay_increase_ms=delay.value or 0.0,
        alpha_goodput_bps=scale * goodput_bps(ran[0].trace, "TCP1", min(start_s + START_UP_S, end_s - 1), end_s),
        engine="fluid" if ran[0].trace.engine == "fluid" else "packet",
    )
