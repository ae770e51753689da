"""The beta peak that a port is judged with: measured, or assumed as long as not enough days are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hntes.format import counted
from hntes.platforms.effective import Port


@dataclass(frozen=True)
class MeasuredPeak:
    """The highest beta load that was measured of a port, in bit/s of IP bytes, and what stands behind it.

    `minutes` had flows, on days of which `complete_days` had complete data; `needed_days` of these are enough to
    believe that there is no higher one. `busy_bps` is the busy hour's load: the 95th percentile of the minutes of the
    busiest day, None where that is not known. `at_ms` is when its minute began, None likewise.
    """

    bps: float
    minutes: int
    complete_days: int
    needed_days: int
    busy_bps: float | None = None
    at_ms: int | None = None

    @property
    def is_enough(self) -> bool:
        """Whether it may be taken in place of a higher assumption."""
        return self.complete_days >= self.needed_days

    @property
    def words(self) -> str:
        """What stands behind it, for sentences."""
        needed = "" if self.complete_days > self.needed_days else f" of {self.needed_days}"
        return f"over {counted(self.minutes, 'minute')}, {self.complete_days}{needed} complete days"


@dataclass(frozen=True)
class BetaPeak:
    """The beta load that a plan is judged with, in per cent of the port's rate.

    `measured` is what stands behind the measurement of the port that counts, None without one; `measured_pct` what it
    showed, and `busy_pct` what the busy hour did. The larger of measured and assumed counts until the measurement is
    enough.
    """

    pct: float
    is_measured: bool
    measured: MeasuredPeak | None = None
    measured_pct: float | None = None
    busy_pct: float | None = None

    @property
    def words(self) -> str:
        """The peak and its origin, for sentences."""
        return f"beta peak of {self.pct:.3g}% of the port ({self._origin})"

    @property
    def _origin(self) -> str:
        if self.measured is None:
            return "measured" if self.is_measured else "assumed, as none is measured yet"
        if self.is_measured:
            return f"measured {self.measured.words}"
        return f"assumed; {self.measured_pct:.3g}% measured {self.measured.words}"


def peak_of(ports: Sequence[Port], measured: Mapping[str, MeasuredPeak], assumed_pct: float) -> BetaPeak:
    """The highest of the peaks of ports with one plan."""
    return max((_of_port(port, measured.get(port.name), assumed_pct) for port in ports), key=lambda peak: peak.pct)


def _of_port(port: Port, measured: MeasuredPeak | None, assumed_pct: float) -> BetaPeak:
    if measured is None:
        return BetaPeak(assumed_pct, is_measured=False)
    # a tenth of a per cent, so that nights with nearly the same peak share their runs
    measured_pct = round(100 * measured.bps / port.rate_bps, 1)
    if measured.is_enough:
        busy_pct = None if measured.busy_bps is None else round(100 * measured.busy_bps / port.rate_bps, 1)
        return BetaPeak(measured_pct, True, measured, measured_pct, busy_pct)
    if measured_pct > assumed_pct:
        return BetaPeak(measured_pct, True, measured, measured_pct)
    return BetaPeak(assumed_pct, False, measured, measured_pct)
