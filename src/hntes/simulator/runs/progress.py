"""Progress of several runs, with the estimated remaining time."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from hntes.simulator.runs.task import RunTask


@dataclass
class RunProgress:
    """Shares of work, weighted by what each run is expected to cost.

    Attributes:
        costs: Expected cost of each run by its key, in any unit.
    """

    costs: dict[str, float]
    _shares: dict[str, float] = field(default_factory=dict)
    _finished: set[str] = field(default_factory=set)
    _reused: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, tasks: Iterable[RunTask]) -> "RunProgress":
        """Of tasks, none of which has begun; equal ones count once."""
        return cls({task.key: task.cost for task in tasks})

    def move(self, key: str, share: float) -> None:
        """A run has come to this share of its simulated time."""
        self._shares[key] = share

    def finish(self, key: str, *, reused: bool) -> None:
        """A run has ended, or a kept one was taken."""
        self._shares[key] = 1.0
        self._finished.add(key)
        if reused:
            self._reused.add(key)

    def spare(self, key: str) -> None:
        """A run is not needed after all."""
        self.costs.pop(key, None)

    @property
    def finished(self) -> int:
        """The number of finished runs."""
        return len(self._finished)

    @property
    def share(self) -> float:
        """Share of all work that is done, 0 to 1."""
        total = sum(self.costs.values())
        return self._done(set(self.costs)) / total if total else 1.0

    def remaining_s(self, elapsed_s: float) -> float | None:
        """Seconds to go at the speed so far; None before anything has moved. Runs that were kept cost no time."""
        simulated = self._done(set(self.costs) - self._reused)
        left = sum(self.costs.values()) - self._done(set(self.costs))
        return elapsed_s * left / simulated if simulated else None

    def _done(self, keys: set[str]) -> float:
        # in the order of `costs`: all of it done is exactly the sum of the costs
        return sum(cost * self._shares.get(key, 0.0) for key, cost in self.costs.items() if key in keys)
