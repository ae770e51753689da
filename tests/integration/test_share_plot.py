"""The figure of the advice on shares, as it is drawn: one legend, nothing on the edge, the text's own advice."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from hntes.gate.shares.advice import Advice, advise
from hntes.gate.shares.demand import Split
from hntes.gate.shares.plot import advice_figure
from hntes.gate.shares.port_load import LoadedDay, PortLoad
from hntes.gate.shares.sweep import SplitOutcome
from hntes.settings.model import Gate
from hntes.settings.shares import Shares

GBPS = 10**9
DAY = LoadedDay(date(2026, 11, 20), True, "", GBPS, GBPS, 1_795_185_120_000, 0, 0)
PRESENT = Split(55, 40, 5)


def advice(*, complete: bool) -> Advice:
    """On a port whose beta traffic needs 1.2 Gb/s of ten; a share of 20% holds it, and a smaller one loses some."""
    days = tuple(replace(DAY, day=DAY.day - timedelta(days=back), complete=complete) for back in range(7))
    port = PortLoad("r1", "xe-0/1/0", (7,), 10 * GBPS, days, (), ())

    def simulate(splits: object) -> tuple[SplitOutcome, ...]:
        return tuple(
            SplitOutcome(one, one.beta_share_pct >= 20, max(0.0, 20.0 - one.beta_share_pct), 0.0, 5e9, "packet")
            for one in splits  # type: ignore[attr-defined]
        )

    return advise(port, PRESENT, Shares(days=7, margin_pct=20), simulate)


def drawn(*, complete: bool) -> Figure:
    figure = advice_figure(advice(complete=complete), Gate())
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    return figure


@pytest.fixture(scope="module")
def figure() -> Figure:
    return drawn(complete=True)


def test_there_is_one_legend_and_it_names_each_line_once(figure: Figure) -> None:
    assert [axes.get_legend() for axes in figure.axes] == [None] * 4
    (legend,) = figure.legends
    named = [text.get_text() for text in legend.get_texts()]
    assert len(named) == len(set(named))
    drawn_lines = {label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]}
    assert set(named) == drawn_lines
    assert {"now 55/40", "advised 75/20"} <= drawn_lines


def test_points_of_no_loss_and_no_delay_stand_clear_of_the_edge(figure: Figure) -> None:
    """On the frame, half of such a point was cut off, and a line of them was the axis."""
    for axes in figure.axes[1:3]:
        (curve,) = [line for line in axes.get_lines() if line.get_label() in ("beta loss", "beta delay")]
        points = np.asarray(curve.get_xydata(), dtype=float)
        assert points[:, 1].min() == 0.0
        heights = axes.transData.transform(points)[:, 1]
        radius = curve.get_markersize() / 2 * figure.dpi / 72
        assert heights.min() - axes.get_window_extent().y0 > radius, axes.get_title()


def test_no_panel_is_under_the_legend(figure: Figure) -> None:
    legend = figure.legends[0].get_window_extent()
    for axes in figure.axes:
        panel = axes.get_tightbbox()
        assert panel is not None
        assert panel.y0 >= legend.y1 - 1


def test_where_the_split_is_kept_the_text_says_so_first_and_the_figure_draws_no_other() -> None:
    kept, changed = advice(complete=False), advice(complete=True)
    assert kept.advised == PRESENT
    assert kept.reason.startswith("kept: with 0 of 7 complete days no queue is reduced")
    assert "20% would be the least" in kept.reason
    assert changed.advised == Split(75, 20, 5)
    assert changed.reason.startswith("20% is the least that carries")
    (legend,) = drawn(complete=False).legends
    assert {"now 55/40", "advised 55/40"} <= {text.get_text() for text in legend.get_texts()}
