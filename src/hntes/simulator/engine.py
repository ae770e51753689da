"""Running a scenario in one of the two engines."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hntes import _native
from hntes.errors import HntesError
from hntes.simulator.results import EngineName, RunResult, read_result
from hntes.simulator.scenario import Scenario, ScenarioError

# Is called with the share of simulated time that has passed, from 0 to 1; what it raises ends the run.
ShareCallback = Callable[[float], object]


class NotApplicableError(HntesError, ValueError):
    """A scenario that the fluid engine cannot answer honestly; the message names the key. Use the packet engine."""


def run(
    scenario: Scenario,
    progress: ShareCallback | None = None,
    engine: EngineName = "packet",
) -> RunResult:
    """Run a scenario from start to end.

    The interpreter is released meanwhile, so threads can run several at once; Ctrl-C ends a run early.

    Args:
        scenario: What to run.
        progress: Called about a hundred times with the share of simulated time that has passed.
        engine: "packet" follows every packet; "fluid" is hundreds of times faster and refuses what needs packets.

    Raises:
        ScenarioError: The scenario is not sound; the message names the key.
        NotApplicableError: It needs packets and the fluid engine was asked for; the message names the key.
    """
    call = _native.run_fluid if engine == "fluid" else _native.run
    with _translated():
        summary, series = call(scenario.json, progress)
    return read_result(engine, summary, series)


def run_perturbed(
    scenario: Scenario,
    progress: ShareCallback | None = None,
    *,
    lost_retransmissions: bool = False,
    step_factor: float = 1.0,
) -> RunResult:
    """Run a scenario in the fluid engine with a perturbation, to measure how far its result moves. Raises like `run`.

    Args:
        scenario: As for `run`.
        progress: As for `run`.
        lost_retransmissions: Packets sent again right after a queue overflowed are lost too. Whether they are accepted
            depends on single packets, which the fluid engine does not model, and so does a timeout that follows.
        step_factor: Length of a step, as a multiple of that of `run`.
    """
    with _translated():
        summary, series = _native.run_fluid(
            scenario.json, progress, lost_retransmissions=lost_retransmissions, step_factor=step_factor
        )
    return read_result("fluid", summary, series)


def check(scenario: Scenario, engine: EngineName = "packet") -> None:
    """Check a scenario without running it; raises like `run`."""
    with _translated():
        (_native.check_fluid if engine == "fluid" else _native.check)(scenario.json)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except _native.ScenarioError as error:
        raise ScenarioError(str(error)) from error
    except _native.NotApplicableError as error:
        raise NotApplicableError(str(error)) from error
