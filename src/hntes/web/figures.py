"""Small figures of days, as the numbers that a template draws: a bar for each day, the last to the right."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from hntes.format import counted, gigabytes

# What is not nothing can be seen, however small beside the largest.
LEAST_HEIGHT = 1.5
_ALPHA = "alpha traffic"


@dataclass(frozen=True)
class Bar:
    """One day's bar, in the units of the figure: from the left, from above."""

    x: float
    y: float
    width: float
    height: float
    words: str


@dataclass(frozen=True)
class Strip:
    """A figure of days. `words` says in a sentence what it shows, for those who do not see it."""

    width: int
    height: int
    bars: tuple[Bar, ...]
    words: str


@dataclass(frozen=True)
class Spark:
    """The same beside many others, where nobody points at a single day: all bars are the one path of a drawing."""

    width: int
    height: int
    path: str
    words: str


def strip(
    values: Sequence[int], until_day: date, *, day_width: int, height: int,
    of: str = _ALPHA, worded: Callable[[int], str] = gigabytes,
) -> Strip:  # fmt: skip
    """Bars of values by day, the last being that of `until_day`; days with 0 have no bar.

    Args:
        values: Bytes, or what else `worded` puts into words.
        until_day: Day of the last value.
        day_width: Of a day, in the units of the figure.
        height: Of the tallest bar, likewise.
        of: What the values are of.
        worded: A value in words.
    """
    first = until_day - timedelta(days=len(values) - 1)
    bars = []
    for number, tall in _heights(values, height):
        words = f"{first + timedelta(days=number)}: {worded(values[number])}"
        bars.append(Bar(number * day_width, round(height - tall, 2), _width(day_width), tall, words))
    return Strip(len(values) * day_width, height, tuple(bars), _told(values, until_day, of, worded))


def spark(values: Sequence[int], until_day: date, *, day_width: int, height: int) -> Spark:
    """Alpha bytes by day, the last being that of `until_day`; the arguments are those of `strip`."""
    wide = _width(day_width)
    path = "".join(
        f"M{number * day_width} {round(height - tall, 2):g}h{wide}v{tall:g}h-{wide}z"
        for number, tall in _heights(values, height)
    )
    return Spark(len(values) * day_width, height, path, _told(values, until_day, _ALPHA, gigabytes))


def _heights(values: Sequence[int], height: int) -> Iterator[tuple[int, float]]:
    most = max(values, default=0)
    return ((n, round(max(height * value / most, LEAST_HEIGHT), 2)) for n, value in enumerate(values) if value > 0)


def _width(day_width: int) -> int:
    return max(day_width - 1, 1)


def _told(values: Sequence[int], until_day: date, of: str, worded: Callable[[int], str]) -> str:
    seen = sum(value > 0 for value in values)
    span = f"{counted(len(values), 'day')} up to {until_day}"
    told = f"{of} on {counted(seen, 'day')}, at most {worded(max(values))}" if seen else f"no {of}"
    return f"{span}: {told}"


def last_seen(bytes_by_day: Sequence[int], until_day: date) -> date | None:
    """The last day with any bytes, None if there is none among these."""
    for back, value in enumerate(reversed(bytes_by_day)):
        if value > 0:
            return until_day - timedelta(days=back)
    return None
