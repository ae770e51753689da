"""Flow records and counters of one interface and direction on one day, compared."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
import numpy.typing as npt

from hntes.etl.counters.polled import Polled, Window
from hntes.etl.counters.port_octets import SLOT_MS, PortOctets
from hntes.etl.days import MINUTE_MS

DAY_HOURS, HOUR_MINUTES = 24, 60
HOUR_MS = HOUR_MINUTES * MINUTE_MS
# Below this rate control protocols that are not IP can be much of what a port counts.
MIN_RATE_BPS = 1_000_000
# The tolerance of a surplus follows the scatter of so many hours; it is never less than 1 %.
MIN_HOURS, MIN_HOUR_MINUTES, MIN_TOLERANCE = 6, 30, 0.01
# As many standard deviations, and median deviations, are granted: one of 30,000 exceeds the former by chance.
GRANTED_SD = 4.0
# Routers update the counters that SNMP reads up to 30 s late, and clocks differ somewhat.
LAG_MS = 30_000


@dataclass(frozen=True)
class HourOctets:
    """One hour (0..23 UTC): octets of both in the minutes that flow files and counters cover."""

    hour: int
    counter_octets: float
    flow_octets: float
    minutes: int

    @property
    def ratio(self) -> float | None:
        """Flow octets by counter octets; None of an hour with little traffic, or of which little is known."""
        rate_bps = 8 * self.counter_octets / (self.minutes * 60) if self.minutes else 0.0
        is_known = self.minutes >= MIN_HOUR_MINUTES and rate_bps >= MIN_RATE_BPS
        return self.flow_octets / self.counter_octets if is_known else None


@dataclass(frozen=True)
class PortDay:
    """An interface and direction. `tolerance` is a share; `from_ms` the day's start.

    has_files: of each minute of the day, whether flow files cover it. exports: the interface's own meter exported that
    day; is_metered: then, or usually.
    """

    polled: Polled
    flows: PortOctets
    from_ms: int
    has_files: npt.NDArray[np.bool_]
    tolerance: float
    exports: bool
    is_metered: bool

    @cached_property
    def compared(self) -> npt.NDArray[np.bool_]:
        """Of each minute of the day, whether both are known."""
        edges = self.from_ms + MINUTE_MS * np.arange(len(self.has_files) + 1.0)
        found: npt.NDArray[np.bool_] = self.has_files & (self.polled.covered_ms(edges) >= MINUTE_MS - 1)
        return found

    @cached_property
    def hours(self) -> Sequence[HourOctets]:
        """The hours of which something is known."""
        edges = self.from_ms + MINUTE_MS * np.arange(len(self.has_files) + 1.0)
        counted = (self.polled.octets(edges) * self.compared).reshape(DAY_HOURS, HOUR_MINUTES).sum(axis=1)
        reported = self.flows.by_minute(self.from_ms, len(self.has_files)) * self.compared
        minutes = self.compared.reshape(DAY_HOURS, HOUR_MINUTES).sum(axis=1)
        flows = reported.reshape(DAY_HOURS, HOUR_MINUTES).sum(axis=1)
        return [
            HourOctets(hour, float(counted[hour]), float(flows[hour]), int(minutes[hour]))
            for hour in range(DAY_HOURS)
            if minutes[hour]
        ]

    @cached_property
    def usual(self) -> tuple[float, float]:
        """The usual ratio of flows to counters, and the tolerance of a surplus around it."""
        ratios = np.array([hour.ratio for hour in self.hours if hour.ratio is not None])
        if len(ratios) < MIN_HOURS:
            return 1.0, self.tolerance
        median = float(np.median(ratios))
        scatter = GRANTED_SD * float(np.median(np.abs(ratios - median)))
        if scatter > self.tolerance or not self.is_metered:
            # of traffic that is metered elsewhere, the share of a port's octets may change at any time
            return min(max(median, 1.0), 1 + self.tolerance), min(max(scatter, MIN_TOLERANCE), self.tolerance)
        return float(np.clip(median, 1 - self.tolerance, 1 + self.tolerance)), max(scatter, MIN_TOLERANCE)

    def window(self, from_ms: int, to_ms: int) -> Window | None:
        """The shortest time between polls around a span; None where the counters have a gap."""
        begin, end = from_ms // SLOT_MS * SLOT_MS - LAG_MS, (to_ms // SLOT_MS + 1) * SLOT_MS + LAG_MS
        return self.polled.window(begin, end)

    def surplus_octets(self, window: Window) -> float:
        """Octets by which flows exceed the counters and the tolerances; negative where they do not exceed them."""
        if window not in self._surpluses:
            ratio, tolerance = self.usual
            counted = float(self.polled.octets(np.array(window, np.float64))[0])
            self._surpluses[window] = self.flows.at_least(*window, GRANTED_SD) - counted * ratio * (1 + tolerance)
        return self._surpluses[window]

    @cached_property
    def _surpluses(self) -> dict[Window, float]:
        """What was asked before: many flows have the same window."""
        return {}

    def hours_above(self) -> list[HourOctets]:
        """The hours in which flows report more."""
        windows = ((hour, self.polled.window(*self._bounds(hour))) for hour in self.hours)
        return [hour for hour, window in windows if window is not None and self.surplus_octets(window) > 0]

    def hours_below(self) -> list[HourOctets]:
        """The hours in which flows report less, all records counted that may belong to them; if it is metered."""
        return [hour for hour in self.hours if self.is_metered and self._is_below(hour)]

    def _is_below(self, hour: HourOctets) -> bool:
        rate_bps = 8 * hour.counter_octets / (hour.minutes * 60)
        if rate_bps < MIN_RATE_BPS:
            return False
        begin = hour.hour * HOUR_MINUTES
        minutes = begin + np.flatnonzero(self.compared[begin : begin + HOUR_MINUTES])
        bounds = (self.from_ms + int(minutes[0]) * MINUTE_MS, self.from_ms + (int(minutes[-1]) + 1) * MINUTE_MS)
        found = self.flows.touching(*bounds)
        most = max(found.octets + GRANTED_SD * sqrt(found.variance), hour.flow_octets)
        return most < hour.counter_octets * (1 - self.tolerance) and hour.flow_octets < hour.counter_octets

    def _bounds(self, hour: HourOctets) -> Window:
        begin = self.from_ms + hour.hour * HOUR_MS
        return begin, begin + HOUR_MS
