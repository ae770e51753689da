"""Figures that set simulated values beside published ones, experiment by experiment."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hntes.papers.hntes.shown import ShownCase
from hntes.simulator.measures import round_trips_ms
from hntes.simulator.plots import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    VERMILION,
    below,
    blank,
    legend_entries,
    line_of,
    style,
)


@dataclass(frozen=True)
class Summary:
    """A kind of figure; it draws None when nothing of what it shows was run."""

    name: str
    caption: str
    draw: Callable[[Sequence[ShownCase]], Figure | None]


@dataclass(frozen=True)
class _Point:
    """A value of one case at some x: published, and the median and extremes of its runs."""

    x: float
    published: float | None
    simulated: float
    lowest: float
    highest: float


def _point(x: float, case: ShownCase, name: str) -> _Point:
    value = case.value(name)
    if value is None:
        raise KeyError(f"{case.case.name}: {name} is not known")
    return _Point(x, value.published, value.simulated, value.lowest, value.highest)


def _points(x_of: Callable[[ShownCase], float], cases: Sequence[ShownCase], name: str) -> list[_Point]:
    """A point per case that has the value."""
    return [_point(x_of(case), case, name) for case in cases if case.value(name) is not None]


# How published values look in all figures.
_PUBLISHED: dict[str, Any] = {
    "linestyle": "none", "marker": "D", "markersize": 7, "markerfacecolor": "none", "markeredgecolor": BLACK,
    "zorder": 4,
}  # fmt: skip


def _draw_points(axes: Axes, points: Sequence[_Point], colour: str, dashes: object, label: str) -> None:
    """Simulated: filled, joined, with a bar from lowest to highest; published: open diamonds."""
    x = [point.x for point in points]
    middle = np.array([point.simulated for point in points])
    spread = np.abs([[point.simulated - point.lowest, point.highest - point.simulated] for point in points]).T
    axes.errorbar(
        x, middle, yerr=spread, color=colour, linestyle=dashes, marker="o", markersize=4, capsize=3, label=label
    )
    there = [(point.x, point.published) for point in points if point.published is not None]
    axes.plot([x for x, _ in there], [value for _, value in there], label="published" if there else None, **_PUBLISHED)


def _share(case: ShownCase) -> float:
    return float(case.case.configuration.rpartition("-")[2])


def _udp(case: ShownCase) -> float:
    return float(case.case.variant.rpartition("-")[2])


def _legend(axes: Axes) -> None:
    handles, labels = legend_entries([axes])
    if handles:
        axes.legend(handles, labels)


def _buffers_and_rates(cases: Sequence[ShownCase]) -> Figure | None:
    buffers = [case for case in cases if case.case.configuration.startswith("buffer-")]
    rates = [case for case in cases if case.case.configuration.startswith("rate-")]
    if not buffers and not rates:
        return None
    with style():
        figure = blank(7, 3)
        left, right = figure.subplots(1, 2)
        _draw_points(left, _points(_share, buffers, "ping_max_ms"), BLUE, "-", "simulated")
        left.set(xlabel="buffer share of the queue (%)", ylabel="longest ping RTT (ms)", xlim=(0, 105))
        left.set_ylim(bottom=0)
        _draw_points(right, _points(_share, rates, "bottleneck_pkts"), BLUE, "-", "simulated")
        right.set(xlabel="rate share of the queue (%)", ylabel="packets carried in 60 s (millions)", xlim=(0, 105))
        right.yaxis.set_major_formatter(lambda value, _: f"{value / 1e6:.0f}")
        right.set_ylim(0, 60e6)
        _legend(left)
        _legend(right)
    return figure


def _pings_of_modes(cases: Sequence[ShownCase]) -> Figure | None:
    chosen = [case for case in cases if case.results and not case.case.configuration.startswith("rate-")]
    if not chosen:
        return None
    with style():
        figure = blank(7, 3.2)
        axes = figure.subplots()
        for number, case in enumerate(chosen):
            run = case.results[0]
            colour, dashes = line_of(number)
            axes.plot(
                run.of_ping("ping", "sent_at_s"), round_trips_ms(run, "ping"),
                color=BLACK if number > 5 else colour, linestyle=dashes, label=case.case.configuration,
            )  # fmt: skip
        axes.set(xlabel="time (s)", ylabel="ping RTT (ms)")
        axes.set_ylim(bottom=0)
        figure.legend(loc="outside right upper")
    return figure


def _ping_histogram(cases: Sequence[ShownCase]) -> Figure | None:
    if not all(case.results for case in cases) or not cases:
        return None
    with style():
        figure = blank(7, 2.8)
        for axes, case in zip(figure.subplots(1, len(cases), squeeze=False)[0], cases, strict=True):
            pooled = np.concatenate([round_trips_ms(run, "ping") for run in case.results])
            axes.hist(pooled, bins=40, color=BLUE, weights=np.full(len(pooled), 100 / len(pooled)))
            mean, sd = _point(0, case, "ping_mean_ms"), _point(0, case, "ping_sd_ms")
            if mean.published is not None and sd.published is not None:
                axes.axvspan(mean.published - sd.published, mean.published + sd.published, color=ORANGE, alpha=0.25)
                axes.axvline(mean.published, color=VERMILION, linestyle="--", label="published mean ± sd")
            axes.axvline(mean.simulated, color=BLACK, label="simulated mean")
            axes.set_title(f"{case.case.configuration}: mean {mean.simulated:.1f} ms, sd {sd.simulated:.1f} ms")
            axes.set_xlabel("ping RTT (ms)")
            axes.set(ylabel="share of pings (%)", yscale="log")
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        below(figure, list(figure.axes))
    return figure


def _throughput_against_udp(cases: Sequence[ShownCase]) -> Figure | None:
    if not cases:
        return None
    names = list(dict.fromkeys(case.case.configuration for case in cases))
    with style():
        figure = blank(7, 2.6 * -(-len(names) // 2) + 0.2)
        grid = figure.subplots(-(-len(names) // 2), min(len(names), 2), sharex=True, sharey=True, squeeze=False)
        for axes, name in zip(grid.flat, names, strict=False):
            points = _points(_udp, [case for case in cases if case.case.configuration == name], "tcp_gbps")
            _draw_points(axes, points, BLUE, "-", "simulated, median and extremes")
            axes.set_title(name)
            axes.set_ylim(0, 10)
        for axes in grid[-1]:
            axes.set_xlabel("UDP rate (Gb/s)")
        for axes in grid[:, 0]:
            axes.set_ylabel("TCP throughput (Gb/s)")
        _legend(grid[0][0])
    return figure


def _throughput_by_policing(cases: Sequence[ShownCase]) -> Figure | None:
    if not cases:
        return None
    with style():
        figure = blank(6, 3)
        axes = figure.subplots()
        points = [_point(number, case, "tcp_gbps") for number, case in enumerate(cases)]
        _draw_points(axes, points, BLUE, "none", "simulated, median and extremes")
        axes.set_xticks(range(len(cases)), [case.case.configuration.replace("+", "\n+") for case in cases])
        axes.set(yscale="log", ylabel="TCP throughput (Gb/s)", xlim=(-0.5, len(cases) - 0.5), ylim=(0.1, 10))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        _legend(axes)
    return figure


def _losses_and_delays(cases: Sequence[ShownCase]) -> Figure | None:
    if not cases:
        return None
    with style():
        figure = blank(7, 3.4)
        names = ("udp_loss_pct_during", "ping_ms_during")
        labels = ("UDP loss while TCP is on (%)", "ping RTT while TCP is on (ms)")
        for axes, name, label in zip(figure.subplots(1, 2), names, labels, strict=True):
            for number, variant in enumerate(dict.fromkeys(case.case.variant for case in cases)):
                congestion, _, rate = variant.partition("-udp-")
                colour = BLUE if congestion == "reno" else VERMILION
                points = [_point(_share(case), case, name) for case in cases if case.case.variant == variant]
                words = f"{'Reno' if congestion == 'reno' else 'H-TCP'}, UDP {rate} Gb/s"
                _draw_points(axes, points, colour, ("-", "--", ":", "-.")[number % 4], words)
            axes.set(xlabel="share of the beta queue (%)", ylabel=label)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        below(figure, [axes], columns=3)
    return figure


def _fairness(cases: Sequence[ShownCase]) -> Figure | None:
    if not cases:
        return None
    with style():
        figure = blank(7, 3)
        axes = figure.subplots()
        for name, colour, shift in (("tcp1_gbps_51_151", BLUE, -0.15), ("tcp2_gbps_51_151", VERMILION, 0.15)):
            points = [_point(number + shift, case, name) for number, case in enumerate(cases)]
            heights = [point.simulated for point in points]
            axes.bar([point.x for point in points], heights, 0.28, color=colour, label=f"{name[:4].upper()}, simulated")
            there = [(point.x, point.published) for point in points if point.published is not None]
            label = "published" if there and shift > 0 else None
            axes.plot([x for x, _ in there], [y for _, y in there], label=label, **_PUBLISHED)
        axes.set_xticks(range(len(cases)), [_names_with_index(case) for case in cases])
        axes.set_ylabel("mean throughput,\n51 to 151 s (Gb/s)")
        axes.axhline(0, color=GREY, linewidth=0.6)
        below(figure, [axes])
    return figure


def _names_with_index(case: ShownCase) -> str:
    """Configuration and variant, with Jain's index as simulated and as published."""
    index = _point(0, case, "jain_51_151")
    published = "" if index.published is None else f"\n(published {index.published:.2f})"
    configuration = case.case.configuration.replace("+", "\n+", 1)
    return f"{configuration}\n{case.case.variant}\nJain {index.simulated:.2f}{published}"


def _unidentified(cases: Sequence[ShownCase]) -> Figure | None:
    if not all(case.results for case in cases) or not cases:
        return None
    with style():
        figure = blank(6, 3)
        axes = figure.subplots()
        names = (("ping_mean_ms", "mean", BLUE), ("ping_max_ms", "longest", GREEN))
        for shift, (name, label, colour) in zip((-0.15, 0.15), names, strict=True):
            heights = [_point(0, case, name).simulated for case in cases]
            bars = axes.bar(np.arange(len(cases)) + shift, heights, 0.28, color=colour, label=label)
            axes.bar_label(bars, fmt="%.1f")
        axes.set_xticks(range(len(cases)), [case.case.configuration for case in cases])
        axes.set_ylabel("ping RTT (ms)")
        below(figure, [axes])
    return figure


SUMMARIES: dict[int, tuple[Summary, ...]] = {
    1: (
        Summary("shares", "longest ping by buffer share, packets carried by rate share", _buffers_and_rates),
        Summary("pings", "ping over time by buffer share and link-sharing mode", _pings_of_modes),
    ),
    2: (Summary("ping-histogram", "how ping's round-trip times are spread", _ping_histogram),),
    3: (Summary("throughput", "TCP throughput against UDP rate, by configuration", _throughput_against_udp),),
    4: (Summary("throughput", "TCP throughput by configuration, on a logarithmic scale", _throughput_by_policing),),
    5: (Summary("fairness", "mean throughput of two flows while both are on, and Jain's index", _fairness),),
    6: (
        Summary(
            "losses-and-delays", "UDP loss and ping while TCP is on, by the beta queue's share", _losses_and_delays
        ),
    ),
    7: (Summary("ping", "ping beside an unidentified alpha flow", _unidentified),),
}
