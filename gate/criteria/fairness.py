"""Criterion 6: two alpha flows share alike, and nothing is discarded on purpose (experiment 5)."""

import numpy as np

from gate import runs
from gate.criteria.case import Case, cause
from gate.criteria.reading import START_UP_S, goodput_bps, on_interval, tcp_flows
from gate.lab import Ran
from gate.runs import Run
from gate.verdict import Verdict, judged


def wanted(case: Case) -> list[Run]:
    """Experiment 5 with similar round-trip times."""
    return [runs.fairness(case.port.plan, case.gate)]


def verdicts(case: Case, ran: list[Ran]) -> list[Verdict]:
    """Deliberate losses after each flow's start-up, and Jain's index over the later half of the time both are on."""
    (only,) = ran
    scenario = only.scenario
    gate, trace = case.gate, only.trace
    source = trace.engine, trace.seed, only.scenario_hash
    spans = [on_interval(scenario, flow) for flow in tcp_flows(scenario)]
    deliberate = np.asarray(trace.deliberate_pkts)
    starts = np.arange(len(deliberate)) * trace.interval_s
    calm = ~np.any([(starts >= start) & (starts < start + START_UP_S) for start, _ in spans], axis=0)
    lost_pkts = int(deliberate[calm].sum())
    both_s = max(start for start, _ in spans), min(end for _, end in spans)
    rates = np.array([goodput_bps(trace, flow, sum(both_s) / 2, both_s[1]) for flow in tcp_flows(scenario)])
    jain = float(rates.sum() ** 2 / (len(rates) * (rates**2).sum())) if rates.any() else 0.0
    lost_told = f"{lost_pkts} packets of two alpha flows would be discarded on purpose after start-up"
    jain_told = f"two alpha flows with similar round-trip times would share with a Jain index of {jain:.2f}"
    lost_holds, jain_holds = lost_pkts <= gate.deliberate_losses_pkts, jain >= gate.jain_index
    return [
        Verdict(
            "fairness", "deliberate_losses", judged(holds=lost_holds), lost_told + _why(case, holds=lost_holds),
            float(gate.deliberate_losses_pkts), float(lost_pkts), "packets", *source,
        ),
        Verdict(
            "fairness", "jain_index", judged(holds=jain_holds), jain_told + _why(case, holds=jain_holds),
            gate.jain_index, jain, "", *source,
        ),
    ]  # fmt: skip


def _why(case: Case, *, holds: bool) -> str:
    return "" if holds else f": {cause(case.port)}"
