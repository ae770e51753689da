"""Plots: what is drawn is what was given, read back from the paths."""

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.sql.queued_days import QueuedDay
from hntes.web.plots import (
    FLOOR,
    LEFT,
    TOP,
    WIDTH,
    LogScale,
    Scale,
    Series,
    bytes_label,
    points,
    stacked_bars,
    stacked_steps,
)
from hntes.web.traffic_plots import port_plot, queued_plot
from hntes.workflow.reports.router_traffic import PortDay

DAY = date(2026, 11, 23)
BAR = re.compile(r"M([\d.]+) ([\d.]+)V([\d.]+)h([\d.]+)V[\d.]+z")


def bars(path: str) -> list[tuple[float, float, float]]:
    """The middle, foot and height of each bar."""
    return [
        (float(x) + float(wide) / 2, float(foot), float(foot) - float(top)) for x, foot, top, wide in BAR.findall(path)
    ]


@given(st.floats(1e-3, 1e18))
def test_an_axis_ends_above_its_largest_value_and_close_to_it(most: float) -> None:
    scale = Scale.to(most)
    assert most <= scale.top * (1 + 1e-9)
    assert scale.top <= most * 2.5
    assert 2 <= len(scale.ticks) <= 6
    assert (scale.y(0), scale.y(scale.top)) == (FLOOR, TOP)


def test_an_axis_of_nothing_is_flat() -> None:
    assert Scale.to(0).ticks == (0.0,)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=40))
def test_stacked_bars_have_the_heights_of_their_values(values: list[tuple[int, int]]) -> None:
    scale = Scale.to(max(map(sum, values)))
    low, high = stacked_bars(
        (Series("rule", "low", [a for a, _ in values]), Series("new", "high", [b for _, b in values])), scale
    )
    wide, unit = (WIDTH - LEFT) / len(values), (FLOOR - TOP) / scale.top
    for layer, which in ((low, 0), (high, 1)):
        drawn = {int((x - LEFT) / wide): (foot, tall) for x, foot, tall in bars(layer.path)}
        assert set(drawn) == {n for n, each in enumerate(values) if each[which]}
        for number, (foot, tall) in drawn.items():
            assert tall == pytest.approx(values[number][which] * unit, abs=0.11)
            assert FLOOR - foot == pytest.approx((values[number][0] if which else 0) * unit, abs=0.06)


def test_steps_go_up_and_back_along_the_series_below() -> None:
    scale = Scale(10.0, (0.0, 10.0))
    low, high, none = stacked_steps(
        (Series("rule", "a", [10, 0]), Series("new", "b", [0, 5]), Series("beta", "c", [0, 0])), scale
    )
    half = LEFT + (WIDTH - LEFT) / 2
    assert low.path == f"M{LEFT} {FLOOR}V{TOP}H{half:g}V{FLOOR}H{WIDTH}V{FLOOR}H{half:g}V{FLOOR}H{LEFT}z"
    middle = (FLOOR + TOP) / 2
    assert high.path == f"M{LEFT} {TOP}V{TOP}H{half:g}V{middle:g}H{WIDTH}V{FLOOR}H{half:g}V{TOP}H{LEFT}z"
    assert none.path == ""


def test_a_logarithmic_axis_has_whole_powers() -> None:
    scale = LogScale.over([1_000_000_000, 250_000_000_000])
    assert scale.powers == (10**9, 10**10, 10**11, 10**12)
    assert (scale.y(10**9), scale.y(10**12)) == (FLOOR, TOP)
    assert scale.y(10**10) - scale.y(10**11) == pytest.approx((FLOOR - TOP) / 3, abs=0.11)
    assert LogScale.over([]).powers == (1, 10)
    assert LogScale.over([10**9]).powers == (10**9, 10**10)
    assert scale.y(0) == FLOOR


def test_kinds_of_points_differ_in_shape() -> None:
    drawn = {kind: points(kind, [(100.0, 50.0)]) for kind in ("rule", "new", "excluded")}
    assert len({path.partition("h")[2] or path for path in drawn.values()}) == 3
    assert all(path.startswith("M") and path.endswith("z") for path in drawn.values())


def port(queue_bps: float | None, load_bps: float = 4e9) -> PortDay:
    flat = (load_bps,) * 288
    return PortDay("xe-0/1/0", 10**10, queue_bps, flat, (0.0,) * 288, flat, 9, 0, 9)


def test_the_share_of_the_queue_is_a_line_unless_it_would_flatten_the_load() -> None:
    line = port_plot(port(3e9), DAY).layers[-1]
    assert line.is_line
    assert line.path == f"M{LEFT} {Scale.to(8e9).y(3e9):g}H{WIDTH}"
    far = port_plot(port(3e9, load_bps=1e8), DAY).layers[-1]
    assert (far.path, far.name) == ("", "alpha queue's share, 3 Gb/s: above the scale")
    assert [each.kind for each in port_plot(port(None), DAY).layers] == ["rule", "new", "beta"]


def test_the_table_of_a_port_has_the_mean_of_each_hour() -> None:
    values = (12e9, *(0.0,) * 287)
    plot = port_plot(PortDay("p", 10**10, None, values, (0.0,) * 288, (0.0,) * 288, 1, 0, 0), DAY)
    assert plot.rows[0][:2] == ("00:00", "1 Gb/s")
    assert plot.rows[1][:2] == ("01:00", "0 bit/s")
    assert len(plot.rows) == 24


def test_days_that_were_not_measured_stay_empty() -> None:
    days = [QueuedDay("r1", date(2026, 11, 20), 5, 10 * 10**9, 4 * 10**9), QueuedDay("r1", DAY, 5, 0, 0)]
    plot = queued_plot(days, DAY, 5, "Alpha traffic")
    queued, rest = (bars(each.path) for each in plot.layers)
    assert len(queued) == len(rest) == 1
    assert int((queued[0][0] - LEFT) / ((WIDTH - LEFT) / 5)) == 1
    assert queued[0][2] == pytest.approx((FLOOR - TOP) * 0.4, abs=0.11)
    assert plot.rows == (("2026-11-20", "4 GB", "6 GB", "40%"), ("2026-11-23", "0 GB", "0 GB", "no alpha traffic"))
    assert (
        plot.words
        == "2 measured days up to 2026-11-23: 4 GB (40%) of 10 GB of alpha traffic matched a pair in force on its day"
    )


@pytest.mark.parametrize(("most", "labels"), [
    (4e11, ["0 GB", "100 GB", "200 GB", "300 GB", "400 GB"]),
        (9e11, ["0 TB", "0.25 TB", "0.5 TB", "0.75 TB", "1 TB"]),
    (1.6e12, ["0 TB", "0.5 TB", "1 TB", "1.5 TB", "2 TB"]),
    (1.76e14, ["0 TB", "50 TB", "100 TB", "150 TB", "200 TB"]),
    (9e15, ["0 TB", "2,500 TB", "5,000 TB", "7,500 TB", "10,000 TB"]),
    (9.2e18, ["0 PB", "2,500 PB", "5,000 PB", "7,500 PB", "10,000 PB"]),
])  # fmt: skip
def test_bytes_beside_an_axis_are_short(most: float, labels: list[str]) -> None:
    """200,000 GB did not fit beside the axis on a telephone."""
    scale = Scale.to(most)
    written = [bytes_label(value, scale.top) for value in scale.ticks]
    assert written == labels


def test_bytes_beside_a_logarithmic_axis_are_plain_and_have_room() -> None:
    written = [bytes_label(value, value) for value in LogScale.over([1, 2**63]).powers]
    assert written[14:] == ["100 TB", "1,000 TB", "10,000 TB", "100,000 TB", "1,000 PB", "10,000 PB"]
    assert max(map(len, written)) == 10
