"""Running a scenario in the packet engine."""

import json
from collections.abc import Callable, Mapping
from types import ModuleType

from simulator.results import RunResult, read_result

try:
    from simulator import _core
except ImportError:  # not compiled yet: everything that needs no run works without
    _core = None  # type: ignore[assignment]


class ScenarioError(ValueError):
    """A scenario that cannot be run; the message names the key."""


class EngineMissingError(RuntimeError):
    """The packet engine has not been compiled on this machine."""


def run(scenario: Mapping[str, object], progress: Callable[[float], object] | None = None) -> RunResult:
    """Run a scenario from start to end.

    The interpreter is released meanwhile, so threads can run several at once; Ctrl-C ends a run early.

    Args:
        scenario: As `Case.scenario` makes it; units stand in the names of its keys.
        progress: Called about a hundred times with the share of simulated time that has passed.

    Raises:
        ScenarioError: The scenario is not sound; the message names the key.
        EngineMissingError: `python -m simulator.build` has not been run.
    """
    engine = _engine()
    try:
        summary, series = engine.run(json.dumps(scenario), progress)
    except engine.ScenarioError as error:
        raise ScenarioError(str(error)) from error
    return read_result(summary, series)


def check(scenario: Mapping[str, object]) -> None:
    """Check a scenario without running it; raises like `run`."""
    engine = _engine()
    try:
        engine.check(json.dumps(scenario))
    except engine.ScenarioError as error:
        raise ScenarioError(str(error)) from error


def _engine() -> ModuleType:
    if _core is None:
        raise EngineMissingError("the packet engine is not compiled; run: python -m simulator.build")
    return _core
