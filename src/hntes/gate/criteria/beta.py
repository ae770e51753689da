"""Criterion 5, beta: the measured beta peak with an alpha flow."""

from collections.abc import Mapping
from dataclasses import dataclass

from hntes.gate import runs
from hntes.gate.criteria.criterion import Measure
from hntes.gate.criteria.plan import JudgedPlan, why_lost
from hntes.gate.criteria.reading import alpha_span_s, beta_loss_pct, increase_ms, ping_ms
from hntes.gate.lab import PerformedRun
from hntes.gate.runs import WantedRun
from hntes.gate.verdict import Measured, Verdict, amount, outcome_of
from hntes.sql.entries import CriterionName


@dataclass(frozen=True)
class Beta:
    """The beta peak gets through while an alpha flow runs.

    What it checks:
        Loss of beta traffic at its peak, and the mean of a ping above the idle network's, while an alpha flow is on.
        The peak is the one measured of the port, or `beta_peak_pct` of `[gate]` if none was.

    Why:
        Experiment 6: at a share of 20% of the link, 39% of 3 Gb/s of beta traffic are lost as soon as an alpha flow
        starts; at 40% nothing is.

    Limit:
        `beta_loss_pct`, 0, and `beta_delay_increase_ms`, 1, of `[gate]`: beta's share is a guarantee.

    When it is wrong:
        The simulated load is constant, real traffic comes in bursts: a peak measured per minute hides those that are
        shorter. `hntes router queue-advice` adds a margin.
    """

    name: CriterionName = "beta"
    title: str = "Does the beta peak get through while an alpha flow runs?"
    runs: str = "experiment 6 with the router's beta peak"
    is_of_each_round_trip: bool = True
    measures: tuple[Measure, ...] = (
        Measure("loss while the alpha flow is on", "beta_loss_pct"),
        Measure("mean of the ping meanwhile, above the idle network's", "beta_delay_increase_ms"),
    )

    def wanted(self, plan: JudgedPlan) -> dict[str, WantedRun]:
        """Experiment 6 with the beta peak, and the idle network."""
        return {
            "loaded": runs.beta(plan.port.plan, plan.gate, plan.hosts, plan.beta_peak.pct),
            "idle": runs.idle(plan.gate),
        }

    def verdicts(self, plan: JudgedPlan, ran: Mapping[str, PerformedRun]) -> list[Verdict]:
        """Loss and delay of beta traffic while the alpha flow is on."""
        loaded, span = ran["loaded"], alpha_span_s(ran["loaded"])
        later_ms = increase_ms(ping_ms(loaded, span), ping_ms(ran["idle"]))
        return [self._loss(plan, loaded, beta_loss_pct(loaded, span)), self._delay(plan, loaded, later_ms)]

    def _loss(self, plan: JudgedPlan, run: PerformedRun, loss_pct: float) -> Verdict:
        limit_pct = plan.gate.beta_loss_pct
        holds = loss_pct <= limit_pct
        lost = f"{amount(loss_pct, limit_pct)}%" if loss_pct else "nothing"
        what = f"{lost} of the {plan.beta_peak.words} would be lost while an alpha flow runs"
        measured = Measured(self.name, "beta_loss", loss_pct, "%", limit_pct, run)
        return measured.verdict(outcome_of(holds=holds), what + why_lost(plan, plan.beta_peak.pct, holds=holds))

    def _delay(self, plan: JudgedPlan, run: PerformedRun, later_ms: float) -> Verdict:
        limit_ms = plan.gate.beta_delay_increase_ms
        holds = later_ms <= limit_ms
        later = f"{amount(later_ms, limit_ms)} ms"
        what = f"at the {plan.beta_peak.words} its round trip would grow by {later} while an alpha flow runs"
        measured = Measured(self.name, "beta_delay_increase", later_ms, "ms", limit_ms, run)
        return measured.verdict(outcome_of(holds=holds), what + why_lost(plan, plan.beta_peak.pct, holds=holds))


BETA = Beta()
