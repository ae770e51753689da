"""Criterion 11, classes: the operator's other classes beside alpha flows."""

from collections.abc import Mapping
from dataclasses import dataclass

from hntes.gate import runs
from hntes.gate.criteria.criterion import Measure
from hntes.gate.criteria.plan import JudgedPlan, cause
from hntes.gate.criteria.reading import NO_REPLY_MS, increase_ms, ping_ms
from hntes.gate.lab import PerformedRun
from hntes.gate.runs import WantedRun
from hntes.gate.verdict import Measured, Verdict, amount, outcome_of
from hntes.simulator.measures import mean_goodput_bps
from hntes.simulator.testbed.class_scenarios import SPAN_S, class_plans, offered_bps
from hntes.simulator.testbed.reservation_scenarios import ping_of
from hntes.sql.entries import CriterionName


@dataclass(frozen=True)
class Classes:
    """The operator's classes keep their bandwidth and their delay when alpha flows come.

    What it checks:
        Each class of the port besides those of the pairs and of unmarked traffic sends nine tenths of its guaranteed
        rate, evenly, while unmarked traffic fills the port: with two alpha flows, and without them. What the worst
        class gets of what it sends, and how much later a ping through its queue comes with alpha flows than without.

    Why:
        An operator who keeps his classes has promised something with each of them: voice its delay, business traffic
        its rate. A class that ranks below the pairs', or whose guarantee the schedulers do not hold, would pay for
        them.

    Limit:
        `class_rate_pct` of `[gate]`, 95, of what a class sends, and `class_delay_increase_ms`, 1 ms.

    When it is wrong:
        Nothing says how much each class sends: one that sends more than it is guaranteed may get less beside alpha
        flows than it had. Limits and early drops of the other classes are left out.
    """

    name: CriterionName = "classes"
    title: str = "Do the operator's other classes keep their bandwidth and delay?"
    runs: str = "each class at 90% of its guaranteed rate beside unmarked traffic, with two alpha flows and without"
    is_of_each_round_trip: bool = False
    is_of_all_hosts: bool = False
    measures: tuple[Measure, ...] = (
        Measure("what the worst class gets of what it sends", "class_rate_pct"),
        Measure("mean of its ping above that without alpha flows", "class_delay_increase_ms"),
    )

    def wanted(self, plan: JudgedPlan) -> dict[str, WantedRun]:
        """The port with its classes in use, with and without alpha flows; none where no class is kept."""
        if not plan.port.kept:
            return {}
        return {
            name: runs.classes(plan.port.plan, plan.port.kept, plan.gate, plan.hosts, with_alpha=name == "with")
            for name in ("with", "without")
        }

    def verdicts(self, plan: JudgedPlan, ran: Mapping[str, PerformedRun]) -> list[Verdict]:
        """The worst class's rate and delay; a remark where the port keeps none."""
        if not plan.port.kept:
            return [Verdict(self.name, "classes", "reported", "the port has no classes of the operator's")]
        return [self._rate(plan, ran["with"]), self._delay(plan, ran)]

    def _rate(self, plan: JudgedPlan, run: PerformedRun) -> Verdict:
        limit_pct = plan.gate.class_rate_pct
        got_pct, worst = min((_got_pct(plan, run, name), name) for name in plan.port.kept)
        holds = got_pct >= limit_pct
        what = (
            f"beside alpha flows {plan.port.words_of(worst)} would get {amount(got_pct, limit_pct)}% of what it sends"
        )
        measured = Measured(self.name, "rate", got_pct, "%", limit_pct, run)
        return measured.verdict(outcome_of(holds=holds), what + ("" if holds else f": {cause(plan.port)}"))

    def _delay(self, plan: JudgedPlan, ran: Mapping[str, PerformedRun]) -> Verdict:
        limit_ms = plan.gate.class_delay_increase_ms
        later_ms, worst = max((_later_ms(ran, name), name) for name in plan.port.kept)
        holds = later_ms <= limit_ms
        more = f"{amount(later_ms, limit_ms)} ms more"
        what = f"with alpha flows a ping through {plan.port.words_of(worst)} would take {more}"
        measured = Measured(self.name, "delay_increase", later_ms, "ms", limit_ms, ran["with"])
        return measured.verdict(outcome_of(holds=holds), what + ("" if holds else f": {cause(plan.port)}"))


def _got_pct(plan: JudgedPlan, run: PerformedRun, name: str) -> float:
    (sent,) = (each for each in class_plans(plan.port.plan, (name,)) if each.name == name)
    return float(100 * mean_goodput_bps(run.result, name, SPAN_S) / offered_bps(sent))


def _later_ms(ran: Mapping[str, PerformedRun], name: str) -> float:
    beside, alone = (ping_ms(ran[each], SPAN_S, ping_of(name)) for each in ("with", "without"))
    return increase_ms(beside, alone) if len(alone) else NO_REPLY_MS


CLASSES = Classes()
