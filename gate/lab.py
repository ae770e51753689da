"""Runs the gate's scenarios, each once, several side by side."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from base.errors import HntesError
from gate.runs import Run
from gate.stores import TraceStore
from gate.trace import Trace, trace_of
from simulator import NotApplicableError, RunResult, check, engine_version, run, unsteady
from simulator.results import EngineName
from simulator.testbed.traffic import shortened

Scenario = Mapping[str, Any]
Engine = Callable[[Scenario, Callable[[float], object] | None, EngineName], RunResult]
PACKET_COST = 40.0
# Called with what is done so far, from 0 to 1.
Progress = Callable[[float], object]


class UnsoundRunError(HntesError):
    """A run whose books do not balance: a fault of the simulator, not of the configuration."""


@dataclass(frozen=True)
class Ran:
    """A scenario as it was run, its hash, and its trace."""

    scenario: Scenario
    scenario_hash: str
    trace: Trace


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


def is_steady(scenario: Scenario, result: RunResult) -> bool:
    """Whether a result of the fluid engine would stand in a slightly different network."""
    return not unsteady(scenario, result)


def scenario_hash(scenario: Scenario) -> str:
    """SHA-256 of the scenario as canonical JSON, 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(scenario, sort_keys=True).encode()).hexdigest()


class Lab:
    """Runs scenarios or takes what is stored of them: in the fluid engine where it applies and its result is steady,
    else packet by packet.

    Args:
        store: Where traces are kept between runs.
        workers: How many runs go side by side; the interpreter is free meanwhile.
        engine: Runs one scenario in the engine of that name.
        applies: Whether the fluid engine can answer for a scenario.
        steady: Whether its answer is no matter of chance.
    """

    def __init__(
        self,
        store: TraceStore,
        workers: int = 2,
        engine: Engine = run,
        applies: Callable[[Scenario], bool] = fluid_applies,
        steady: Callable[[Scenario, RunResult], bool] = is_steady,
    ) -> None:
        self._store = store
        self._workers = workers
        self._engine = engine
        self._applies = applies
        self._steady = steady
        self.engine_runs = 0

    def perform(self, runs: Iterable[Run], progress: Progress = lambda _: None) -> list[Ran]:
        """The traces of runs, in their order; equal ones run once.

        Raises:
            ScenarioError: The engine refuses a scenario.
            EngineMissingError: The engines have not been compiled.
            UnsoundRunError: The books of a run do not balance.
        """
        tasks = [self._task(each) for each in runs]
        found = {task.key: trace for task in tasks if (trace := self._store.get(task.key)) is not None}
        missing = {task.key: task for task in tasks if task.key not in found}
        shares = _Shares({key: task.cost for key, task in missing.items()}, progress)
        with ThreadPoolExecutor(self._workers) as pool:
            # The longest first: the pool is then busy to the end.
            ordered = sorted(missing.items(), key=lambda item: -item[1].cost)
            futures = {key: pool.submit(self._run, task, shares.of(key)) for key, task in ordered}
            for key, future in futures.items():
                found[key] = future.result()
                self._store.put(key, found[key])
        self.engine_runs += len(missing)
        return [_ran(task, found[task.key]) for task in tasks]

    def _task(self, wanted: Run) -> "_Task":
        if not wanted.needs_packets and self._applies(wanted.scenario):
            return _Task(wanted.scenario, "fluid", wanted.packet_s)
        return _Task(wanted.scenario, "fluid", wanted.packet_s).by_packets()

    def _run(self, task: "_Task", progress: Progress) -> Trace:
        if task.engine == "fluid":
            # told of at its end: an unsteady result would have the progress go back
            result = self._sound(task, lambda _: None)
            if self._steady(task.scenario, result):
                progress(1.0)
                return trace_of(result, task.engine)
            task = task.by_packets()
        return trace_of(self._sound(task, progress), task.engine)

    def _sound(self, task: "_Task", progress: Progress) -> RunResult:
        result = self._engine(task.scenario, progress, task.engine)
        if result.imbalances:
            raise UnsoundRunError(f"{result.scenario}: the run's books do not balance: {'; '.join(result.imbalances)}")
        return result


@dataclass(frozen=True)
class _Task:
    """A scenario as one engine is to run it; `packet_s` is its length packet by packet."""

    scenario: Scenario
    engine: EngineName
    packet_s: float

    def by_packets(self) -> "_Task":
        return _Task(shortened(self.scenario, self.packet_s), "packet", self.packet_s)

    @cached_property
    def hash(self) -> str:
        return scenario_hash(self.scenario)

    @property
    def key(self) -> str:
        return f"{self.hash[:40]}-{self.engine}-{engine_version()}"

    @property
    def cost(self) -> float:
        """Relative to others: a packet run takes some hundred times as long as a fluid one."""
        return float(self.scenario["duration_s"]) * (PACKET_COST if self.engine == "packet" else 1.0)


def _ran(task: _Task, trace: Trace) -> Ran:
    """A trace with the scenario that was run: the shorter one where packets had to decide."""
    if trace.engine == "packet" and task.engine == "fluid":
        task = task.by_packets()
    return Ran(task.scenario, task.hash, trace)


class _Shares:
    """Adds up the progress of several runs by their lengths."""

    def __init__(self, lengths: Mapping[str, float], progress: Progress) -> None:
        self._lengths, self._progress = lengths, progress
        self._total = sum(lengths.values()) or 1.0
        self._done = dict.fromkeys(lengths, 0.0)
        self._lock = threading.Lock()

    def of(self, key: str) -> Progress:
        def advance(share: float) -> None:
            with self._lock:
                self._done[key] = share * self._lengths[key]
                told = sum(self._done.values()) / self._total
            self._progress(told)

        return advance
