"""Throughput of the four flows by colour, marked one by one and together."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from hntes.papers.drawn import DrawnFigure
from hntes.papers.laatu.cases import measured_flows
from hntes.papers.paper import CaseRuns
from hntes.simulator.plots import GREEN, ORANGE, VERMILION, below, blank, style
from hntes.simulator.results import RunResult

_COLOURS = {"green": GREEN, "yellow": ORANGE, "red": VERMILION}


def draw(experiment: str, cases: Sequence[CaseRuns]) -> list[DrawnFigure]:
    """One figure of bars; none where nothing was run."""
    there = [case for case in cases if case.results]
    if not there:
        return []
    caption = f"Laatu, {experiment}: throughput of each flow by the colour of its packets, mean of the seeds."
    return [DrawnFigure(f"laatu-{experiment}-throughput", caption, _bars(there))]


def _bars(cases: Sequence[CaseRuns]) -> Figure:
    flows = measured_flows()
    with style():
        figure = blank(6.5, 2.9)
        grid = figure.subplots(1, len(cases), sharey=True, squeeze=False)[0]
        for axes, case in zip(grid, cases, strict=True):
            bottom = np.zeros(len(flows))
            for colour, shown in _COLOURS.items():
                kbps = np.mean([[_kbps(result, flow, colour) for flow in flows] for result in case.results], axis=0)
                axes.bar(flows, kbps, bottom=bottom, color=shown, label=colour, width=0.6)
                bottom += kbps
            axes.set_title(f"{case.case.configuration} marking")
        grid[0].set_ylabel("throughput (kb/s)")
        below(figure, list(grid))
    return figure


def _kbps(result: RunResult, flow: str, colour: str) -> float:
    received = result.flows[flow].received_ip_bytes or {}
    return received.get(colour, 0) * 8 / result.duration_s / 1e3
