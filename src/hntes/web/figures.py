"""Small bar charts of days as numbers for a template: one bar per day, the last on the right."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from hntes.format import counted, gigabytes

# A nonzero value stays visible, however small.
LEAST_HEIGHT = 1.5
_ALPHA = "alpha traffic"


@dataclass(frozen=True)
class Bar:
    """One day's bar, in the units of the figure, from the top left."""

    x: float
    y: float
    width: float
    height: float
    words: str


@dataclass(frozen=True)
class Strip:
    """A bar chart of days. `words` is its text alternative."""

    width: int
    height: int
    bars: tuple[Bar, ...]
    words: str


@dataclass(frozen=True)
class Spark:
    """A small bar chart for tables, without tooltips per day: all bars are one path."""

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
        values: Bytes, or another quantity that `worded` formats.
        until_day: Day of the last value.
        day_width: Width of a day, in the units of the figure.
        height: Height of the tallest bar.
        of: Name of the quantity.
        worded: A value in words.
    """
    first = until_day - timedelta(days=len(values) - 1)
    bars = []
    for number, tall in _heights(values, height):
        words = f"{first + timedelta(days=number)}: {worded(values[number])}"
        bars.append(Bar(number * day_width, round(height - tall, 2), _width(day_width), tall, words))
    return Strip(len(values) * day_width, height, tuple(bars), _words_of(values, until_day, of, worded))


def spark(values: Sequence[int], until_day: date, *, day_width: int, height: int) -> Spark:
    """Alpha bytes by day, the last being that of `until_day`; the arguments are those of `strip`."""
    wide = _width(day_width)
    path = "".join(
        f"M{number * day_width} {round(height - tall, 2):g}h{wide}v{tall:g}h-{wide}z"
        for number, tall in _heights(values, height)
    )
    return Spark(len(values) * day_width, height, path, _words_of(values, until_day, _ALPHA, gigabytes))


def _heights(values: Sequence[int], height: int) -> Iterator[tuple[int, float]]:
    most = max(values, default=0)
    return ((n, round(max(height * value / most, LEAST_HEIGHT), 2)) for n, value in enumerate(values) if value > 0)


def _width(day_width: int) -> int:
    return max(day_width - 1, 1)


def _words_of(values: Sequence[int], until_day: date, of: str, worded: Callable[[int], str]) -> str:
    seen = sum(value > 0 for value in values)
    span = f"{counted(len(values), 'day')} up to {until_day}"
    words = f"{of} on {counted(seen, 'day')}, at most {worded(max(values))}" if seen else f"no {of}"
    return f"{span}: {words}"


def last_seen(bytes_by_day: Sequence[int], until_day: date) -> date | None:
    """The last day with any bytes, None if there is none among these."""
    for back, value in enumerate(reversed(bytes_by_day)):
        if value > 0:
            return until_day - timedelta(days=back)
    return None
