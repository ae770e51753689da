"""Octets that flow records report per interface and direction, as the interface counts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hntes.etl.counters.polled import Floats
from hntes.etl.counters.source import Direction
from hntes.etl.days import MINUTE_MS
from hntes.etl.engines.base import Engine
from hntes.sql.queries import query_text

Int64 = npt.NDArray[np.int64]
Port = tuple[int, Direction]
Point = tuple[int, int, int]
"""A metering point: two halves of the exporter's address (0 where exporters are added up), and the direction."""
_SIDES: tuple[Direction, ...] = ("in", "out")
_PAGE_BYTES, _SQUARE_UNIT, _LARGEST_PACKET = 4096, 64, 65_535.0
# The interface's own meter has all of its packets; another that has them, too, may have somewhat more groups by chance.
_OWN_METER_WEIGHT = 2
# Times of records are rounded to these.
SLOT_MS = 10_000
# An active timeout of 30 minutes, and the rotation of a file.
_LONGEST_MS = 2_100_000
# The variance of a part of a record's octets, by share x (1 - share) x octets squared: 1 if they come in one burst, 1/3
# if any part of them is as likely.
_BURSTINESS = 1 / 3


@dataclass(frozen=True)
class Estimate:
    """Octets of flow records in some time, and their variance: by sampling, and as records reach beyond that time."""

    octets: float
    variance: float


@dataclass(frozen=True)
class PortOctets:
    """Records of one interface and direction at one metering point, in groups of equal first and last slot.

    `octets` are layer-2 octets; `variance` is due to sampling, `square` the sum of the records' squared bytes; `point`
    is where they were metered.
    is_own_meter: the interface itself metered the records, so that they are all of its packets.
    """

    first_ms: Int64
    end_ms: Int64
    octets: Floats
    variance: Floats
    square: Floats
    is_own_meter: bool
    point: Point = (0, 0, 0)

    def within(self, from_ms: int, to_ms: int) -> Estimate:
        """The octets in [from_ms, to_ms), a record's spread evenly over its slots.

        Where only part of a record's time lies inside, so may any part of its octets.
        """
        octets, variance = self._parts(from_ms, to_ms)
        return Estimate(float(octets.sum()), float(variance.sum()))

    def at_least(self, from_ms: int, to_ms: int, granted_sd: float) -> float:
        """The octets in [from_ms, to_ms), less so many standard deviations: of all records or of those that leave most.

        Some of the records cannot have more octets than all. So one that may be anything, as it reaches far beyond that
        time, takes nothing away from what the others have.
        """
        octets, variance = self._parts(from_ms, to_ms)
        is_inside = octets > 0
        octets, variance = octets[is_inside], variance[is_inside]
        # those with the least variance per octet first: what leaves most is so many of them
        order = np.argsort(variance / octets, kind="stable")
        left = np.cumsum(octets[order]) - granted_sd * np.sqrt(np.cumsum(variance[order]))
        return float(left.max(initial=0.0))

    def _parts(self, from_ms: int, to_ms: int) -> tuple[Floats, Floats]:
        """What each group has of [from_ms, to_ms), and the variance of it."""
        inside = np.minimum(self.end_ms, to_ms) - np.maximum(self.first_ms, from_ms)
        share = np.clip(inside / (self.end_ms - self.first_ms), 0.0, 1.0)
        return self.octets * share, self.variance * share + _BURSTINESS * self.square * share * (1 - share)

    def touching(self, from_ms: int, to_ms: int) -> Estimate:
        """All octets of records of which some may lie in [from_ms, to_ms)."""
        touches = (self.end_ms > from_ms) & (self.first_ms < to_ms)
        return Estimate(float(self.octets[touches].sum()), float(self.variance[touches].sum()))

    def by_minute(self, from_ms: int, minutes: int) -> Floats:
        """The octets of each minute from `from_ms` on."""
        slots = minutes * (MINUTE_MS // SLOT_MS)
        first = np.clip((self.first_ms - from_ms) // SLOT_MS, 0, slots)
        past = np.clip((self.end_ms - from_ms) // SLOT_MS, 0, slots)
        rate = self.octets / ((self.end_ms - self.first_ms) // SLOT_MS)
        change = np.bincount(first, rate, slots + 1) - np.bincount(past, rate, slots + 1)
        found: Floats = np.cumsum(change)[:slots].reshape(minutes, -1).sum(axis=1)
        return found

    @classmethod
    def of_records(
        cls, start_ms: Int64, last_ms: Int64, bytes_: Int64, packets: Int64, factor: Int64, point: Point
    ) -> PortOctets:
        """Of some records at a metering point, in IP bytes: in the slots and with the errors that all records have."""
        mean_bytes = np.minimum(bytes_ // np.maximum(packets, 1), _LARGEST_PACKET)
        return cls(
            first_ms=start_ms // SLOT_MS * SLOT_MS,
            end_ms=(np.maximum(last_ms - 1, start_ms) // SLOT_MS + 1) * SLOT_MS,
            octets=bytes_.astype(np.float64),
            variance=bytes_ * mean_bytes * np.maximum(factor - 1.0, 0),
            square=bytes_.astype(np.float64) ** 2,
            is_own_meter=False,
            point=point,
        )

    @classmethod
    def none(cls) -> PortOctets:
        """Of an interface that no record names."""
        whole, real = np.zeros(0, np.int64), np.zeros(0)
        return cls(whole, whole, real, real, real, is_own_meter=False)


def port_octets(
    engine: Engine,
    lake: Path,
    parts: Sequence[str],
    bounds_ms: tuple[int, int],
    framing_bytes: int,
    *,
    sum_exporters: bool = False,
    longest_ms: int = _LONGEST_MS,
) -> Mapping[Port, PortOctets]:
    """Per interface (SNMP index) and direction, at the metering point with most groups of records.

    Those of its own meter count double. Not with most octets: one record may claim more than all others have.
    `framing_bytes` are what the interface counts of each packet beside its IP bytes. With `sum_exporters` the exporters
    see different traffic, and only ingress and egress are compared.
    """
    query = query_text(
        "port_octets", from_ms=bounds_ms[0], to_ms=bounds_ms[1], slot_ms=SLOT_MS,
        # whatever a record claims: it may not leave open where in a day its octets were
        longest_ms=max(longest_ms, SLOT_MS), with_exporters=int(not sum_exporters),
    )  # fmt: skip
    table = engine.run(query, lake, list(dict.fromkeys(parts)))
    found: dict[Port, PortOctets] = {}
    for (index, side, *point), rows in _metered(table):
        port = (index, _SIDES[side])
        read = _of_rows(rows, framing_bytes, (point[1], point[2], point[0]), is_own_meter=side == point[0])
        if port not in found or _weight(read) > _weight(found[port]):
            found[port] = read
    return found


def _weight(read: PortOctets) -> tuple[int, float]:
    return len(read.octets) * (_OWN_METER_WEIGHT if read.is_own_meter else 1), float(read.octets.sum())


def _metered(table: pa.Table) -> Iterator[tuple[Sequence[int], Mapping[str, Floats]]]:
    """Rows by interface, side, direction of metering and metering point."""
    columns = {name: table[name].to_numpy() for name in table.column_names}
    keys = np.column_stack(
        [columns[name] for name in ("interface_index", "side", "direction", "point_hi", "point_lo")]
    )  # fmt: skip
    if not len(keys):
        return
    begins = np.flatnonzero(np.concatenate([[True], (keys[1:] != keys[:-1]).any(axis=1)]))
    for begin, past in zip(begins, [*begins[1:], len(keys)], strict=True):
        yield keys[begin].tolist(), {name: column[begin:past] for name, column in columns.items()}


def _of_rows(rows: Mapping[str, Floats], framing_bytes: int, point: Point, *, is_own_meter: bool) -> PortOctets:
    # an unknown factor (0) is taken as exact
    unseen = np.maximum(rows["sampling_factor"] - 1, 0)
    return PortOctets(
        first_ms=rows["first_slot"].astype(np.int64) * SLOT_MS,
        end_ms=(rows["last_slot"].astype(np.int64) + 1) * SLOT_MS,
        octets=rows["bytes"] + framing_bytes * rows["packets"],
        # n sampled packets of s bytes stand for n x factor: variance n s^2 factor (factor - 1) = bytes s (factor - 1)
        variance=_SQUARE_UNIT * rows["square_bytes_64"] * unseen,
        square=float(_PAGE_BYTES) ** 2 * rows["square_pages"],
        is_own_meter=is_own_meter,
        point=point,
    )
