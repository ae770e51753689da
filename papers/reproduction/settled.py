"""Early stopping: when further seeds of a case can no longer change its verdicts."""

import statistics
from collections import Counter
from collections.abc import Sequence
from math import inf

from hntes.papers.cells import PublishedCell, assess

# Shown, but not judged: what further seeds would change there is not worth their time.
SHOWN = frozenset({"reported", "predicted"})


def majority(seeds: int) -> int:
    """The number of seeds that decide on which side of a limit the median lies."""
    return seeds // 2 + 1


def is_settled(cell: PublishedCell, values: Sequence[float], seeds: int) -> bool:
    """Whether the verdict on the median of `values` is that on the median of all seeds, whatever the others give.

    What counts as reproduced is an interval. If more than half of all seeds lie in it, or above it, or below it, then
    so does the median. Orders compare two medians: `is_order_settled`.
    """
    if cell.kind in SHOWN or len(values) >= seeds:
        return True
    return max(Counter(_side(cell, value) for value in values).values(), default=0) >= majority(seeds)


def is_order_settled(higher: Sequence[float], lower: Sequence[float], seeds: tuple[int, int]) -> bool:
    """Whether one median is above the other, or is not, whatever the seeds give that have not been run.

    Args:
        higher: Values of the case that is to be above.
        lower: Values of the other one.
        seeds: How many seeds each has in all.
    """
    least, most = _median_bounds(higher, seeds[0])
    other_least, other_most = _median_bounds(lower, seeds[1])
    return least > other_most or most <= other_least


def _median_bounds(values: Sequence[float], seeds: int) -> tuple[float, float]:
    """The least and the greatest that the median of all seeds can be."""
    unknown = seeds - len(values)
    return statistics.median([*values, *[-inf] * unknown]), statistics.median([*values, *[inf] * unknown])


def _side(cell: PublishedCell, value: float) -> int:
    """0 within what counts as reproduced, -1 below it, 1 above."""
    if assess(cell, value, value, value).word == "reproduced":
        return 0
    reference = cell.within if cell.published is None else cell.published
    return 1 if value > reference else -1
