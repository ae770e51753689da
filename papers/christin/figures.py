"""Queue, losses and goodput of the shared link, and what class 1 gets, over time; a line for each way to mark."""

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.figure import Figure

from hntes.papers.christin.class_measures import throughput_bps
from hntes.papers.christin.measures import dropped_pkts, queue_bytes, sent_pkts
from hntes.papers.christin.setup import setup
from hntes.papers.drawn import DrawnFigure
from hntes.papers.paper import CaseRuns
from hntes.simulator.plots import below, blank, line_of, style
from hntes.simulator.results import Floats, RunResult

# A point stands for so many intervals.
_INTERVALS = 10


def draw(experiment: str, cases: Sequence[CaseRuns]) -> list[DrawnFigure]:
    """One figure; none where nothing was run."""
    there = [case for case in cases if case.results]
    if not there:
        return []
    if experiment == "2":
        caption = "Christin, experiment 2: throughput of class 1 by half seconds, promised 5 Mb/s, seed 1."
        return [DrawnFigure(f"christin-{experiment}-class1-throughput", caption, _throughput(there))]
    caption = f"Christin, experiment {experiment}: queue of the shared link, losses and goodput over time, seed 1."
    return [DrawnFigure(f"christin-{experiment}-over-time", caption, _over_time(there))]


def _over_time(cases: Sequence[CaseRuns]) -> Figure:
    rows: list[tuple[str, Callable[[RunResult], Floats]]] = [
        ("queue (kB)", lambda result: _means(queue_bytes(result)) / 1e3),
        ("lost (%)", _lost_pct),
        ("goodput (Mb/s)", _goodput_mbps),
    ]
    with style():
        figure = blank(6.5, 5.4)
        grid = figure.subplots(len(rows), 1, sharex=True)
        for axes, (label, values_of) in zip(grid, rows, strict=True):
            for number, case in enumerate(cases):
                colour, dashes = line_of(number)
                values = values_of(case.results[0])
                seconds = (np.arange(len(values)) + 0.5) * _INTERVALS * case.results[0].interval_s
                axes.plot(seconds, values, color=colour, linestyle=dashes, label=case.case.configuration)
            axes.set_ylabel(label)
            axes.set_ylim(bottom=0)
        grid[-1].set_xlabel("time (s)")
        below(figure, list(grid))
    return figure


def _throughput(cases: Sequence[CaseRuns]) -> Figure:
    assumed = setup().assumed
    from_s, over_s = assumed.classes_counted_from_s, assumed.throughput_over_s
    with style():
        figure = blank(6.5, 2.6)
        axes = figure.subplots()
        for number, case in enumerate(cases):
            colour, dashes = line_of(number)
            values = throughput_bps(case.results[0]) / 1e6
            seconds = from_s + (np.arange(len(values)) + 0.5) * over_s
            axes.plot(seconds, values, color=colour, linestyle=dashes, label=case.case.configuration)
        axes.axhline(setup().classes.promised_bps / 1e6, color="black", linewidth=0.6, label="promised")
        axes.set_ylabel("class 1 (Mb/s)")
        axes.set_xlabel("time (s)")
        axes.set_ylim(bottom=0)
        below(figure, [axes])
    return figure


def _means(values: Floats) -> Floats:
    whole = len(values) // _INTERVALS * _INTERVALS
    means: Floats = values[:whole].reshape(-1, _INTERVALS).mean(axis=1)
    return means


def _lost_pct(result: RunResult) -> Floats:
    dropped, sent = _means(dropped_pkts(result)), _means(sent_pkts(result))
    lost: Floats = 100 * dropped / np.maximum(dropped + sent, 1)
    return lost


def _goodput_mbps(result: RunResult) -> Floats:
    payload_bytes = np.sum([result.of_flow(name, "goodput_bytes") for name in result.flows], axis=0)
    mbps: Floats = _means(payload_bytes) * 8 / result.interval_s / 1e6
    return mbps
