"""Splits at bursty beta traffic: criterion 10 of the gate, with the load that the gate takes, split by split."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hntes.gate.beta_peak import MeasuredPeak, peak_of
from hntes.gate.bursty_beta import bursty_beta
from hntes.gate.criteria.bursts import BURSTS
from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.judge import judge_plans
from hntes.gate.lab import Lab
from hntes.gate.shares.demand import Split
from hntes.gate.shares.sweep import planned_split
from hntes.platforms.effective import Port
from hntes.settings.model import Gate, Router
from hntes.settings.plans import Plan


@dataclass(frozen=True)
class BurstOutcome:
    """Whether a split lets bursts through beside an alpha flow, what they are, and how their mean delay grows."""

    passes: bool
    load_words: str
    delay_increase_ms: float


JudgeBursts = Callable[[Split], BurstOutcome]


def judge_bursts(
    router: Router, plan: Plan, port: Port, split: Split, peaks: Mapping[str, MeasuredPeak], gate: Gate, lab: Lab
) -> BurstOutcome:
    """The outcome of one split, rendered for the router and read back; raises as `sweep` does."""
    peak = peak_of([port], peaks, gate.beta_peak_pct)
    judged = JudgedPlan(planned_split(router, plan, split, port.name), gate, peak)
    verdicts = judge_plans([judged], lab, [BURSTS])
    delay_ms = next(each.value for each in verdicts if each.measure == "burst_delay_increase")
    return BurstOutcome(all(each.is_passing for each in verdicts), bursty_beta(peak, gate).words, delay_ms or 0.0)


def least_for_bursts(candidates: Sequence[Split], judge: JudgeBursts) -> tuple[Split | None, BurstOutcome | None]:
    """The least of candidates by growing beta share that lets bursts through, and the outcome of the one below it.

    A larger share never holds bursts up for longer, so candidates are halved. None: the largest does not; its outcome.
    """
    last = judge(candidates[-1])
    if not last.passes:
        return None, last
    failing, passing = -1, len(candidates) - 1
    below: BurstOutcome | None = None
    while passing - failing > 1:
        middle = (failing + passing) // 2
        found = judge(candidates[middle])
        if found.passes:
            passing = middle
        else:
            failing, below = middle, found
    return candidates[passing], below
