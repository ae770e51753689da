"""How far several runs have come, and how long the rest will take."""

from dataclasses import dataclass, field


@dataclass
class RunProgress:
    """Shares of work, weighted by what each run is expected to cost.

    Attributes:
        costs: Expected cost of each run by its name, in any unit.
    """

    costs: dict[str, float]
    _shares: dict[str, float] = field(default_factory=dict)
    _reused: set[str] = field(default_factory=set)

    def move(self, name: str, share: float) -> None:
        """A run has come to this share of its simulated time."""
        self._shares[name] = share

    def finish(self, name: str, *, reused: bool) -> None:
        """A run has ended, or a kept one was taken."""
        self._shares[name] = 1.0
        if reused:
            self._reused.add(name)

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

    def _done(self, names: set[str]) -> float:
        return sum(self.costs[name] * self._shares.get(name, 0.0) for name in names)
