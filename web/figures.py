"""Small figures of days, as the numbers that a template draws: a bar for each day, the last to the right."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from base.wording import counted, gigabytes

# What is not nothing can be seen, however small beside the largest.
LEAST_HEIGHT = 1.5


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

    @property
    def path(self) -> str:
        """All bars as the one path of a drawing, where nobody points at a single one."""
        return "".join(f"M{bar.x:g} {bar.y:g}h{bar.width:g}v{bar.height:g}h-{bar.width:g}z" for bar in self.bars)


def strip(
    values: Sequence[int], until_day: date, *, day_width: int, height: int,
    of: str = "alpha traffic", worded: Callable[[int], str] = gigabytes,
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
    most = max(values, default=0)
    first = until_day - timedelta(days=len(values) - 1)
    bars = []
    for number, value in enumerate(values):
        if value > 0:
            tall = round(max(height * value / most, LEAST_HEIGHT), 2)
            day = first + timedelta(days=number)
            words = f"{day}: {worded(value)}"
            bars.append(Bar(number * day_width, round(height - tall, 2), max(day_width - 1, 1), tall, words))
    seen = sum(value > 0 for value in values)
    span = f"{counted(len(values), 'day')} up to {until_day}"
    told = f"{of} on {counted(seen, 'day')}, at most {worded(most)}" if seen else f"no {of}"
    return Strip(len(values) * day_width, height, tuple(bars), f"{span}: {told}")


def last_seen(octets: Sequence[int], until_day: date) -> date | None:
    """The last day with any bytes, None if there is none among these."""
    for back, value in enumerate(reversed(octets)):
        if value > 0:
            return until_day - timedelta(days=back)
    return None
