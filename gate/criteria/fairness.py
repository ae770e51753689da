"""Criterion 6, fairness: two alpha flows at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gate import runs
from gate.criteria.criterion import Measure
from gate.criteria.plan import JudgedPlan, cause_unless
from gate.criteria.reading import START_UP_S
from gate.lab import PerformedRun
from gate.runs import WantedRun
from gate.verdict import Measured, Verdict, outcome_of
from simulator import RunResult
from simulator.measures import Span, deliberate_drops_pkts, interval_starts_s, jain_index, mean_goodput_bps
from simulator.scenario import flows_of_kind, on_span_s
from sql.entries import CriterionName


@dataclass(frozen=True)
class Fairness:
    """Two alpha flows share alike, and nothing of them is discarded on purpose.

    What it checks:
        Packets that policers and early drops discard, but for 5 s after each flow's start; and Jain's index of the
        two flows' goodputs over the later half of the time that both are on.

    Why:
        Experiment 5: early drops of what a policer marked keep the queue nearly empty, so that every halving costs
        throughput; as simulated, 8.9 Gb/s in all instead of 9.4, and with round-trip times of 2 and 52 ms the index
        falls to 0.60.

    Limit:
        `deliberate_losses_pkts`, 0, and `jain_index`, 0.9, of `[gate]`.

    When it is wrong:
        Two H-TCP flows need a minute to reach equal shares. With a short `fairness_run_s` a good plan may fall below
        the index.
    """

    name: CriterionName = "fairness"
    title: str = "Do two alpha flows share alike, and is nothing of them discarded on purpose?"
    runs: str = "experiment 5, similar round-trip times"
    measures: tuple[Measure, ...] = (
        Measure(
            "packets that policers and early drops discard, but for 5 s after each flow's start",
            "deliberate_losses_pkts",
        ),
        Measure("Jain's index over the later half of the time both flows are on", "jain_index"),
    )

    def wanted(self, plan: JudgedPlan) -> dict[str, WantedRun]:
        """Experiment 5 with similar round-trip times."""
        return {"loaded": runs.fairness(plan.port.plan, plan.gate, plan.hosts)}

    def verdicts(self, plan: JudgedPlan, ran: Mapping[str, PerformedRun]) -> list[Verdict]:
        """Deliberate losses after each flow's start-up, and Jain's index over the later half of both."""
        run = ran["loaded"]
        spans = {flow: on_span_s(run.scenario, flow) for flow in flows_of_kind(run.scenario, "tcp")}
        lost_pkts = _lost_on_purpose_pkts(run.result, [start for start, _ in spans.values()])
        later_half = _later_half_of_all(list(spans.values()))
        jain = jain_index([mean_goodput_bps(run.result, flow, later_half) for flow in spans])
        return [self._losses(plan, run, lost_pkts), self._share(plan, run, jain)]

    def _losses(self, plan: JudgedPlan, run: PerformedRun, lost_pkts: int) -> Verdict:
        limit = plan.gate.deliberate_losses_pkts
        holds = lost_pkts <= limit
        what = f"{lost_pkts} packets of two alpha flows would be discarded on purpose after start-up"
        measured = Measured(self.name, "deliberate_losses", float(lost_pkts), "packets", float(limit), run)
        return measured.verdict(outcome_of(holds=holds), what + cause_unless(holds, plan.port))

    def _share(self, plan: JudgedPlan, run: PerformedRun, jain: float) -> Verdict:
        holds = jain >= plan.gate.jain_index
        what = f"two alpha flows with similar round-trip times would share with a Jain index of {jain:.2f}"
        measured = Measured(self.name, "jain_index", jain, "", plan.gate.jain_index, run)
        return measured.verdict(outcome_of(holds=holds), what + cause_unless(holds, plan.port))


def _lost_on_purpose_pkts(run: RunResult, flow_starts_s: Sequence[float]) -> int:
    drops_pkts = deliberate_drops_pkts(run)
    at_s = interval_starts_s(run, len(drops_pkts))
    starting = np.any([(at_s >= start) & (at_s < start + START_UP_S) for start in flow_starts_s], axis=0)
    return int(drops_pkts[~starting].sum())


def _later_half_of_all(spans: Sequence[Span]) -> Span:
    """The later half of the time in which all are on."""
    start_s, end_s = max(start for start, _ in spans), min(end for _, end in spans)
    return (start_s + end_s) / 2, end_s


FAIRNESS = Fairness()
