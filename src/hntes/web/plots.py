"""Plots as numbers for a template: shapes as paths of SVG, ticks, a sentence, and the same numbers as a table."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hntes.format import gigabytes

WIDTH, HEIGHT = 600, 200
# Room for the labels of the axes.
LEFT, BOTTOM, TOP = 80, 24, 14
WIDEST_BAR = 40
FLOOR = HEIGHT - BOTTOM
_ROUND = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Tick:
    """A label of an axis and its place, in the units of the figure."""

    at: float
    label: str


@dataclass(frozen=True)
class Layer:
    """One kind of value: its class in the style sheet, its name, and all of its shapes as one path."""

    kind: str
    name: str
    path: str
    is_line: bool = False


@dataclass(frozen=True)
class Mark:
    """A short text in the figure, its left end at `x` and its foot at `y`."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Plot:
    """A figure with its name and `words`, its text alternative; `head` and `rows` are the same numbers as a table."""

    name: str
    words: str
    layers: tuple[Layer, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    has_legend: bool = True
    marks: tuple[Mark, ...] = ()

    width, height, left, floor = WIDTH, HEIGHT, LEFT, FLOOR


@dataclass(frozen=True)
class Series:
    """The values of one kind, None where they are not known."""

    kind: str
    name: str
    values: Sequence[float | None]


@dataclass(frozen=True)
class Scale:
    """A linear axis from 0 to `top`, on which `ticks` are round numbers."""

    top: float
    ticks: tuple[float, ...]

    @classmethod
    def to(cls, most: float) -> "Scale":
        """Up to a value or just above, with three to five ticks."""
        if most <= 0:
            return cls(1.0, (0.0,))
        power = 10.0 ** math.floor(math.log10(most / 4))
        step = next(power * each for each in _ROUND if 4 * power * each >= most)
        count = math.ceil(most / step - 1e-9)
        return cls(step * count, tuple(step * number for number in range(count + 1)))

    def y(self, value: float) -> float:
        """The height of a value, from the top of the figure."""
        return round(FLOOR - (FLOOR - TOP) * min(value / self.top, 1.0), 1)


def bytes_label(value: float, top: float) -> str:
    """A number of bytes beside an axis up to `top`, in TB from 1 TB on, in PB from a million: ten letters have room.

    Example:
        >>> bytes_label(5e11, 5e11), bytes_label(5e11, 2e12), bytes_label(2e14, 2e14), bytes_label(0, 2e12)
        ('500 GB', '0.5 TB', '200 TB', '0 TB')
        >>> bytes_label(1e16, 1e16), bytes_label(2.5e17, 5e17), bytes_label(1e19, 1e19)
        ('10,000 TB', '250,000 TB', '10,000 PB')
    """
    if top < 1e12:
        return gigabytes(int(value))
    amount, unit = (value / 1e12, "TB") if top < 1e18 else (value / 1e15, "PB")
    # general notation would write 10,000 as 1e+04
    return f"{amount:,.0f} {unit}" if amount >= 1000 else f"{amount:.4g} {unit}"


def stacked_bars(series: Sequence[Series], scale: Scale) -> tuple[Layer, ...]:
    """Bars of equal width over each other, the first series at the bottom."""
    count = len(series[0].values)
    wide = (WIDTH - LEFT) / max(count, 1)
    below = [0.0] * count
    layers = []
    for each in series:
        path = []
        for number, value in enumerate(each.values):
            if value:
                low, high = scale.y(below[number]), scale.y(below[number] + value)
                bar = min(wide * 0.8, WIDEST_BAR)
                x = LEFT + (number + 0.5) * wide - bar / 2
                path.append(f"M{x:.1f} {low:g}V{high:g}h{bar:.1f}V{low:g}z")
                below[number] += value
        layers.append(Layer(each.kind, each.name, "".join(path)))
    return tuple(layers)


def stacked_steps(series: Sequence[Series], scale: Scale) -> tuple[Layer, ...]:
    """The same as areas whose edges are steps, for many values."""
    count = len(series[0].values)
    places = [round(LEFT + (WIDTH - LEFT) * number / count, 1) for number in range(count + 1)]
    below = [0.0] * count
    layers = []
    for each in series:
        above = [low + (value or 0.0) for low, value in zip(below, each.values, strict=True)]
        layers.append(Layer(each.kind, each.name, _area(places, below, above, scale)))
        below = above
    return tuple(layers)


def _area(places: Sequence[float], below: Sequence[float], above: Sequence[float], scale: Scale) -> str:
    """The area between two staircases; "" where they are one."""
    if list(below) == list(above):
        return ""
    there = "".join(f"V{scale.y(value):g}H{place:g}" for value, place in zip(above, places[1:], strict=True))
    back = "".join(
        f"V{scale.y(value):g}H{place:g}" for value, place in zip(reversed(below), reversed(places[:-1]), strict=True)
    )
    return f"M{places[0]:g} {scale.y(below[0]):g}{there}{back}z"


def level_line(value: float, scale: Scale, kind: str, name: str) -> Layer:
    """A line across the figure."""
    return Layer(kind, name, f"M{LEFT} {scale.y(value):g}H{WIDTH}", is_line=True)


def day_ticks(hours: Iterable[int]) -> tuple[Tick, ...]:
    """Labels of a day's hours."""
    return tuple(Tick(round(LEFT + (WIDTH - LEFT) * hour / 24, 1), f"{hour:02}:00") for hour in hours)


def middle(number: int, count: int) -> float:
    """The middle of a bar."""
    return round(LEFT + (WIDTH - LEFT) * (number + 0.5) / count, 1)


@dataclass(frozen=True)
class LogScale:
    """A logarithmic axis over whole powers of ten."""

    low: int
    high: int

    @classmethod
    def over(cls, values: Sequence[int]) -> "LogScale":
        """From the power below the least of these values to that above the largest; at least one decade."""
        known = [value for value in values if value > 0] or [1]
        low = math.floor(math.log10(min(known)))
        return cls(low, max(math.ceil(math.log10(max(known))), low + 1))

    def y(self, value: float) -> float:
        """The height of a value, from the top of the figure; values below the axis lie on it."""
        share = (math.log10(max(value, 10.0**self.low)) - self.low) / (self.high - self.low)
        return round(FLOOR - (FLOOR - TOP) * min(share, 1.0), 1)

    @property
    def powers(self) -> tuple[int, ...]:
        """The values that are labelled."""
        return tuple(10**power for power in range(self.low, self.high + 1) if power >= 0)


# A point of each kind: shapes differ, so that colours alone say nothing.
_SHAPES = {"rule": "h4v4h-4z", "new": "l2.5 5h-5z", "excluded": "l2.5 2.5-2.5 2.5-2.5-2.5z"}
_OFFSETS = {"rule": (-2.0, -2.0), "new": (0.0, -2.5), "excluded": (0.0, -2.5)}


def points(kind: str, places: Iterable[tuple[float, float]]) -> str:
    """Points of a kind ("rule", "new", "excluded") at these places, from the top left, as one path."""
    shape, (left, up) = _SHAPES[kind], _OFFSETS[kind]
    return "".join(f"M{x + left:.1f} {y + up:.1f}{shape}" for x, y in places)
