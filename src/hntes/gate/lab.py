"""Runs the gate's scenarios: with the fluid engine where its result is reliable, else packet by packet; each once."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from hntes.gate.runs import WantedRun
from hntes.simulator import EngineName, NotApplicableError, RunResult
from hntes.simulator.engine import ShareCallback
from hntes.simulator.runs.engines import Engines
from hntes.simulator.runs.observer import ShareObserver
from hntes.simulator.runs.pool import COMPILED, run_all
from hntes.simulator.runs.store import RunStore
from hntes.simulator.runs.task import FinishedRun, RunTask, fluid_or_packets
from hntes.simulator.scenario import Scenario, scenario_hash
from hntes.simulator.testbed.traffic import cut_short, shortened

Key = TypeVar("Key", bound=Hashable)

# Maximum time from sending a packet to its answer: many times the round trip and a full buffer.
ARRIVAL_S = 1.0


@dataclass(frozen=True)
class PerformedRun:
    """A scenario as it was run, and its result. Equal ones have equal results: an engine gives the same each time."""

    scenario: Scenario = field(compare=False, repr=False)
    scenario_hash: str
    engine: EngineName
    result: RunResult = field(compare=False, repr=False)


class Lab:
    """Runs scenarios, or takes cached results.

    Args:
        store: The cache of results.
        workers: The number of parallel runs; the interpreter lock is released.
        engines: What runs a scenario.
        only: Every run by this engine: "fluid" without asking whether a result is steady, "packet" at packet length.

    Attributes:
        engine_runs: Runs that were made and not taken from the store.
    """

    def __init__(
        self, store: RunStore, workers: int = 2, engines: Engines = COMPILED, only: EngineName | None = None
    ) -> None:
        self._store = store
        self._workers = workers
        self._engines = engines
        self._only = only
        self.engine_runs = 0

    def perform(
        self, wanted: Mapping[Key, WantedRun], progress: ShareCallback = lambda _: None
    ) -> dict[Key, PerformedRun]:
        """The results by the caller's keys; equal runs are made once.

        A run for the fluid engine only is missing where that does not apply.

        Raises:
            ScenarioError: The engine refuses a scenario.
            NotApplicableError: A run needs packets, and only the fluid engine is asked.
            UnsoundRunError: The books of a run do not balance.
        """
        asked = {key: run for key, run in wanted.items() if self._is_worth(run)}
        tasks = [self._task(run) for run in asked.values()]
        observer = ShareObserver(tasks, progress)
        runs = run_all(tasks, jobs=self._workers, store=self._store, observer=observer, engines=self._engines)
        self.engine_runs += len({run.task.key for run in runs if not run.reused})
        return {key: _performed(run) for key, run in zip(asked, runs, strict=True)}

    def _is_worth(self, wanted: WantedRun) -> bool:
        if not wanted.is_fluid_only:
            return True
        return self._only != "packet" and self._engines.applies(wanted.scenario)

    def _task(self, wanted: WantedRun) -> RunTask:
        name = wanted.scenario.name
        packets = RunTask(name, _course(wanted, wanted.packet_s), "packet")
        if wanted.needs_packets or self._only == "packet":
            return packets
        fluid = RunTask(name, _course(wanted, wanted.scenario.duration_s), "fluid")
        if self._only == "fluid" or wanted.is_fluid_only:
            return fluid
        if wanted.is_only_reported or (wanted.is_far and wanted.reading is None):
            return fluid if self._engines.applies(wanted.scenario) else packets
        reading = wanted.reading if wanted.is_far else None
        return fluid_or_packets(fluid, packets, self._engines.applies, reading)


def _course(wanted: WantedRun, length_s: float) -> Scenario:
    """Its course at a length, over when all that is measured has happened and arrived."""
    scenario = shortened(wanted.scenario, length_s)
    if wanted.measured_s is None:
        return scenario
    factor = length_s / wanted.scenario.duration_s
    shrinking_s = wanted.measured_s - wanted.start_up_s
    return cut_short(scenario, wanted.start_up_s + shrinking_s * factor + ARRIVAL_S)


def _performed(run: FinishedRun) -> PerformedRun:
    if run.result is None:
        raise NotApplicableError(f"{run.task.name}: {run.not_applicable}")
    return PerformedRun(run.scenario, scenario_hash(run.scenario), run.result.engine, run.result)
