"""A pair's timeline: bars stand on the days that have the property, and the table names them."""

import re
from datetime import date, timedelta

from hntes.web.pair_plots import spans, timeline_plot
from hntes.web.plots import LEFT, WIDTH
from hntes.workflow.review.pair_history import LANES, Lane, PairTimeline

FIRST = date(2026, 11, 1)
DAYS = [FIRST + timedelta(days=number) for number in range(10)]


def test_consecutive_days_are_one_span() -> None:
    assert list(spans([DAYS[0], DAYS[1], DAYS[3], DAYS[8], DAYS[9]])) == [
        (DAYS[0], DAYS[1]), (DAYS[3], DAYS[3]), (DAYS[8], DAYS[9])
    ]  # fmt: skip
    assert list(spans([])) == []


def test_a_lane_has_a_bar_on_each_of_its_spans() -> None:
    lanes = tuple(Lane(name, (DAYS[0], DAYS[1], DAYS[9]) if name == "delivered" else ()) for name in LANES)
    drawn = timeline_plot(PairTimeline(DAYS[0], DAYS[9], lanes, ()))
    paths = {layer.name: layer.path for layer in drawn.layers}
    wide = (WIDTH - LEFT) / 10
    bars = [(float(x), float(width)) for x, width in re.findall(r"M([\d.]+) [\d.]+h([\d.]+)", paths["delivered"])]
    assert bars == [(LEFT, 2 * wide), (LEFT + 9 * wide, wide)]
    assert {name for name, path in paths.items() if path} == {"delivered"}
    assert drawn.words == "delivered on 3 days"
    assert ("delivered", "3", "2026-11-01 to 2026-11-02, 2026-11-10") in drawn.rows
    assert len(drawn.y_ticks) == len(LANES)
