"""The figures of a back-test: what is drawn is what was given, read back from the paths."""

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.rules.backtest.weekly import weekly_shares
from hntes.rules.lifetime.history import PrefixLengths
from hntes.web.backtest_plots import MOST_SERIES, Span, trade_off_plot, weekly_plot
from hntes.web.plots import FLOOR, TOP
from hntes.workflow.reports.backtest_results import VariantDay, VariantResult

FIRST = date(2026, 11, 1)


def result(queued: list[int], *, alpha: int = 100, terms: int = 10, ageing_days: int = 30) -> VariantResult:
    days = tuple(
        VariantDay(FIRST + timedelta(days=number), alpha, each, 0, 0, 1, 1, terms, terms, 0, 0, is_beta_read=False)
        for number, each in enumerate(queued)
    )
    share = sum(queued) / (alpha * len(queued)) if alpha else None
    lengths = PrefixLengths((24, 24), (64, 64))
    return VariantResult(("r1",), "approved", lengths, ageing_days, None, "window", 100, share, share, None, days)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=9))
def test_an_axis_holds_its_values_between_round_ends(values: list[float]) -> None:
    found = Span.over(values)
    for each in values:
        assert -1e-6 <= found.share(each) <= 1 + 1e-6
    assert 2 <= len(found.ticks) <= 9


def test_points_lie_where_terms_and_share_are() -> None:
    plot = trade_off_plot([result([90] * 4, terms=10), result([100] * 4, terms=20)])
    assert plot is not None
    few, many = (tuple(map(float, re.findall(r"^M([\d.]+) ([\d.]+)", each.path)[0])) for each in plot.layers)
    assert few[0] < many[0]
    # 90% is at the foot of the axis, 100% at its top
    assert few[1] == pytest.approx(FLOOR)
    assert many[1] == pytest.approx(TOP)
    assert [each.text for each in plot.marks] == ["1", "2"]
    assert plot.rows[0][1:] == ("10.0", "90.00%")
    assert plot.words.endswith("at most 100.00%, by /24, /64, ageing 30 days, budget 100")


def test_equal_variants_share_a_mark() -> None:
    plot = trade_off_plot([result([90]), result([90], ageing_days=7), result([80], terms=5)])
    assert plot is not None
    assert [each.text for each in plot.marks] == ["1, 2", "3"]
    # that of the right-most point stands on its left, within the figure
    assert plot.marks[0].x < plot.x_ticks[-1].at


def test_a_week_is_summed_and_a_day_without_traffic_is_a_gap() -> None:
    shares = weekly_shares([0, 10, *[0] * 7, 5], [0, 10, *[0] * 7, 10])
    assert shares == [None, *[100.0] * 7, None, 50.0]
    plot = weekly_plot([result([0] * 7 + [100] * 7), result([50] * 14)])
    assert plot is not None
    # 14 days: rows of the 7th and the 14th, by hand
    assert plot.rows == (("2026-11-07", "0.00%", "50.00%"), ("2026-11-14", "100.00%", "50.00%"))
    assert plot.layers[0].path.count("L") == 13
    assert plot.words == "alpha bytes queued, of the last 7 days: 0.0% to 100.0%"


def test_nothing_is_drawn_without_alpha_traffic_and_no_more_than_can_be_told_apart() -> None:
    assert trade_off_plot([result([0], alpha=0)]) is None
    assert weekly_plot([result([0], alpha=0)]) is None
    many = [result([number], ageing_days=number + 1) for number in range(MOST_SERIES + 2)]
    for plot in (trade_off_plot(many), weekly_plot(many)):
        assert plot is not None
        assert len(plot.layers) == MOST_SERIES
        assert {len(row) for row in plot.rows} == {len(plot.head)}


def test_a_single_day_can_be_seen() -> None:
    plot = weekly_plot([result([50])])
    assert plot is not None
    (width,) = re.findall(r"h([\d.]+)", plot.layers[0].path)
    assert 10 <= float(width) <= 40
