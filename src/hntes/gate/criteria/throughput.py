"""Criterion 3, throughput: one alpha flow with a constant beta load."""

from collections.abc import Mapping
from dataclasses import dataclass

from hntes.gate import runs
from hntes.gate.criteria.criterion import Measure
from hntes.gate.criteria.plan import JudgedPlan, cause, cause_unless, why_lost
from hntes.gate.criteria.reading import beta_loss_pct
from hntes.gate.lab import PerformedRun
from hntes.gate.runs import WantedRun
from hntes.gate.verdict import Measured, Verdict, amount, outcome_of
from hntes.simulator.measures import ALWAYS, mean_goodput_bps
from hntes.simulator.scenario import Scenario, UdpTraffic
from hntes.simulator.testbed.traffic import datagram_bytes, datagram_size, full_segment_bytes, segment_data_bytes
from hntes.sql.entries import CriterionName

# Above it an alpha flow takes what is the load's.
MOST_PCT = 101.0
FRAMING_BYTES = 38  # Ethernet: preamble, header, check sequence, gap
_ONE_QUEUE = "one_queue"


@dataclass(frozen=True)
class Throughput:
    """An alpha flow gets what the link leaves beside the beta load, and no more.

    What it checks:
        The goodput of one alpha flow past its first 5 s, for half of the run's length, beside each of
        `beta_loads_pct`, in per cent of what a work-conserving link leaves: the port's rate less the load's time on
        the link, of which 1448 of 1538 bytes are payload. And what that costs the load. Loads above the port's beta
        peak are not asked. Beside a peak below the lightest of them a sender as fast as the port may lose packets in
        itself, not in the port: there it is per cent of what the flow gets through one queue of the whole buffer, if
        that is less.

    Why:
        Experiments 3 and 4: a policer that moves packets to another queue, or a queue held to its share, leaves most
        of the link unused; with two queues nothing is.

    Limit:
        `throughput_pct` of `[gate]`, 95: room for TCP's own recoveries. What is above 101% is taken from the load:
        a queue that drains gives less than 1%. `beta_loss_pct`, 0, of the load.

    When it is wrong:
        A single real flow may never reach the rate of a port above 10 Gb/s, whatever the plan.
    """

    name: CriterionName = "throughput"
    title: str = "Does an alpha flow get what the link leaves beside the beta load, and no more?"
    runs: str = "experiments 3 and 4, half as long: one alpha flow beside each of `beta_loads_pct`"
    is_of_each_round_trip: bool = True
    is_of_all_hosts: bool = True
    measures: tuple[Measure, ...] = (
        Measure(
            "goodput after the first 5 s, in per cent of what the link leaves beside the load; of a quiet port, of "
            "what one queue for all gives if that is less",
            "throughput_pct",
        ),
        Measure("loss of the load meanwhile", "beta_loss_pct"),
        Measure(
            "over the longest round trip, packet by packet: goodput of a CUBIC flow for 15 s after its start, in "
            "per cent of what the lightest load leaves",
            "throughput_pct",
        ),
    )

    def wanted(self, plan: JudgedPlan) -> dict[str, WantedRun]:
        """One run for each beta load of the settings, and of a quiet port one through a single queue."""
        asked = {_beside(load): runs.throughput(plan.port.plan, plan.gate, plan.hosts, load) for load in plan.loads_pct}
        if plan.is_quiet:
            asked[_ONE_QUEUE] = runs.throughput(runs.SINGLE_QUEUE, plan.gate, plan.hosts, plan.loads_pct[0])
        return asked

    def verdicts(self, plan: JudgedPlan, ran: Mapping[str, PerformedRun]) -> list[Verdict]:
        """Goodput past the start-up and loss of the load, beside each load."""
        found = [(load_pct, ran[_beside(load_pct)]) for load_pct in plan.loads_pct]
        alone = ran.get(_ONE_QUEUE)
        return [*(self._goodput(plan, *each, alone) for each in found), *(self._loss(plan, *each) for each in found)]

    def _goodput(self, plan: JudgedPlan, load_pct: float, run: PerformedRun, alone: PerformedRun | None) -> Verdict:
        least_pct, left = plan.gate.throughput_pct, left_bps(run.scenario)
        goodput_bps = _goodput_bps(plan, run)
        takes = 100 * goodput_bps > MOST_PCT * left
        sent_bps = left if alone is None else _goodput_bps(plan, alone)
        # a flow that gets nothing there says nothing of its hosts
        is_of_hosts = 0 < sent_bps < left and not takes
        share_pct = 100 * goodput_bps / (sent_bps if is_of_hosts else left)
        limit_pct = MOST_PCT if takes else least_pct
        of_what = "it would get through one queue for all" if is_of_hosts else "the link leaves"
        got = f"{amount(share_pct, limit_pct)}% of what {of_what}"
        what = f"beside {load_pct:g}% of beta load an alpha flow would get {got}"
        if takes:
            return Measured(self.name, f"alpha_goodput_{_beside(load_pct)}", share_pct, "%", limit_pct, run).verdict(
                "failed", f"{what}, more than is its: it takes it from the beta load: {cause(plan.port)}"
            )
        holds = share_pct >= least_pct
        measured = Measured(self.name, f"alpha_goodput_{_beside(load_pct)}", share_pct, "%", limit_pct, run)
        return measured.verdict(outcome_of(holds=holds), what + cause_unless(holds, plan.port))

    def _loss(self, plan: JudgedPlan, load_pct: float, run: PerformedRun) -> Verdict:
        limit_pct = plan.gate.beta_loss_pct
        loss_pct = beta_loss_pct(run, ALWAYS)
        holds = loss_pct <= limit_pct
        lost = f"{amount(loss_pct, limit_pct)}%" if loss_pct else "nothing"
        what = f"of {load_pct:g}% of beta load {lost} would be lost beside an alpha flow"
        measured = Measured(self.name, f"beta_loss_{_beside(load_pct)}", loss_pct, "%", limit_pct, run)
        return measured.verdict(outcome_of(holds=holds), what + why_lost(plan, load_pct, holds=holds))


def _goodput_bps(plan: JudgedPlan, run: PerformedRun) -> float:
    return mean_goodput_bps(run.result, "TCP1", (plan.start_up_s, run.result.duration_s))


def left_bps(scenario: Scenario) -> float:
    """The goodput of one TCP flow that fills what UDP leaves of the link: framing and headers taken off."""
    left = scenario.port_rate_bps()
    for flow in scenario.flows:
        if isinstance(flow.traffic, UdpTraffic):
            payload_bytes = datagram_bytes(flow)
            _, wire_bytes = datagram_size(payload_bytes, scenario.tcp, FRAMING_BYTES)
            left -= flow.traffic.rate_bps * wire_bytes / payload_bytes
    wire_bytes = full_segment_bytes(scenario.tcp) + FRAMING_BYTES
    return float(left * segment_data_bytes(scenario.tcp) / wire_bytes)


def _beside(load_pct: float) -> str:
    return f"beside_{load_pct:g}_pct"


THROUGHPUT = Throughput()
