"""Record times: named rules that repair impossible times or set the record aside.

Each rule decides on one record from its own first, last and received time. The records whose start never moves are
repaired where all records of a flow are together: sql/queries/alpha_candidates.sql.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from hntes.etl.days import DAY_MS, OLDEST_MS
from hntes.etl.ingest.exporter_clock import MAX_EXPORT_DELAY_MS, clock_offset_ms

Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]

# sysUptime of NetFlow v5 and v9 is a 32-bit count of milliseconds and wraps every 49.7 days (RFC 3954, section 5.1).
UPTIME_WRAP_MS = 1 << 32
# Longer records are not flows, and the arithmetic on milliseconds below 2^31 stays within 64 bits.
MAX_DURATION_MS = (1 << 31) - 1
# The longest active timeout of any exporter known to us is 30 minutes; a swapped pair is never further apart.
MAX_SWAP_MS = 3_600_000


@dataclass(frozen=True)
class Times:
    """Record times after repair. `repairs` and `aside` map a rule's name to the records it decided on.

    `shift_ms` is by how much rule clock_shift moved each.
    """

    first_ms: Int64
    last_ms: Int64
    shift_ms: Int64
    repairs: dict[str, Bool]
    aside: dict[str, Bool]
    days_old: Bool


def repair_times(
    first_ms: Int64,
    last_ms: Int64,
    received_ms: Int64,
    *,
    max_clock_ahead_ms: int,
    clock: Literal["exporter", "collector"] = "exporter",
    exporter: Int64 | None = None,
    offset_ms: Callable[[int, Int64], int] = lambda _, lags_ms: clock_offset_ms(lags_ms),
) -> Times:
    """Repairs what a named rule can repair; all arrays have one element a record, times are epoch ms UTC.

    Rules, in this order:
        received_time (repaired, only with clock="collector"): first and last before 2000; the record is taken to begin
            and end when the collector received it.
        no_time (set aside): first or last before 2000.
        uptime_wrap (repaired): first, last or both are 2^32 ms off, the wrap of a router's uptime counter.
        end_before_start (repaired): last up to an hour before first; the two are swapped.
        end_before_start (set aside): further apart than that.
        too_long (set aside): longer than 24.8 days (2^31 ms).
        clock_shift (repaired, only with clock="collector"): the records of an exporter are moved by one offset, that of
            its clock (etl/ingest/exporter_clock.py); not those that are right as they are and would lie in the future,
            or end longer before their reception than exports take.
        in_future (set aside): ends later than `max_clock_ahead_ms` after it was received.

    `offset_ms` gives the offset of an exporter's clock; it is told the exporter's number and the times from the ends of
    these records of it to their reception, which by default are taken for all that there are. A received time of 0 is
    unknown and judges nothing. `days_old` marks records that ended more than a day before they were received: they are
    kept, in the day they name, and reported.
    """
    first, last = first_ms.copy(), last_ms.copy()
    repairs: dict[str, Bool] = {}
    aside: dict[str, Bool] = {}
    known = received_ms >= OLDEST_MS
    if clock == "collector":
        timeless = repairs["received_time"] = known & (first < OLDEST_MS) & (last < OLDEST_MS)
        first[timeless] = last[timeless] = received_ms[timeless]
    else:
        timeless = np.zeros(first.shape, dtype=np.bool_)
    aside["no_time"] = (first < OLDEST_MS) | (last < OLDEST_MS)
    usable = ~aside["no_time"]

    repairs["uptime_wrap"] = _undo_wrap(first, last, received_ms, usable, known, max_clock_ahead_ms)
    repairs["end_before_start"], aside["end_before_start"] = _swap(first, last, usable)
    usable &= ~aside["end_before_start"]
    aside["too_long"] = usable & (last - first > MAX_DURATION_MS)
    usable &= ~aside["too_long"]

    shift = np.zeros_like(first)
    if clock == "collector":
        shift = _shift_to_collector(
            last, received_ms, usable & known & ~timeless, exporter, offset_ms, max_clock_ahead_ms
        )
        first += shift
        last += shift
        repairs["clock_shift"] = shift != 0
    aside["in_future"] = usable & known & (last > received_ms + max_clock_ahead_ms)
    usable &= ~aside["in_future"]
    days_old = usable & known & (last < received_ms - DAY_MS)
    return Times(first, last, shift, repairs, aside, days_old)


def _swap(first: Int64, last: Int64, usable: Bool) -> tuple[Bool, Bool]:
    """Swaps times in place where the end is up to MAX_SWAP_MS before the start; what was swapped, and what is not."""
    backwards = usable & (last < first)
    swapped = backwards & (first - last <= MAX_SWAP_MS)
    if swapped.any():
        first[swapped], last[swapped] = last[swapped], first[swapped]
    return swapped, backwards & ~swapped


def _undo_wrap(first: Int64, last: Int64, received: Int64, usable: Bool, known: Bool, ahead_ms: int) -> Bool:
    """In place; returns which records were changed."""
    backwards = usable & (last < first)
    ahead = usable & known & (last > received + ahead_ms)
    if not (backwards.any() or ahead.any()):
        return backwards
    wrapped = backwards & (np.abs(first - last - UPTIME_WRAP_MS) <= DAY_MS) & (first - UPTIME_WRAP_MS <= last)
    # The header follows its records, so it is the start that lies before the wrap: unless the collector's clock
    # says that the end fits only one uptime later.
    later_end = wrapped & known & (np.abs(last + UPTIME_WRAP_MS - received) < np.abs(last - received))
    last[later_end] += UPTIME_WRAP_MS
    first[wrapped & ~later_end] -= UPTIME_WRAP_MS
    both = ahead & ~wrapped & (np.abs(last - UPTIME_WRAP_MS - received) <= DAY_MS)
    first[both] -= UPTIME_WRAP_MS
    last[both] -= UPTIME_WRAP_MS
    changed: Bool = wrapped | both
    return changed


def _shift_to_collector(
    last: Int64, received: Int64, usable: Bool, exporter: Int64 | None, offset_ms: Callable[[int, Int64], int],
    ahead_ms: int,
) -> Int64:  # fmt: skip
    """By how much to move each record; one offset an exporter keeps the records' order and distances.

    Of a clock that was set while a file was written some records are right.
    """
    lag = received - last
    is_right = (lag >= -ahead_ms) & (lag <= MAX_EXPORT_DELAY_MS)
    shift = np.zeros_like(last)
    groups = np.zeros_like(last) if exporter is None else exporter
    for group in np.unique(groups[usable]):
        rows = usable & (groups == group)
        if offset := offset_ms(int(group), lag[rows]):
            moved = lag - offset
            shift[rows & ~(is_right & ((moved < -ahead_ms) | (moved > MAX_EXPORT_DELAY_MS)))] = offset
    return shift
