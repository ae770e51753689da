"""Running one task: in its engine, or its fallback's where the fluid result is unsteady; books must balance."""

from collections.abc import Callable
from dataclasses import dataclass

from hntes.errors import HntesError
from hntes.simulator.engine import ShareCallback, run
from hntes.simulator.results import EngineName, RunResult
from hntes.simulator.runs.task import RunTask, fluid_applies
from hntes.simulator.scenario import Scenario, ScenarioError
from hntes.simulator.steadiness.reading import Reading
from hntes.simulator.steadiness.sensitivity import is_read_alike, is_steady


class UnsoundRunError(HntesError):
    """A run's books do not balance: a defect of the engine, not of the scenario."""


@dataclass(frozen=True)
class Engines:
    """The engines that run scenarios: the compiled ones, unless a test replaces them.

    Attributes:
        run: Runs one scenario in the engine of that name.
        applies: Whether the fluid engine can answer for a scenario.
        is_steady: Whether its answer does not depend on chance.
        is_read_alike: Whether what is read of its answer does not.
    """

    run: Callable[[Scenario, ShareCallback, EngineName], RunResult] = run
    applies: Callable[[Scenario], bool] = fluid_applies
    is_steady: Callable[[Scenario, RunResult, ShareCallback], bool] = is_steady
    is_read_alike: Callable[[Scenario, RunResult, Reading, ShareCallback], bool] = is_read_alike


def run_task(task: RunTask, engines: Engines, progress: ShareCallback) -> RunResult:
    """Run a task.

    Args:
        task: What to run.
        engines: What runs it.
        progress: Called with the share that is done; it never goes back. What it raises ends the run.

    Raises:
        ScenarioError: The scenario is not sound; the message names task and key.
        NotApplicableError: The fluid engine was asked for, does not apply, and there is no fallback.
        UnsoundRunError: The books of the run do not balance.
    """
    if task.fallback is None:
        return _sound_run(task, engines, progress)

    def heed(_: float) -> None:
        # Lets the run be ended, and reports nothing: if the result is unsteady, everything is still to be done.
        progress(0.0)

    result = _sound_run(task, engines, heed)
    if _stands(task, result, engines, heed):
        progress(1.0)
        return result
    return _sound_run(task.fallback, engines, progress)


def _stands(task: RunTask, result: RunResult, engines: Engines, progress: ShareCallback) -> bool:
    if task.reading is None:
        return engines.is_steady(task.scenario, result, progress)
    return engines.is_read_alike(task.scenario, result, task.reading, progress)


def _sound_run(task: RunTask, engines: Engines, progress: ShareCallback) -> RunResult:
    try:
        result = engines.run(task.scenario, progress, task.engine)
    except ScenarioError as error:
        raise ScenarioError(f"{task.name}: {error}") from error
    if result.imbalances:
        raise UnsoundRunError(f"{task.name}: the books do not balance: {'; '.join(result.imbalances)}")
    return result
