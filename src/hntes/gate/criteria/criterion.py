"""What a criterion is: a question about a text, the runs that answer it, and verdicts on what ran."""

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
    """One thing that a criterion measures.

    `limit_key` is the key of `[gate]` that limits it, `limit_rule` what does in its place; without either nothing does.
    """

    what: str
    limit_key: str | None = None
    limit_rule: str | None = None


class Criterion(Protocol):
    """A criterion as people read of it; its docstring says what it checks, why, the limit, and when it is wrong."""

    @property
    def name(self) -> CriterionName:
        """Its name in verdicts, the database and metrics."""

    @property
    def title(self) -> str:
        """What it asks, in a sentence."""

    @property
    def runs(self) -> str:
        """What is run for it, in words."""

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What it measures, in the order of its verdicts."""


class SimulatedCriterion(Criterion, Protocol):
    """A criterion that is answered by runs through the plan of a port."""

    @property
    def is_of_each_round_trip(self) -> bool:
        """Whether it is asked over each round trip of the settings, or over the shortest alone."""

    def wanted(self, plan: JudgedPlan) -> dict[str, WantedRun]:
        """The runs it needs, by names of its own."""

    def verdicts(self, plan: JudgedPlan, ran: Mapping[str, PerformedRun]) -> list[Verdict]:
        """What it makes of them; `ran` holds each of the wanted runs under its name.

        One that only the fluid engine should make is missing where that does not apply.
        """
