"""Small figures of days, as the numbers that a template draws: a bar for each day, the last to the right."""

from collections.abc import Sequence
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


def strip(octets: Sequence[int], until_day: date, *, day_width: int, height: int) -> Strip:
    """Bars of bytes by day, the last value being that of `until_day`; days without any have no bar."""
    most = max(octets, default=0)
    first = until_day - timedelta(days=len(octets) - 1)
    bars = []
    for number, value in enumerate(octets):
        if value > 0:
            tall = round(max(height * value / most, LEAST_HEIGHT), 2)
            day = first + timedelta(days=number)
            words = f"{day}: {gigabytes(value)}"
            bars.append(Bar(number * day_width, round(height - tall, 2), max(day_width - 1, 1), tall, words))
    return Strip(len(octets) * day_width, height, tuple(bars), _words(octets, until_day, most))


def last_seen(octets: Sequence[int], until_day: date) -> date | None:
    """The last day with any bytes, None if there is none among these."""
    for back, value in enumerate(reversed(octets)):
        if value > 0:
            return until_day - timedelta(days=back)
    return None


def _words(octets: Sequence[int], until_day: date, most: int) -> str:
    seen = sum(value > 0 for value in octets)
    span = f"{counted(len(octets), 'day')} up to {until_day}"
    if not seen:
        return f"{span}: no alpha traffic"
    return f"{span}: alpha traffic on {counted(seen, 'day')}, {gigabytes(most)} on the busiest"
