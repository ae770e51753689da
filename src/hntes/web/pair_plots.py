"""The figures of one pair: its history as lanes of days, and its alpha flows by time and bytes."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from hntes.etl.days import day_bounds_ms
from hntes.format import counted, gigabytes
from hntes.rules.lifetime.why import Explanation
from hntes.sql.entries import ObservationEntry
from hntes.web.plots import FLOOR, LEFT, TOP, WIDTH, Layer, LogScale, Plot, Tick, bytes_label, points
from hntes.workflow.review.pair_history import Lane, PairTimeline

# The lanes' classes in the style sheet, and short names for the axis.
_LANES = {
    "seen": ("seen", "rule"), "weak evidence": ("weak", "new"), "rule in force": ("rule", "in-force"),
    "delivered": ("delivered", "rule"), "excluded": ("excluded", "excluded"), "pinned": ("pinned", "ageing"),
}  # fmt: skip
_KINDS = {"rule": "believed", "new": "weak evidence", "excluded": "implausible"}
_DAY_LABELS = 5


def timeline_plot(found: PairTimeline) -> Plot:
    """One lane per property of the pair: bars over the days that have it."""
    count = (found.last_day - found.first_day).days + 1
    wide = (WIDTH - LEFT) / count
    tall = (FLOOR - TOP) / len(found.lanes)
    layers, y_ticks = [], []
    for number, lane in enumerate(found.lanes):
        label, kind = _LANES[lane.name]
        top = TOP + number * tall + 0.15 * tall
        path = "".join(
            f"M{LEFT + (first - found.first_day).days * wide:.1f} {top:.1f}"
            f"h{max(((last - first).days + 1) * wide, 1.0):.1f}v{0.7 * tall:.1f}"
            f"H{LEFT + (first - found.first_day).days * wide:.1f}z"
            for first, last in spans(lane.days)
        )
        layers.append(Layer(kind, lane.name, path))
        y_ticks.append(Tick(round(TOP + (number + 0.5) * tall, 1), label))
    rows = tuple((lane.name, str(len(lane.days)), _spans_words(lane)) for lane in found.lanes)
    words = "; ".join(f"{lane.name} on {counted(len(lane.days), 'day')}" for lane in found.lanes if lane.days)
    return Plot(
        f"History from {found.first_day} to {found.last_day}", words or "nothing is known of these days", tuple(layers),
        _day_ticks(found.first_day, count), tuple(y_ticks), ("Of the pair", "days", "from and to"), rows,
        has_legend=False,
    )  # fmt: skip


def spans(days: Sequence[date]) -> Iterator[tuple[date, date]]:
    """First and last of each run of consecutive days."""
    first = last = None
    for day in days:
        if first is None or last is None or day != last + timedelta(days=1):
            if first is not None and last is not None:
                yield first, last
            first = day
        last = day
    if first is not None and last is not None:
        yield first, last


def _spans_words(lane: Lane) -> str:
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in spans(lane.days)) or "-"


def pair_flows_plot(found: Explanation) -> Plot | None:
    """The pair's alpha flows by their begin and their bytes; None without any."""
    if not found.evidence:
        return None
    start_ms, end_ms = day_bounds_ms(found.evidence_from)[0], day_bounds_ms(found.day)[1]
    scale = LogScale.over([flow.flow_bytes for flow in found.evidence])

    def place(flow: ObservationEntry) -> tuple[float, float]:
        share = min(max((flow.first_ms - start_ms) / (end_ms - start_ms), 0.0), 1.0)
        return LEFT + (WIDTH - LEFT - 3) * share, scale.y(flow.flow_bytes)

    layers = tuple(
        Layer(kind, name, points(kind, (place(flow) for flow in found.evidence if _kind(flow) == kind)))
        for kind, name in _KINDS.items()
    )
    carried = sum(flow.flow_bytes for flow in found.evidence)
    words = f"{counted(len(found.evidence), 'alpha flow')} with {gigabytes(carried)}"
    y_ticks = tuple(Tick(scale.y(value), bytes_label(value, value)) for value in scale.powers)
    days = _day_ticks(found.evidence_from, (found.day - found.evidence_from).days + 1)
    return Plot("Alpha flows by begin and bytes", words, layers, days, y_ticks, (), ())


def _kind(flow: ObservationEntry) -> str:
    return "excluded" if flow.implausible else "new" if flow.borderline else "rule"


def _day_ticks(first: date, count: int) -> tuple[Tick, ...]:
    step = max(count // _DAY_LABELS, 1)
    wide = (WIDTH - LEFT) / count
    days = [(number, first + timedelta(days=number)) for number in range(0, count, step)]
    return tuple(Tick(round(LEFT + (number + 0.5) * wide, 1), f"{day.day} {day:%b}") for number, day in days)
