"""Criterion 4, order: an alpha flow's packets arrive in the order in which they were sent."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hntes.gate import runs
from hntes.gate.criteria.criterion import Measure
from hntes.gate.criteria.plan import JudgedPlan, cause
from hntes.gate.lab import PerformedRun
from hntes.gate.runs import WantedRun
from hntes.gate.verdict import Measured, Verdict, outcome_of
from hntes.simulator import RunResult
from hntes.sql.entries import CriterionName

# Recovery from a burst of losses, a time-out included, is over within this time.
RECOVERY_S = 3.0
# Minimum time without losses to judge a plan that may reorder.
LEAST_CLEAN_S = 10.0


@dataclass(frozen=True)
class Order:
    """Packets of an alpha flow arrive in order unless one was lost.

    What it checks:
        Packets that arrive late in those seconds in which, and in the 3 s before which, the flow lost nothing: a drop
        explains what comes out of sequence until its recovery is over. Or, over the whole run, late packets beyond
        those that were sent again, if that is more: what was sent once and arrives late was overtaken.

    Why:
        Experiments 3 and 4: packets above a policer's rate that go by another queue overtake each other; TCP takes
        that for loss and slows down.

    Limit:
        `out_of_sequence_pkts` of `[gate]`, 0.

    When it is wrong:
        If losses leave less than 10 s to look at, and no more packets are late than were sent again, a plan that moves
        packets between queues is not judged: what comes out of sequence may be due to recovery. A plan that moves none
        cannot reorder, and passes; so its run need not be one of packets.
    """

    name: CriterionName = "order"
    title: str = "Do packets of an alpha flow arrive in order unless one was lost?"
    runs: str = "the run of 3 beside the largest load; a plan that moves packets to another queue needs packets"
    is_of_each_round_trip: bool = True
    measures: tuple[Measure, ...] = (
        Measure(
            "late packets in seconds in which, and in the 3 s before which, the flow lost nothing; or, if more, late "
            "packets beyond those sent again",
            "out_of_sequence_pkts",
        ),
    )

    def wanted(self, plan: JudgedPlan) -> dict[str, WantedRun]:
        """Criterion 3's run beside the largest load, packet by packet if the plan moves packets."""
        port, most_pct = plan.port.plan, max(plan.loads_pct)
        return {"loaded": runs.throughput(port, plan.gate, plan.hosts, most_pct, needs_packets=plan.moves_packets)}

    def verdicts(self, plan: JudgedPlan, ran: Mapping[str, PerformedRun]) -> list[Verdict]:
        """Out-of-sequence arrivals that no loss explains."""
        pkts, clean_s = _unexplained(ran["loaded"].result, "TCP1")
        limit = plan.gate.out_of_sequence_pkts
        holds = pkts <= limit
        if holds and clean_s < LEAST_CLEAN_S and plan.moves_packets:
            unknown = Measured(self.name, "out_of_sequence", None, "packets", float(limit), ran["loaded"])
            why = f"losses throughout: reordering cannot be distinguished from recovery; {cause(plan.port)}"
            return [unknown.verdict("not_judged", why)]
        what = "packets of an alpha flow would arrive in sequence unless one is lost"
        if not holds:
            late = f"{pkts} packets of an alpha flow would arrive out of sequence though none was lost"
            what = f"{late}: {cause(plan.port)}"
        measured = Measured(self.name, "out_of_sequence", float(pkts), "packets", float(limit), ran["loaded"])
        return [measured.verdict(outcome_of(holds=holds), what)]


def _unexplained(run: RunResult, flow: str) -> tuple[int, float]:
    """Out-of-sequence packets that no loss can explain, and how long the intervals without losses are together."""
    late_pkts, lost = run.of_flow(flow, "out_of_sequence_pkts"), run.of_flow(flow, "dropped_pkts") > 0
    back = round(RECOVERY_S / run.interval_s)
    clean = np.array([not lost[max(0, index - back) : index + 1].any() for index in range(len(lost))], dtype=bool)
    sent_once_pkts = int(late_pkts.sum()) - int(run.of_flow(flow, "retransmitted_pkts").sum())
    return max(int(late_pkts[clean].sum()), sent_once_pkts), float(clean.sum() * run.interval_s)


ORDER = Order()
