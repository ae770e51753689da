"""The figures of a back-test: the cost of a larger share, and effectiveness over time, one series per variant."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hntes.rules.backtest.weekly import WEEK, weekly_shares
from hntes.web.plots import FLOOR, LEFT, TOP, WIDTH, Layer, Mark, Plot, Tick
from hntes.web.traffic_plots import day_labels
from hntes.workflow.reports.backtest_results import VariantResult

# As many as can be told apart: the style sheet has a colour and a dash for each.
MOST_SERIES = 8
# A square, a triangle and a diamond around the place at which they begin.
_SHAPES = ("m-4-4h8v8h-8z", "m0-5l5 9h-10z", "m0-5l5 5-5 5-5-5z")
_STEPS = (1, 2, 2.5, 5, 10)
_RIGHT = WIDTH - 16


@dataclass(frozen=True)
class Span:
    """A linear axis between two round numbers, where an axis from 0 would hide what differs."""

    low: float
    high: float
    step: float

    @classmethod
    def over(cls, values: Sequence[float]) -> "Span":
        """From the multiple of a step at or below the least of these values to that at or above the largest."""
        least, most = min(values), max(values)
        wide = max(most - least, max(abs(most), 1.0) * 0.02)
        power = 10.0 ** math.floor(math.log10(wide / 3))
        step = next(power * each for each in _STEPS if 3 * power * each >= wide)
        low = math.floor(least / step + 1e-9) * step
        return cls(low, max(math.ceil(most / step - 1e-9) * step, low + step), step)

    @property
    def ticks(self) -> tuple[float, ...]:
        count = round((self.high - self.low) / self.step)
        return tuple(self.low + number * self.step for number in range(count + 1))

    def share(self, value: float) -> float:
        """Where a value is between both ends, 0 to 1."""
        return (value - self.low) / (self.high - self.low)


def trade_off_plot(found: Sequence[VariantResult]) -> Plot | None:
    """Each variant's effectiveness by its mean number of terms; None where no day has alpha traffic."""
    rated = [
        (number, one, 100 * one.effectiveness) for number, one in _numbered(found) if one.effectiveness is not None
    ]
    if not rated:
        return None
    across, up = Span.over([one.mean_terms for _, one, _ in rated]), Span.over([share for *_, share in rated])
    layers, places = [], dict[tuple[float, float], list[str]]()
    for number, one, share in rated:
        x, y = round(LEFT + (_RIGHT - LEFT) * across.share(one.mean_terms), 1), _y(up, share)
        layers.append(Layer(_kind(number), _name(number, one), f"M{x:g} {y:g}{_SHAPES[number % len(_SHAPES)]}"))
        places.setdefault((x, y), []).append(str(number + 1))
    # variants that lie on each other share a mark
    marks = tuple(_mark(x, y, ", ".join(numbers)) for (x, y), numbers in places.items())
    rows = tuple((_name(number, one), f"{one.mean_terms:.1f}", f"{share:.2f}%") for number, one, share in rated)
    last = max(across.ticks)
    x_ticks = tuple(
        Tick(
            round(LEFT + (_RIGHT - LEFT) * across.share(each), 1), f"{each:g}{' terms' if each == last else ''}"
        )
        for each in across.ticks
    )  # fmt: skip
    best = max(rated, key=lambda each: each[2])
    words = f"alpha bytes queued by mean number of filter terms; at most {best[2]:.2f}%, by {best[1].label}"
    return Plot(
        "Cost of a larger share", words, tuple(layers), x_ticks, _share_ticks(up),
        ("Variant", "terms, mean over the days", "alpha bytes queued"), rows, marks=marks,
    )  # fmt: skip


def _mark(x: float, y: float, text: str) -> Mark:
    """Beside a point: on its left where the figure ends on its right."""
    wide = 9.0 * len(text)  # of the type on telephones
    return Mark(round(x + 8 if x + 8 + wide < WIDTH else x - 8 - wide, 1), round(y - 6, 1), text)


def weekly_plot(found: Sequence[VariantResult]) -> Plot | None:
    """The share of the last 7 days by day, one line per variant; None where no day has alpha traffic."""
    lines = [
        weekly_shares([each.queued_bytes for each in one.days], [each.alpha_bytes for each in one.days])
        for _, one in _numbered(found)
    ]
    known = [share for line in lines for share in line if share is not None]
    if not known:
        return None
    days = [each.day for each in found[0].days]
    up = Span.over(known)
    layers = tuple(
        Layer(_kind(number), _name(number, one), _line(lines[number], up), is_line=True)
        for number, one in _numbered(found)
    )
    # one row a week, the last day among them: the days between are in the command line's document
    listed = range((len(days) - 1) % WEEK, len(days), WEEK)
    rows = tuple((str(days[day]), *(_words(line[day]) for line in lines)) for day in listed)
    head = ("7 days up to", *(_name(number, one) for number, one in _numbered(found)))
    words = f"alpha bytes queued, of the last 7 days: {min(known):.1f}% to {max(known):.1f}%"
    return Plot(
        "Effectiveness over time", words, layers, day_labels(days), _share_ticks(up), head, rows,
    )  # fmt: skip


def _line(shares: Sequence[float | None], up: Span) -> str:
    """A line through the middles of the days, with gaps where there is no share."""
    path, is_open = [], False
    for number, share in enumerate(shares):
        if share is not None:
            x = LEFT + (WIDTH - LEFT) * (number + 0.5) / len(shares)
            path.append(f"{'L' if is_open else 'M'}{x:.1f} {_y(up, share):g}")
            if not is_open and (number + 1 == len(shares) or shares[number + 1] is None):
                path.append("m-8 0h16")  # a day between gaps, as wide as can be seen
        is_open = share is not None
    return "".join(path)


def _numbered(found: Sequence[VariantResult]) -> list[tuple[int, VariantResult]]:
    return list(enumerate(found[:MOST_SERIES]))


def _name(number: int, one: VariantResult) -> str:
    return f"{number + 1}: {one.label}"


def _kind(number: int) -> str:
    return f"series-{number}"


def _y(up: Span, share: float) -> float:
    return round(FLOOR - (FLOOR - TOP) * up.share(share), 1)


def _share_ticks(up: Span) -> tuple[Tick, ...]:
    return tuple(Tick(_y(up, each), f"{each:g}%") for each in up.ticks)


def _words(share: float | None) -> str:
    return "-" if share is None else f"{share:.2f}%"
