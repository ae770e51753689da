"""Which flows of an overfilled port fit into it nevertheless: with all that are no larger, they do not overfill it.

Whoever fills a port by a few large forged records would otherwise keep all true flows of that time from becoming rules.
The true ones among equally large flows cannot be told: where flows of one size overfill the port, none of them fits.
Small forged flows that fit are believed, as they would be without the large ones (docs/reference/attacks.md).
"""

from collections.abc import Iterable, Sequence, Set
from itertools import groupby

import numpy as np
import numpy.typing as npt

from hntes.etl.detect.peak_window import BIN_MS, PeakWindow
from hntes.etl.measure.plausible import SAMPLING_SD

# Each flow is added up with all that are no larger, in turn, at each moment at which the port may be fullest. For more
# doubted ones than these it is done by steps of so long a time, in each of which a longer time stands for BIN_MS.
MOST_EXACT, STEP_MS = 5000, 100

Floats = npt.NDArray[np.float64]


def fitting_flows(sending: Iterable[tuple[float, PeakWindow]], doubted: Set[str], most_bytes: float) -> frozenset[str]:
    """Those of the doubted flows that fit into a port which takes `most_bytes` in any BIN_MS, by flow id.

    `sending` is all that was sent from the port: windows with the sizes in bytes of the flows in them. Of very many
    doubted flows some may not be found that fit by a fiftieth.
    """
    if not doubted:
        return frozenset()
    ordered = sorted(sending, key=_size)
    filling = _Filling.of([window for _, window in ordered], 1 if len(doubted) <= MOST_EXACT else STEP_MS)
    fits: set[str] = set()
    for _, alike in groupby(ordered, key=_size):
        windows = [window for _, window in alike]
        for each in windows:
            filling.add(each)
        fits |= {each.flow_id for each in windows if each.flow_id in doubted and filling.most(each) <= most_bytes}
    return frozenset(fits)


def _size(sized: tuple[float, PeakWindow]) -> float:
    return sized[0]


class _Filling:
    """What is sent within a time of each moment at which such a time may be fullest, and its variance.

    A moment stands for all of `step_ms` from it on, and the time is BIN_MS and so much that it covers that of each.
    """

    def __init__(self, begins: Floats, time_ms: int) -> None:
        self._begins, self._time_ms = begins, time_ms
        self._bytes, self._variance = np.zeros(len(begins)), np.zeros(len(begins))

    @classmethod
    def of(cls, sending: Sequence[PeakWindow], step_ms: int) -> "_Filling":
        edges = np.unique(np.array([moment for each in sending for moment in each.span_ms], dtype=np.float64))
        begins = np.concatenate([edges, edges - BIN_MS]) // step_ms * step_ms
        return cls(np.unique(begins), BIN_MS + step_ms - 1)

    def add(self, window: PeakWindow) -> None:
        start, end = window.span_ms
        during = self._during(window)
        begins = self._begins[during]
        part = (np.minimum(end, begins + self._time_ms) - np.maximum(start, begins)) / (end - start)
        self._bytes[during] += part * window.bytes
        self._variance[during] += part * window.fitting * float(window.sd_bytes) ** 2

    def most(self, window: PeakWindow) -> float:
        """What the fullest time that touches this window has at least, by the error of sampling."""
        during = self._during(window)
        return float(np.max(self._bytes[during] - SAMPLING_SD * np.sqrt(self._variance[during])))

    def _during(self, window: PeakWindow) -> slice:
        start, end = window.span_ms
        first, last = (
            np.searchsorted(self._begins, start - self._time_ms),
            np.searchsorted(self._begins, end, side="right"),
        )
        return slice(int(first), int(last))
