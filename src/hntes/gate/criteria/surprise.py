"""Criterion 7, surprise: an alpha flow that no rule knows yet."""

from collections.abc import Mapping
from dataclasses import dataclass

from hntes.gate import runs
from hntes.gate.criteria.criterion import Measure
from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.criteria.reading import alpha_span_s, beta_loss_pct, increase_ms, ping_ms
from hntes.gate.lab import PerformedRun
from hntes.gate.runs import WantedRun
from hntes.gate.verdict import Measured, Verdict, amount
from hntes.sql.entries import CriterionName


@dataclass(frozen=True)
class Surprise:
    """The effect of an alpha flow without a rule.

    What it checks:
        Delay and loss of beta traffic at its peak while an alpha flow lands among it.

    Why:
        Experiment 7: rules are learnt from yesterday's flows, so a new pair's first flow shares the beta queue until
        the next night.

    Limit:
        None: reported, never a reason to fail, as no configuration of queues prevents it.

    When it is wrong:
        Several unknown flows at once do more harm than the one simulated.
    """

    name: CriterionName = "surprise"
    title: str = "What would an alpha flow do that no rule knows yet?"
    runs: str = "experiment 7: an alpha flow that no rule knows"
    is_of_each_round_trip: bool = False
    measures: tuple[Measure, ...] = (
        Measure("mean of the ping of beta traffic meanwhile, above the idle network's"),
        Measure("loss of beta traffic meanwhile"),
    )

    def wanted(self, plan: JudgedPlan) -> dict[str, WantedRun]:
        """Experiment 7 with the beta peak, and the idle network."""
        return {
            "loaded": runs.surprise(plan.port.plan, plan.gate, plan.hosts, plan.beta_peak.pct),
            "idle": runs.idle(plan.gate),
        }

    def verdicts(self, plan: JudgedPlan, ran: Mapping[str, PerformedRun]) -> list[Verdict]:
        """Delay and loss of beta traffic while the unknown flow is on."""
        loaded, span = ran["loaded"], alpha_span_s(ran["loaded"])
        later_ms = increase_ms(ping_ms(loaded, span), ping_ms(ran["idle"]))
        loss_pct = beta_loss_pct(loaded, span)
        unknown = "until the next night, an alpha flow that no rule knows would"
        delay = f"{unknown} add {amount(later_ms)} ms to the round trip of the {plan.beta_peak.words}"
        loss = f"{unknown} cost {amount(loss_pct)}% of the {plan.beta_peak.words}"
        return [
            Measured(self.name, "beta_delay_increase", later_ms, "ms", None, loaded).verdict("reported", delay),
            Measured(self.name, "beta_loss", loss_pct, "%", None, loaded).verdict("reported", loss),
        ]


SURPRISE = Surprise()
