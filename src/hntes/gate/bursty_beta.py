"""The bursty beta load that a plan is judged with: a mean, and how far the busiest tenth of a second exceeds it."""

from dataclasses import dataclass

from hntes.gate.beta_peak import BetaPeak
from hntes.settings.model import Gate

# A load without any burst is none that bursts can be simulated for.
_LEAST_PCT = 0.1
# Below it a load is so even that the constant one stands for it.
_LEAST_FACTOR = 1.5


@dataclass(frozen=True)
class BurstyBeta:
    """Mean in per cent of the port's rate, the busiest 0.1 s over it, and a sending host's rate in per cent."""

    mean_pct: float
    peak_factor: float
    host_pct: float
    origin: str

    @property
    def peak_pct(self) -> float:
        """The busiest 0.1 s."""
        return self.mean_pct * self.peak_factor

    @property
    def words(self) -> str:
        """The load and its origin, for sentences."""
        bursts = f"mean {self.mean_pct:.3g}% of the port, busiest 0.1 s {self.peak_pct:.3g}%"
        return f"bursty beta traffic ({bursts}; {self.origin})"


def bursty_beta(peak: BetaPeak, gate: Gate) -> BurstyBeta:
    """The load with bursts that belongs to a peak.

    Measured over enough days, the mean is that of the busy hour, and the factor at least what minutes show: traffic is
    no more even within a minute than minutes are. Else the peak itself is the mean. No port carries more than its rate.
    """
    mean_pct, factor, origin = peak.pct, gate.burst_peak_factor, "assumed"
    if peak.is_measured and peak.busy_pct is not None:
        mean_pct = max(peak.busy_pct, _LEAST_PCT)
        shown = peak.pct / mean_pct
        origin = "mean and factor measured" if shown > factor else "mean measured, factor assumed"
        factor = max(factor, shown)
    mean_pct = max(round(mean_pct, 1), _LEAST_PCT)
    factor = max(min(round(factor, 1), 100 / mean_pct), _LEAST_FACTOR)
    return BurstyBeta(mean_pct, factor, gate.burst_host_pct, origin)
