"""When further seeds of a case can no longer change what becomes of its published cells."""

from collections import Counter
from collections.abc import Sequence

from simulator.papers.cells import PublishedCell, assess

# Shown, but not judged: what further seeds would change there is not worth their time.
SHOWN = frozenset({"reported", "predicted"})


def majority(seeds: int) -> int:
    """How many of so many seeds decide by themselves on which side of a limit the median lies."""
    return seeds // 2 + 1


def is_settled(cell: PublishedCell, values: Sequence[float], seeds: int) -> bool:
    """Whether the verdict on the median of `values` is that on the median of all seeds, whatever the others give.

    What counts as reproduced is an interval. If more than half of all seeds lie in it, or above it, or below it, then
    so does the median. An order compares two medians and is settled by all seeds alone.
    """
    if cell.kind in SHOWN or len(values) >= seeds:
        return True
    if cell.kind == "order":
        return False
    return max(Counter(_side(cell, value) for value in values).values(), default=0) >= majority(seeds)


def _side(cell: PublishedCell, value: float) -> int:
    """0 within what counts as reproduced, -1 below it, 1 above."""
    if assess(cell, value, value, value).word == "reproduced":
        return 0
    reference = cell.within if cell.published is None else cell.published
    return 1 if value > reference else -1
