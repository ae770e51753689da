"""Stored alpha observations of one router as columns: as evidence of rules, and as traffic that rules act on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from hntes.rules.backtest.traffic import AlphaFlows, BetaBytes, Traffic
from hntes.rules.columns import HostPairs, Mask, Whole, summable, whole
from hntes.rules.lifetime.history import Sightings
from hntes.sql.observations import SeenFlow

# As detection calls a flow borderline: this close to the threshold, in standard deviations of its estimate.
BORDERLINE_SD = 3
_UNKNOWN = -1


class _Columns(NamedTuple):
    """The fields of `SeenFlow`, a column each."""

    day: Sequence[date] = ()
    flow_id: Sequence[str] = ()
    source: Sequence[str] = ()
    destination: Sequence[str] = ()
    flow_bytes: Sequence[int] = ()
    burst_bytes: Sequence[int] = ()
    peak_bytes: Sequence[int] = ()
    peak_sd_bytes: Sequence[int | None] = ()
    borderline: Sequence[bool] = ()
    implausible: Sequence[bool] = ()
    confirmed_bytes: Sequence[int | None] = ()


@dataclass(frozen=True)
class HostBeta:
    """The bytes of flows between two hosts that were no alpha flows, on one day."""

    day: date
    source: str
    destination: str
    bytes: int


@dataclass(frozen=True)
class Observed:
    """One row per alpha flow and day, implausible ones included, and beta bytes by hosts.

    `peak_sd_bytes` is -1 where the sampling factor is not known. `confirmed_bytes` is 0 without an announcement that
    counts; flows that it confirms are not borderline. `beta_days` are those on which beta was read.
    """

    hosts: HostPairs
    day: Whole
    host_row: Whole
    flow: Whole
    bytes: Whole
    burst_bytes: Whole
    peak_bytes: Whole
    peak_sd_bytes: Whole
    borderline: Mask
    implausible: Mask
    confirmed_bytes: Whole
    beta: BetaBytes
    beta_days: Whole

    @classmethod
    def of(cls, flows: Sequence[SeenFlow], beta: Iterable[HostBeta] = (), beta_days: Iterable[date] = ()) -> "Observed":
        """From rows of the database and of the lake."""
        beta_rows = list(beta)
        seen = _Columns(*zip(*flows, strict=True)) if flows else _Columns()
        pairs: dict[tuple[str, str], int] = {}
        rows = [pairs.setdefault(hosts, len(pairs)) for hosts in zip(seen.source, seen.destination, strict=True)]
        beta_hosts = [pairs.setdefault((each.source, each.destination), len(pairs)) for each in beta_rows]
        numbers: dict[str, int] = {}
        confirmed = whole([size or 0 for size in seen.confirmed_bytes])
        return cls(
            HostPairs.of(list(pairs)),
            whole([day.toordinal() for day in seen.day]),
            whole(rows),
            whole([numbers.setdefault(flow, len(numbers)) for flow in seen.flow_id]),
            summable(seen.flow_bytes),
            summable(seen.burst_bytes),
            whole(seen.peak_bytes),
            whole([_UNKNOWN if sd is None else sd for sd in seen.peak_sd_bytes]),
            np.array(seen.borderline, dtype=np.bool_) & (confirmed == 0),
            np.array(seen.implausible, dtype=np.bool_),
            confirmed,
            BetaBytes(whole([each.day.toordinal() for each in beta_rows]), whole(beta_hosts),
                      summable([each.bytes for each in beta_rows])),
            whole(sorted(day.toordinal() for day in beta_days)),
        )  # fmt: skip

    def above(self, threshold_bytes: int, sampling_error_pct: int = 0) -> "Observed":
        """The traffic under a higher threshold: flows at or below it are beta, on days with beta data.

        Peaks are stored in whole bytes, so a flow whose peak exceeds the threshold by less than one byte counts
        as one that equals it. Bursts are those of the threshold at which they were stored.
        """
        stays = self.peak_bytes > threshold_bytes
        falls = ~stays & ~self.implausible & np.isin(self.day, self.beta_days)
        beta = BetaBytes(
            np.concatenate([self.beta.day, self.day[falls]]),
            np.concatenate([self.beta.hosts, self.host_row[falls]]),
            np.concatenate([self.beta.bytes, self.bytes[falls]]),
        )
        kept = self._rows(stays)
        # what is borderline is so at a higher threshold, too: because of assumed times as well, which are not stored
        borderline = kept.borderline | kept._borderline_at(threshold_bytes, sampling_error_pct)
        return replace(kept, beta=beta, borderline=borderline)

    def sightings(self) -> Sightings:
        """All rows as evidence, except implausible flows between hosts without other evidence."""
        believed = np.zeros(len(self.hosts), dtype=np.bool_)
        believed[self.host_row[~self.implausible]] = True
        chosen = believed[self.host_row]
        borderline = self.borderline[chosen].astype(np.int64)
        return Sightings(
            self.host_row[chosen], self.day[chosen], np.ones_like(borderline), borderline, self.bytes[chosen],
            self.peak_bytes[chosen], self.implausible[chosen],
        )  # fmt: skip

    def traffic(self, first: date, last: date) -> Traffic:
        """The plausible traffic of these days, both ends included."""
        chosen = ~self.implausible & _within(self.day, first, last)
        mine = self._rows(chosen)
        beta = _within(self.beta.day, first, last)
        return Traffic(
            self.hosts,
            AlphaFlows(mine.day, mine.host_row, mine.flow, mine.bytes, mine.burst_bytes),
            BetaBytes(self.beta.day[beta], self.beta.hosts[beta], self.beta.bytes[beta]),
        )

    def _rows(self, chosen: Mask) -> "Observed":
        columns = ("day", "host_row", "flow", "bytes", "burst_bytes", "peak_bytes", "peak_sd_bytes", "borderline",
                   "implausible", "confirmed_bytes")  # fmt: skip
        return replace(self, **{name: getattr(self, name)[chosen] for name in columns})

    def _borderline_at(self, threshold_bytes: int, sampling_error_pct: int) -> Mask:
        """Recomputed as in detection, from the stored peak and its standard deviation."""
        sd = np.maximum(self.peak_sd_bytes, 0)
        is_sampled = self.peak_sd_bytes != 0
        error = Fraction(sampling_error_pct, 100)
        known = np.where(is_sampled, self.peak_bytes * error.numerator, 0)
        is_close = (self.peak_bytes - threshold_bytes - BORDERLINE_SD * sd) * error.denominator <= known
        has_error = (self.peak_sd_bytes != _UNKNOWN) | (known > 0)
        found: Mask = is_close & has_error & (self.confirmed_bytes <= threshold_bytes)
        return found


def _within(day: Whole, first: date, last: date) -> Mask:
    found: Mask = (day >= first.toordinal()) & (day <= last.toordinal())
    return found
