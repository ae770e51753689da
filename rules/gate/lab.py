"""Runs the gate's scenarios, each once, several side by side."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from rules.gate.stores import TraceStore
from rules.gate.trace import Trace, trace_of
from simulator import RunResult, engine_version, run

Scenario = Mapping[str, Any]
Engine = Callable[[Scenario, Callable[[float], object] | None], RunResult]
# Called with what is done so far, from 0 to 1.
Progress = Callable[[float], object]


class UnsoundRunError(RuntimeError):
    """A run whose books do not balance: a fault of the simulator, not of the configuration."""


@dataclass(frozen=True)
class Ran:
    """A scenario's trace with its hash."""

    scenario_hash: str
    trace: Trace


def scenario_hash(scenario: Scenario) -> str:
    """SHA-256 of the scenario as canonical JSON, 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(scenario, sort_keys=True).encode()).hexdigest()


class Lab:
    """Runs scenarios or takes what is stored of them.

    Args:
        store: Where traces are kept between runs.
        workers: How many runs go side by side; the interpreter is free meanwhile.
        engine: Runs one scenario; the packet engine if not given.
    """

    def __init__(self, store: TraceStore, workers: int = 2, engine: Engine = run) -> None:
        self._store = store
        self._workers = workers
        self._engine = engine
        self.engine_runs = 0

    def perform(self, scenarios: Iterable[Scenario], progress: Progress = lambda _: None) -> list[Ran]:
        """The traces of scenarios, in their order; equal scenarios run once.

        Raises:
            ScenarioError: The engine refuses a scenario.
            EngineMissingError: The engine has not been compiled.
            UnsoundRunError: The books of a run do not balance.
        """
        listed = [(scenario_hash(scenario), scenario) for scenario in scenarios]
        wanted = dict(listed)
        found = {key: trace for key in wanted if (trace := self._store.get(_key(key))) is not None}
        missing = {key: scenario for key, scenario in wanted.items() if key not in found}
        shares = _Shares({key: float(scenario["duration_s"]) for key, scenario in missing.items()}, progress)
        with ThreadPoolExecutor(self._workers) as pool:
            futures = {
                key: pool.submit(self._run, scenario, shares.of(key))
                # The longest first: the pool is then busy to the end.
                for key, scenario in sorted(missing.items(), key=lambda item: -float(item[1]["duration_s"]))
            }
            for key, future in futures.items():
                found[key] = future.result()
                self._store.put(_key(key), found[key])
        self.engine_runs += len(missing)
        return [Ran(key, found[key]) for key, _ in listed]

    def _run(self, scenario: Scenario, progress: Progress) -> Trace:
        result = self._engine(scenario, progress)
        if result.imbalances:
            raise UnsoundRunError(f"{result.scenario}: the run's books do not balance: {'; '.join(result.imbalances)}")
        return trace_of(result, "packet")


def _key(scenario_key: str) -> str:
    return f"{scenario_key[:40]}-packet-{engine_version()}"


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
