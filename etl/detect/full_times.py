"""The times at which a flow has more than the threshold: which of its records belong to each.

Sums are floating point: they say how records are grouped, not what is stored of them.
"""

from bisect import bisect, insort
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hntes.etl.detect.metering import Metered

Floats = npt.NDArray[np.float64]


def by_full_times(
    records: Sequence[Metered], window_ms: int, threshold_bytes: int, bounds: tuple[int, int]
) -> tuple[list[list[Metered]], list[Metered]]:
    """The records of each full window that ends in (bounds[0], bounds[1]], the fullest first; and those of none.

    Windows are apart from each other: of overlapping ones the fullest is taken, and a record belongs to the fullest
    that it touches. So what lies between two of them may be among the others although it is above the threshold.
    """
    start = np.array([record.start_ms for record in records], np.float64)
    # an instant takes a millisecond, so that what was sent by a moment has no jumps
    last = np.maximum(np.array([record.last_ms for record in records], np.float64), start + 1)
    ends = _full_ends(start, last, np.array([record.bytes for record in records], np.float64), window_ms, bounds,
                      threshold_bytes)  # fmt: skip
    parts: list[list[Metered]] = [[] for _ in ends]
    others: list[Metered] = []
    for record, number in zip(records, _fullest(start, last, np.array(ends), window_ms), strict=True):
        (parts[number] if number < len(parts) else others).append(record)
    return [part for part in parts if part], others


def _full_ends(
    start: Floats, last: Floats, sizes: Floats, window_ms: int, bounds: tuple[int, int], threshold_bytes: int
) -> list[float]:
    """The ends of windows above the threshold that are apart, the fullest first.

    Each window ends or begins with a record.
    """
    edges = np.unique(np.concatenate([start, last]))
    slope = np.zeros(len(edges))
    np.add.at(slope, np.searchsorted(edges, start), sizes / (last - start))
    np.add.at(slope, np.searchsorted(edges, last), -sizes / (last - start))
    until = np.concatenate([[0.0], np.cumsum(np.cumsum(slope)[:-1] * np.diff(edges))])
    ends = np.unique(np.concatenate([last, start + window_ms]))
    ends = ends[(ends > bounds[0]) & (ends <= bounds[1])]
    sums = np.interp(ends, edges, until) - np.interp(ends - window_ms, edges, until)
    taken: list[float] = []
    found: list[float] = []
    for end in ends[np.argsort(-sums, kind="stable")][: int((sums > threshold_bytes).sum())].tolist():
        place = bisect(taken, end)
        if all(abs(end - other) > window_ms for other in taken[max(place - 1, 0) : place + 1]):
            insort(taken, end)
            found.append(end)
    return found


def _fullest(start: Floats, last: Floats, ends: Floats, window_ms: int) -> list[int]:
    """Of each record the first of these windows that it touches; their number if it touches none."""
    order = np.argsort(ends)
    # reduceat takes no empty range, nor one that begins at the end
    rank = np.append(order, len(ends))
    first = np.searchsorted(ends[order], start)
    past = np.searchsorted(ends[order] - window_ms, last, side="right")
    least = np.minimum.reduceat(rank, np.column_stack([first, past]).ravel())[::2]
    found: list[int] = np.where(first < past, least, len(ends)).tolist()
    return found
