"""Running a scenario in the packet engine."""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
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


class NotApplicableError(ValueError):
    """An engine does not apply to a scenario; the message says why. The packet engine applies to all."""


def run(
    scenario: Mapping[str, object],
    progress: Callable[[float], object] | None = None,
    engine: str = "packet",
) -> RunResult:
    """Run a scenario from start to end.

    The interpreter is released meanwhile, so threads can run several at once; Ctrl-C ends a run early.

    Args:
        scenario: As `Case.scenario` makes it; units stand in the names of its keys.
        progress: Called about a hundred times with the share of simulated time that has passed.
        engine: Which engine runs it: `packet`.

    Raises:
        ScenarioError: The scenario is not sound; the message names the key.
        NotApplicableError: The engine does not apply to this scenario.
        EngineMissingError: `python -m simulator.build` has not been run.
    """
    core = _engine()
    if engine != "packet":
        raise ScenarioError(f"engine: there is no engine {engine!r}; there is: packet")
    try:
        summary, series = core.run(json.dumps(scenario), progress)
    except core.ScenarioError as error:
        raise ScenarioError(str(error)) from error
    return read_result(summary, series)


def engine_version(engine: str = "packet") -> str:
    """What stands for the engine as it is compiled here: runs of equal versions are equal.

    Raises:
        EngineMissingError: `python -m simulator.build` has not been run.
    """
    digest = hashlib.sha256(Path(str(_engine().__file__)).read_bytes())
    if engine != "packet":  # an engine that is written in Python changes with this folder
        for path in sorted(Path(__file__).parent.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


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
