"""A verdict of the gate: one measured value against one limit, with the sentence that an operator reads."""

from dataclasses import dataclass
from typing import Literal

Criterion = Literal["structure", "delay", "throughput", "order", "beta", "fairness", "surprise"]
Outcome = Literal["passed", "failed", "not_judged", "reported"]
CRITERIA: tuple[Criterion, ...] = ("structure", "delay", "throughput", "order", "beta", "fairness", "surprise")
# What criteria measure with; structure is read from the text alone.
Engine = Literal["text", "packet", "fluid"]


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


def judged(*, holds: bool) -> Outcome:
    """`passed` or `failed`."""
    return "passed" if holds else "failed"
