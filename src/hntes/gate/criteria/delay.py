"""Criterion 2, delay: a ping with four alpha flows."""

from collections.abc import Mapping
from dataclasses import dataclass

from hntes.gate import runs
from hntes.gate.criteria.criterion import Measure
from hntes.gate.criteria.plan import JudgedPlan, cause_unless
from hntes.gate.criteria.reading import NO_REPLY_MS, increase_ms, ping_ms
from hntes.gate.lab import PerformedRun
from hntes.gate.runs import WantedRun
from hntes.gate.verdict import Measured, Verdict, amount, outcome_of
from hntes.sql.entries import CriterionName


@dataclass(frozen=True)
class Delay:
    """Other traffic does not wait behind alpha flows.

    What it checks:
        The round-trip time of a ping while four alpha flows come, each 4 s after the one before, and until the fourth
        leaves 12 s later: its mean above the idle network's, and its standard deviation. While the others leave,
        nothing happens that did not before.

    Why:
        Experiment 2: in a single queue the ping takes 60.4 ms instead of 2.3 ms, as alpha flows fill the buffer.

    Limit:
        `delay_increase_ms` and `delay_sd_ms` of `[gate]`, 1 ms each: far below what a filled buffer adds, above what
        an alpha packet adds that is just being sent.

    When it is wrong:
        On a slow port real packets take longer to send than the simulated ones at 10 Gb/s: at 10 Mb/s one of 1500
        bytes takes 1.2 ms, which no queue can avoid.
    """

    name: CriterionName = "delay"
    title: str = "Does other traffic wait behind alpha flows?"
    runs: str = "experiment 2 until the fourth of its alpha flows leaves: they and a ping"
    is_of_each_round_trip: bool = True
    measures: tuple[Measure, ...] = (
        Measure("mean of the ping above the idle network's", "delay_increase_ms"),
        Measure("its standard deviation", "delay_sd_ms"),
    )

    def wanted(self, plan: JudgedPlan) -> dict[str, WantedRun]:
        """Experiment 2 through the plan, and the idle network."""
        return {"loaded": runs.delay(plan.port.plan, plan.gate, plan.hosts), "idle": runs.idle(plan.gate)}

    def verdicts(self, plan: JudgedPlan, ran: Mapping[str, PerformedRun]) -> list[Verdict]:
        """Mean and standard deviation of the ping."""
        rtt_ms, idle_ms = ping_ms(ran["loaded"]), ping_ms(ran["idle"])
        later_ms = increase_ms(rtt_ms, idle_ms)
        sd_ms = float(rtt_ms.std(ddof=1)) if len(rtt_ms) > 1 else NO_REPLY_MS
        mean_ms = float(idle_ms.mean())
        limit_ms, limit_sd_ms = plan.gate.delay_increase_ms, plan.gate.delay_sd_ms
        beside = "beside four alpha flows a ping of other traffic would"
        took = f"{amount(mean_ms + later_ms, mean_ms + limit_ms)} ms on average, {mean_ms:.3g} ms idle"
        mean = f"{beside} take {took}"
        sd = f"{beside} vary by {amount(sd_ms, limit_sd_ms)} ms (standard deviation)"
        return [
            self._verdict(plan, ran, "ping_mean_increase", later_ms, limit_ms, mean),
            self._verdict(plan, ran, "ping_sd", sd_ms, limit_sd_ms, sd),
        ]

    def _verdict(
        self, plan: JudgedPlan, ran: Mapping[str, PerformedRun], measure: str, value: float, limit: float, what: str
    ) -> Verdict:
        # the spread has to stay below its limit, the mean may reach it
        holds = value < limit if measure == "ping_sd" else value <= limit
        measured = Measured(self.name, measure, value, "ms", limit, ran["loaded"])
        return measured.verdict(outcome_of(holds=holds), what + cause_unless(holds, plan.port))


DELAY = Delay()
