"""The interface of a criterion: a question about a configuration, runs that answer it, and verdicts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.lab import PerformedRun
from hntes.gate.runs import WantedRun
from hntes.gate.verdict import Verdict
from hntes.sql.entries import CriterionName


@dataclass(frozen=True)
class Measure:
    """One measure of a criterion.

    `limit_key` is the key of `[gate]` that limits it, `limit_rule` what does in its place; without either nothing does.
    """

    what: str
    limit_key: str | None = None
    limit_rule: str | None = None


class Criterion(Protocol):
    """The description of a criterion; its docstring says what it checks, why, the limit, and when it is wrong."""

    @property
    def name(self) -> CriterionName:
        """Its name in verdicts, the database and metrics."""

    @property
    def title(self) -> str:
        """Its question, in a sentence."""

    @property
    def runs(self) -> str:
        """Its runs, in words."""

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Its measures, in the order of its verdicts."""


class SimulatedCriterion(Criterion, Protocol):
    """A criterion that is answered by runs through the plan of a port."""

    @property
    def is_of_each_round_trip(self) -> bool:
        """Whether it is asked over each round trip of the settings, or over the shortest alone."""

    def wanted(self, plan: JudgedPlan) -> dict[str, WantedRun]:
        """The runs it needs, by names of its own."""

    def verdicts(self, plan: JudgedPlan, ran: Mapping[str, PerformedRun]) -> list[Verdict]:
        """Its verdicts; `ran` has the runs by their names.

        One that only the fluid engine should make is missing where that does not apply.
        """
