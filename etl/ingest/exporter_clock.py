"""The clock of an exporter against the collector's, by what most of its records in a file say.

Whoever can send the collector a datagram can forge records of an exporter with any times, so that no single record may
decide by how much the others are moved.
"""

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]

# Exporters send a record within their active timeout; an exporter whose records are mostly older has another clock.
MAX_EXPORT_DELAY_MS = 3_600_000
# Most records are judged to agree within the shortest of these: forged ones beside them move the others by no more.
_DELAYS_MS = (60_000, 120_000, 240_000, 480_000, 960_000, 1_920_000, MAX_EXPORT_DELAY_MS)
# Of the records that agree, 1 in so many may end later than it was received: not one alone says when the others end.
_AHEAD_ONE_IN = 20


def clock_offset_ms(lags_ms: Int64) -> int:
    """The offset of an exporter's clock, by the times from the ends of its records to their reception.

    More than half of the records must agree within the delay of an export; 0 where they do not, or where the clock is
    right: the records end before they are received, by no more than that delay.
    """
    if _are_right(lags_ms):
        return 0
    lags = np.sort(lags_ms)
    half = lags.size // 2
    span = lags[half:] - lags[: lags.size - half]
    for delay_ms in _DELAYS_MS:
        agreeing = np.flatnonzero(span <= delay_ms)
        if agreeing.size:
            first = int(agreeing[0])
            past = int(np.searchsorted(lags, lags[first] + delay_ms, side="right"))
            lag_ms = int(lags[first + (past - first) // _AHEAD_ONE_IN])
            return lag_ms if lag_ms > MAX_EXPORT_DELAY_MS or lag_ms < 0 else 0
    return 0


def _are_right(lags_ms: Int64) -> bool:
    return not lags_ms.size or bool(lags_ms.min() >= 0 and lags_ms.max() <= MAX_EXPORT_DELAY_MS)


class Lags:
    """The times from the ends of an exporter's records to their reception, in ms, of as many blocks as were joined."""

    def __init__(self, lags_ms: Int64) -> None:
        self._pieces = [lags_ms]
        self._offset_ms: int | None = None

    def joined(self, other: "Lags") -> "Lags":
        """Takes in those of another block."""
        self._pieces += other._pieces
        self._offset_ms = None
        return self

    @property
    def offset_ms(self) -> int:
        """The offset of the exporter's clock that follows from them."""
        if self._offset_ms is None:
            # mostly so, and then there is nothing to put together
            is_right = all(map(_are_right, self._pieces))
            self._offset_ms = 0 if is_right else clock_offset_ms(np.concatenate(self._pieces))
        return self._offset_ms
