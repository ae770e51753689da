"""Shares over a week, which smooth days of little traffic."""

from collections.abc import Sequence
from itertools import accumulate

WEEK = 7


def weekly_shares(part: Sequence[int], whole: Sequence[int]) -> list[float | None]:
    """Of each day, the share of the sums of the last 7 days up to it, in per cent; None where there was nothing.

    Example:
        >>> weekly_shares([0, 1, 3], [0, 2, 4])
        [None, 50.0, 66.66666666666667]
    """
    parts, wholes = (_weekly(values) for values in (part, whole))
    return [100 * one / total if total else None for one, total in zip(parts, wholes, strict=True)]


def _weekly(values: Sequence[int]) -> list[int]:
    sums = [0, *accumulate(map(int, values))]
    return [sums[day] - sums[max(day - WEEK, 0)] for day in range(1, len(sums))]
