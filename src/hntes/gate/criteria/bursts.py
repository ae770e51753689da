"""Criterion 10, bursts: beta traffic that comes in bursts, beside an alpha flow and without it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hntes.gate import burst_runs
from hntes.gate.bursty_beta import BurstyBeta, bursty_beta
from hntes.gate.criteria.criterion import Measure
from hntes.gate.criteria.plan import JudgedPlan, why_lost
from hntes.gate.criteria.reading import NO_REPLY_MS, ping_ms
from hntes.gate.lab import PerformedRun
from hntes.gate.runs import WantedRun
from hntes.gate.verdict import Measured, Verdict, amount, outcome_of
from hntes.simulator.measures import lost_share
from hntes.simulator.results import Floats
from hntes.simulator.testbed.burst_traffic import burst_flows
from hntes.sql.entries import CriterionName


@dataclass(frozen=True)
class Bursts:
    """An alpha flow does not hold up or cost beta traffic that comes in bursts.

    What it checks:
        95 hosts send bursts of Pareto sizes (shape 1.5) by CUBIC, at a tenth of the port's rate each. Their mean is
        the beta peak, or measured over enough days the busy hour's; the busiest 0.1 s is `burst_peak_factor` times as
        much, or what minutes show if that is more. A ping of beta traffic beside an alpha flow is compared with one
        beside the same bursts without any, through one queue of the port's whole buffer: its mean, its standard
        deviation and its 99th percentile; and the loss of bursts.

    Why:
        Beside 55, 40 and 5% a constant load of 30% waits 0 ms; with bursts it waits 4 ms, one packet in a hundred 20.
        A beta queue of 0.1 ms loses nothing of a constant load, and with bursts one packet in 2,500.

    Limit:
        `burst_delay_increase_ms` and `burst_delay_sd_ms`, 1 ms each as for a constant load; `burst_delay_p99_ms`, 5;
        `burst_loss_pct`, 0.01. A beta share of twice the mean meets the delays, and 4 ms of buffer the loss.

    When it is wrong:
        Bursts of real traffic may be longer than these, or correlated. Hosts faster than a tenth of the port send
        steeper ones (`burst_host_pct`).
    """

    name: CriterionName = "bursts"
    title: str = "Do bursts of beta traffic get through beside an alpha flow as without it?"
    runs: str = (
        "three times 4.5 s of bursty beta traffic: beside an alpha flow, and without one through the whole buffer"
    )
    is_of_each_round_trip: bool = False
    is_of_all_hosts: bool = False
    measures: tuple[Measure, ...] = (
        Measure("mean of the ping, above that without alpha flow", "burst_delay_increase_ms"),
        Measure("its standard deviation, above that without", "burst_delay_sd_ms"),
        Measure("its 99th percentile, above that without", "burst_delay_p99_ms"),
        Measure("loss of bursts, above that without", "burst_loss_pct"),
    )

    def wanted(self, plan: JudgedPlan) -> dict[str, WantedRun]:
        """Each run with the alpha flow and without."""
        load, asked = bursty_beta(plan.beta_peak, plan.gate), (plan.port, plan.gate, plan.hosts)
        beside = {f"beside {each}": burst_runs.beside_alpha(*asked, load, each) for each in range(burst_runs.RUNS)}
        return beside | {f"alone {each}": burst_runs.alone(*asked, load, each) for each in range(burst_runs.RUNS)}

    def verdicts(self, plan: JudgedPlan, ran: Mapping[str, PerformedRun]) -> list[Verdict]:
        """Delays over all runs together, and loss."""
        load, gate = bursty_beta(plan.beta_peak, plan.gate), plan.gate
        beside = [ran[f"beside {each}"] for each in range(burst_runs.RUNS)]
        alone = [ran[f"alone {each}"] for each in range(burst_runs.RUNS)]
        later, before = _Delays(_pings_ms(beside)), _Delays(_pings_ms(alone))
        beta = load.words
        judged = (
            (
                "burst_delay_increase",
                later.mean - before.mean,
                gate.burst_delay_increase_ms,
                f"{beta} would wait {{}} longer on average",
            ),
            (
                "burst_delay_sd",
                later.sd - before.sd,
                gate.burst_delay_sd_ms,
                f"the delay of {beta} would vary by {{}} more (standard deviation)",
            ),
            (
                "burst_delay_p99",
                later.p99 - before.p99,
                gate.burst_delay_p99_ms,
                f"the slowest hundredth of {beta} would wait {{}} longer",
            ),
        )
        delays = [
            self._delay(plan, load, beside[0], measure, value, limit, words) for measure, value, limit, words in judged
        ]
        return [*delays, self._loss(plan, load, beside[0], max(0.0, _loss_pct(beside) - _loss_pct(alone)))]

    def _delay(
        self, plan: JudgedPlan, load: BurstyBeta, run: PerformedRun,
        measure: str, value_ms: float, limit_ms: float, words: str,
    ) -> Verdict:  # fmt: skip
        value_ms = round(max(0.0, value_ms), 6)
        holds = value_ms <= limit_ms
        what = f"beside an alpha flow {words.format(f'{amount(value_ms, limit_ms)} ms')}"
        measured = Measured(self.name, measure, value_ms, "ms", limit_ms, run)
        return measured.verdict(outcome_of(holds=holds), what + why_lost(plan, load.peak_pct, holds=holds))

    def _loss(self, plan: JudgedPlan, load: BurstyBeta, run: PerformedRun, loss_pct: float) -> Verdict:
        limit_pct = plan.gate.burst_loss_pct
        holds = loss_pct <= limit_pct
        lost = f"{amount(loss_pct, limit_pct)}%" if loss_pct else "nothing"
        queue = plan.port.plan.beta_queue
        holding = f": {plan.port.words_of(queue)} holds {plan.port.length_ms(queue):g} ms of the port"
        what = f"beside an alpha flow {lost} of {load.words} would be lost{'' if holds else holding}"
        return Measured(self.name, "burst_loss", loss_pct, "%", limit_pct, run).verdict(outcome_of(holds=holds), what)


@dataclass(frozen=True)
class _Delays:
    """Of the round trips of pings in ms; without any, worse than any limit."""

    rtt_ms: Floats

    @property
    def mean(self) -> float:
        return float(self.rtt_ms.mean()) if len(self.rtt_ms) else NO_REPLY_MS

    @property
    def sd(self) -> float:
        return float(self.rtt_ms.std()) if len(self.rtt_ms) else NO_REPLY_MS

    @property
    def p99(self) -> float:
        return float(np.percentile(self.rtt_ms, 99)) if len(self.rtt_ms) else NO_REPLY_MS


def _pings_ms(ran: list[PerformedRun]) -> Floats:
    found: Floats = np.concatenate([ping_ms(run, (burst_runs.MEASURED_FROM_S, burst_runs.DURATION_S)) for run in ran])
    return found


def _loss_pct(ran: list[PerformedRun]) -> float:
    return 100 * lost_share([run.result.flows[name] for run in ran for name in burst_flows(run.scenario)])


BURSTS = Bursts()
