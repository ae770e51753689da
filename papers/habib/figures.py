"""Throughput of two aggregates by the round trip of one, and of five across domains."""

from collections.abc import Sequence
from typing import cast

import numpy as np
from matplotlib.figure import Figure

from hntes.papers.drawn import DrawnFigure
from hntes.papers.habib.cases import CONDITIONERS, HabibCase
from hntes.papers.habib.measures import throughputs_mbps
from hntes.papers.habib.setup import setup
from hntes.papers.paper import CaseRuns
from hntes.simulator.plots import below, blank, line_of, style


def draw(experiment: str, cases: Sequence[CaseRuns]) -> list[DrawnFigure]:
    """One figure of the four conditioners; none where nothing was run, and none of web sessions."""
    there = [case for case in cases if case.results and case.case.configuration in CONDITIONERS]
    if not there or experiment == "web":
        return []
    if experiment == "simple":
        caption = "Habib, two aggregates: throughput by the round trip of flow 2, mean of the seeds."
        return [DrawnFigure("habib-simple-by-round-trip", caption, _by_round_trip(there))]
    caption = f"Habib, {experiment}: throughput of the aggregates, mean of the seeds."
    return [DrawnFigure(f"habib-{experiment}-throughput", caption, _bars(there))]


def _by_round_trip(cases: Sequence[CaseRuns]) -> Figure:
    with style():
        figure = blank(6.5, 2.9)
        grid = figure.subplots(1, 2, sharey=True)
        for axes, flow in zip(grid, ("f1", "f2"), strict=True):
            for number, conditioner in enumerate(CONDITIONERS):
                here = [case for case in cases if case.case.configuration == conditioner]
                colour, dashes = line_of(number)
                round_trips_ms = [float(case.case.variant.removeprefix("rtt-")) for case in here]
                mbps = [_mean_mbps(case)[flow] for case in here]
                axes.plot(round_trips_ms, mbps, color=colour, linestyle=dashes, label=conditioner)
            axes.set_title(f"flow {flow[1:]}")
            axes.set_xlabel("round trip of flow 2 (ms)")
        grid[0].set_ylabel("throughput (Mb/s)")
        grid[0].set_ylim(0, setup().link_bps / 1e6)
        below(figure, list(grid))
    return figure


def _bars(cases: Sequence[CaseRuns]) -> Figure:
    with style():
        figure = blank(6.5, 2.9)
        axes = figure.subplots()
        width = 0.8 / len(cases)
        for number, case in enumerate(cases):
            mbps = _mean_mbps(case)
            colour, _ = line_of(number)
            places = np.arange(len(mbps)) + (number - (len(cases) - 1) / 2) * width
            axes.bar(places, list(mbps.values()), width=width, color=colour, label=case.case.configuration)
            axes.set_xticks(np.arange(len(mbps)), [name.upper() for name in mbps])
        axes.set_ylabel("throughput (Mb/s)")
        below(figure, [axes])
    return figure


def _mean_mbps(case: CaseRuns) -> dict[str, float]:
    found = [throughputs_mbps(cast("HabibCase", case.case), result) for result in case.results]
    return {name: float(np.mean([one[name] for one in found])) for name in found[0]}
