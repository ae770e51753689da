"""Simulation tasks and their results."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from hntes.simulator.engine import NotApplicableError, check
from hntes.simulator.results import EngineName, RunResult
from hntes.simulator.runs.cost import expected_cost
from hntes.simulator.runs.key import run_key
from hntes.simulator.scenario import Scenario
from hntes.simulator.steadiness.reading import Reading
from hntes.simulator.version import engine_version


@dataclass(frozen=True)
class RunTask:
    """A scenario for one engine, under a name for people.

    `fallback` is run instead if the fluid engine's result is unsteady: the same course packet by packet, as a rule in
    less time. Without a fallback the result counts as it is. With a `reading`, it has to be steady in that alone.
    """

    name: str
    scenario: Scenario = field(repr=False)
    engine: EngineName = "packet"
    fallback: "RunTask | None" = field(default=None, repr=False)
    reading: Reading | None = None

    @cached_property
    def key(self) -> str:
        """Tasks with the same key have the same result."""
        otherwise = self.fallback.scenario if self.fallback is not None else None
        return run_key(self.scenario, self.engine, engine_version(), otherwise, self.reading)

    @cached_property
    def cost(self) -> float:
        """Its expected cost, relative to other tasks."""
        return expected_cost(self.scenario, self.engine)


@dataclass(frozen=True)
class FinishedRun:
    """The outcome of a task: a result, or why the engine does not apply."""

    task: RunTask
    result: RunResult | None
    not_applicable: str = ""
    reused: bool = False
    elapsed_s: float = 0.0

    @property
    def scenario(self) -> Scenario:
        """The scenario that the result is of: the fallback's if packets had to decide."""
        fallback = self.task.fallback
        is_by_fallback = fallback is not None and self.result is not None and self.result.engine == fallback.engine
        return fallback.scenario if fallback is not None and is_by_fallback else self.task.scenario


def fluid_applies(scenario: Scenario) -> bool:
    """Whether the fluid engine can answer for a scenario.

    Raises:
        ScenarioError: The scenario is not sound.
    """
    try:
        check(scenario, "fluid")
    except NotApplicableError:
        return False
    return True


def fluid_or_packets(
    fluid: RunTask,
    packets: RunTask,
    applies: Callable[[Scenario], bool] = fluid_applies,
    reading: Reading | None = None,
) -> RunTask:
    """The task of an answer by the fluid engine, where it applies and its result is steady, else packet by packet.

    With a `reading`, only what is read of the result has to be steady.
    """
    if not applies(fluid.scenario):
        return packets
    return RunTask(fluid.name, fluid.scenario, fluid.engine, packets, reading)
