"""A verdict of the gate: one measured value against one limit, with the sentence that an operator reads."""

from dataclasses import dataclass

from sql.entries import CRITERIA, Criterion, GateVerdictEntry
from sql.entries import VerdictEngine as Engine
from sql.entries import VerdictOutcome as Outcome

__all__ = ["CRITERIA", "Criterion", "Engine", "Outcome", "Verdict", "judged"]


@dataclass(frozen=True)
class Verdict:
    """One measure of one criterion. `port` names the ports of the plan that ran, "" where the text is meant.

    `limit` and `value` are in `unit`; both are None where nothing could be measured. `scenario_hash` and `seed` name
    the run that the value is from, None where none was needed.
    """

    criterion: Criterion
    measure: str
    outcome: Outcome
    sentence: str
    limit: float | None = None
    value: float | None = None
    unit: str = ""
    engine: Engine = "text"
    seed: int | None = None
    scenario_hash: str | None = None
    port: str = ""

    @property
    def is_passing(self) -> bool:
        return self.outcome in ("passed", "reported")

    def entry(self, router: str, candidate_hash: str) -> GateVerdictEntry:
        """The row that is stored of it."""
        return GateVerdictEntry(
            router, candidate_hash, self.criterion, self.measure, self.port, self.outcome, self.sentence,
            self.limit, self.value, self.unit, self.engine, self.seed, self.scenario_hash,
        )  # fmt: skip


def judged(*, holds: bool) -> Outcome:
    """`passed` or `failed`."""
    return "passed" if holds else "failed"
