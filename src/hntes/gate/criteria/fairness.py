"""Criterion 6, fairness: several alpha flows at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from hntes.gate import runs
from hntes.gate.criteria.criterion import Measure
from hntes.gate.criteria.plan import JudgedPlan, cause_unless
from hntes.gate.lab import PerformedRun
from hntes.gate.runs import START_UP_S, WantedRun
from hntes.gate.verdict import Measured, Verdict, amount, outcome_of
from hntes.simulator import RunResult
from hntes.simulator.measures import (
    Span,
    deliberate_drops_pkts,
    green_drops_pkts,
    interval_starts_s,
    jain_index,
    mean_excess_bps,
    mean_goodput_bps,
    mean_green_bps,
)
from hntes.simulator.results import Floats
from hntes.sql.entries import CriterionName

_NUMBERS = {2: "two", 4: "four"}


@dataclass(frozen=True)
class Fairness:
    """Alpha flows share alike, and nothing of them is discarded on purpose.

    What it checks:
        Packets that policers and early drops discard, but for 5 s after each flow's start; and Jain's index of the
        flows' goodputs over the later half of the time that all are on. Behind a marker of three colours only green
        packets count as lost on purpose, since yellow and red ones are there to be dropped first; and the index is
        asked of what arrives green and of what arrives yellow or red (IP bytes), too. The share of the longer
        round-trip time is only reported: it is mainly due to TCP, not to the plan.

    Why:
        Experiment 5: early drops of what a policer marked keep the queue nearly empty, so that every halving costs
        throughput; as simulated, 8.9 Gb/s in all instead of 9.4, and with round-trip times of 2 and 52 ms the index
        falls to 0.60. Laatu, Harju and Loula, tables 2 and 4: four flows share the green throughput with an index of
        0.999 if each has a marker of its own, of 0.926 if one meters all.

    Limit:
        `max_policer_drops_pkts`, 0, and `jain_index`, 0.9, of `[gate]`.

    When it is wrong:
        Two H-TCP flows need a minute to reach equal shares. With a short `fairness_run_s` a good plan may fall below
        the index. The share of the longer path is the fluid engine's of one run, whose steadiness is not looked at.
    """

    name: CriterionName = "fairness"
    title: str = "Do alpha flows share alike, and is nothing of them discarded on purpose?"
    runs: str = "experiment 5, similar round-trip times; behind a marker experiment 2's four flows, which stay"
    is_of_each_round_trip: bool = True
    is_of_all_hosts: bool = True
    measures: tuple[Measure, ...] = (
        Measure(
            "packets (behind a marker: green ones) that policers and early drops discard, but for 5 s after each "
            "flow's start",
            "max_policer_drops_pkts",
        ),
        Measure("Jain's index over the later half of the time all flows are on", "jain_index"),
        Measure("behind a marker, the same of what arrives green", "jain_index"),
        Measure("behind a marker, the same of what arrives yellow or red", "jain_index"),
        Measure("without a marker, what the longer path's flow gets of both, with round-trip times of 2 and 52 ms"),
        Measure(
            "over the longest round trip, what a CUBIC flow gets of both 10 to 20 s after a BBR flow has joined it"
        ),
        Measure("over the longest round trip, what a BBR flow alone sends again in its first 12 s"),
    )

    def wanted(self, plan: JudgedPlan) -> dict[str, WantedRun]:
        """Experiment 5 with similar round-trip times, and with different ones; behind a marker four flows."""
        about = plan.port.plan, plan.gate, plan.hosts
        if plan.port.plan.marker is not None:
            return {"loaded": runs.fairness_of_four(*about)}
        unequal = {} if plan.is_far else {"unequal": runs.unequal_paths(*about)}
        return {"loaded": runs.fairness(*about), **unequal}

    def verdicts(self, plan: JudgedPlan, ran: Mapping[str, PerformedRun]) -> list[Verdict]:
        """Deliberate losses after each flow's start-up, Jain's index over the later half of all, the longer path."""
        flows = _Flows(ran["loaded"], plan.start_up_s)
        if plan.port.plan.marker is None:
            lost_pkts = flows.lost_pkts(deliberate_drops_pkts)
            longer = [] if plan.is_far else [self._longer(ran.get("unequal"))]
            return [self._losses(plan, flows, lost_pkts), self._goodput(plan, flows), *longer]
        lost_pkts = flows.lost_pkts(green_drops_pkts)
        return [
            self._losses(plan, flows, lost_pkts, "green "),
            self._goodput(plan, flows),
            self._green(plan, flows),
            self._excess(plan, flows),
        ]

    def _losses(self, plan: JudgedPlan, flows: "_Flows", lost_pkts: int, colour: str = "") -> Verdict:
        limit = plan.gate.max_policer_drops_pkts
        holds = lost_pkts <= limit
        what = f"{lost_pkts} {colour}packets of {flows.words} would be discarded on purpose after start-up"
        measured = Measured(self.name, "deliberate_losses", float(lost_pkts), "packets", float(limit), flows.run)
        return measured.verdict(outcome_of(holds=holds), what + cause_unless(holds, plan.port))

    def _goodput(self, plan: JudgedPlan, flows: "_Flows") -> Verdict:
        jain = jain_index(flows.rates_bps(mean_goodput_bps))
        what = f"{flows.words} with similar round-trip times would share with {_index(plan, jain)}"
        return self._share(plan, flows, "jain_index", jain, what)

    def _longer(self, unequal: PerformedRun | None) -> Verdict:
        name = "longer_path_share"
        if unequal is None:
            reason = "the fluid engine, which is used for that, does not model these hosts or this plan"
            return Verdict(self.name, name, "reported", f"round-trip times of 2 and 52 ms are not simulated: {reason}")
        shorter_bps, longer_bps = _Flows(unequal, START_UP_S).rates_bps(mean_goodput_bps)
        if not shorter_bps + longer_bps:
            nothing = Measured(self.name, name, None, "%", None, unequal)
            return nothing.verdict("reported", "nothing of two alpha flows with unequal round-trip times would arrive")
        share_pct = 100 * longer_bps / (shorter_bps + longer_bps)
        jain = jain_index([shorter_bps, longer_bps])
        what = (
            f"of two alpha flows with round-trip times of 2 and 52 ms, the one with 52 ms would get {share_pct:.3g}% "
            f"of what both get, the other {100 - share_pct:.3g}% (Jain index {jain:.2f})"
        )
        return Measured(self.name, name, share_pct, "%", None, unequal).verdict("reported", what)

    def _green(self, plan: JudgedPlan, flows: "_Flows") -> Verdict:
        jain = jain_index(flows.rates_bps(mean_green_bps))
        what = f"{flows.words} would share what arrives within the committed rate with {_index(plan, jain)}"
        return self._share(plan, flows, "jain_index_green", jain, what)

    def _excess(self, plan: JudgedPlan, flows: "_Flows") -> Verdict:
        rates_bps, name = flows.rates_bps(mean_excess_bps), "jain_index_excess"
        if not any(rates_bps):
            nothing = Measured(self.name, name, None, "", None, flows.run)
            return nothing.verdict("reported", f"nothing of {flows.words} would arrive above the committed rate")
        jain = jain_index(rates_bps)
        what = (
            f"{flows.words} would share what arrives above the committed rate with a Jain index of {_index(plan, jain)}"
        )
        return self._share(plan, flows, name, jain, what)

    def _share(self, plan: JudgedPlan, flows: "_Flows", measure: str, jain: float, what: str) -> Verdict:
        holds = jain >= plan.gate.jain_index
        measured = Measured(self.name, measure, jain, "", plan.gate.jain_index, flows.run)
        return measured.verdict(outcome_of(holds=holds), what + cause_unless(holds, plan.port))


def _index(plan: JudgedPlan, jain: float) -> str:
    return f"a Jain index of {amount(jain, plan.gate.jain_index)}"


class _Flows:
    """The alpha flows of a run, with the times when each is on."""

    def __init__(self, run: PerformedRun, start_up_s: float) -> None:
        self.run = run
        self.start_up_s = start_up_s
        self.spans = {flow: run.scenario.on_span_s(flow) for flow in run.scenario.flows_of_kind("tcp")}

    @property
    def words(self) -> str:
        """Their number, for sentences."""
        return f"{_NUMBERS[len(self.spans)]} alpha flows"

    def lost_pkts(self, drops_of: Callable[[RunResult], Floats]) -> int:
        """The drops per interval outside of the flows' start-up."""
        drops_pkts = drops_of(self.run.result)
        at_s = interval_starts_s(self.run.result, len(drops_pkts))
        starts_s = [start for start, _ in self.spans.values()]
        starting = np.any([(at_s >= start) & (at_s < start + self.start_up_s) for start in starts_s], axis=0)
        return int(drops_pkts[~starting].sum())

    def rates_bps(self, rate_of: Callable[[RunResult, str, Span], float]) -> list[float]:
        """Each flow's rate over the later half of the time in which all are on."""
        start_s = max(start for start, _ in self.spans.values())
        end_s = min(end for _, end in self.spans.values())
        return [rate_of(self.run.result, flow, ((start_s + end_s) / 2, end_s)) for flow in self.spans]


FAIRNESS = Fairness()
