"""Criterion 4: packets of an alpha flow arrive in order unless one was lost (experiments 3 and 4)."""

import numpy as np

from gate import runs
from gate.criteria.case import Case, cause
from gate.lab import Ran
from gate.runs import Run
from gate.trace import FlowTrace, Trace
from gate.verdict import Verdict, judged

# Recovery from a burst of losses, a time-out included, is over within this time.
RECOVERY_S = 3.0
# Less time without losses than this tells nothing of a plan that may reorder.
LEAST_CLEAN_S = 10.0


def wanted(case: Case) -> list[Run]:
    """Criterion 3's run beside the largest load, packet by packet."""
    return [runs.throughput(case.port.plan, case.gate, max(case.gate.beta_loads_pct), needs_packets=True)]


def verdicts(case: Case, ran: list[Ran]) -> list[Verdict]:
    """Out-of-sequence arrivals while nothing of the flow was lost lately."""
    (only,) = ran
    pkts, clean_s = _unexplained(only.trace, only.trace.flow("TCP1"))
    limit, source = case.gate.out_of_sequence_pkts, (only.trace.engine, only.trace.seed, only.scenario_hash)
    policer = case.port.plan.policer
    if policer is not None and policer.to_queue is not None and pkts <= limit and clean_s < LEAST_CLEAN_S:
        told = f"losses everywhere: order cannot be told apart from recovery; {cause(case.port)}"
        return [Verdict("order", "out_of_sequence", "not_judged", told, float(limit), None, "packets", *source)]
    holds = pkts <= limit
    told = f"{pkts} packets of an alpha flow would arrive out of sequence though none was lost: {cause(case.port)}"
    if holds:
        told = "packets of an alpha flow would arrive in sequence unless one is lost"
    verdict = Verdict(
        "order", "out_of_sequence", judged(holds=holds), told, float(limit), float(pkts), "packets", *source
    )
    return [verdict]


def _unexplained(trace: Trace, flow: FlowTrace) -> tuple[int, float]:
    """Out-of-sequence packets in intervals that no loss can explain, and how long these are together."""
    lost = np.asarray(flow.dropped_pkts) > 0
    back = round(RECOVERY_S / trace.interval_s)
    clean = np.array([not lost[max(0, index - back) : index + 1].any() for index in range(len(lost))], dtype=bool)
    return int(np.asarray(flow.out_of_sequence_pkts)[clean].sum()), float(clean.sum() * trace.interval_s)
