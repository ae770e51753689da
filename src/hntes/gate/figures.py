"""Figures of a plan and the single queue as SVG text, equal for equal runs."""

from functools import lru_cache
from io import StringIO
from threading import Lock
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hntes.gate.criteria.reading import ping_ms
from hntes.gate.lab import PerformedRun
from hntes.simulator.measures import goodput_bps, interval_starts_s

PLAN, SINGLE = "#1b5fa8", "#c0562b"
# Ids in the SVG follow from this; at random they would differ from run to run.
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "hntes",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
# Of two threads that draw, the one that ends first takes the style away from the other: it is Matplotlib's own.
_ONE_BY_ONE = Lock()
GBPS = 1e9
# Room for labels of four digits. Matplotlib finds it by drawing everything twice, and a night has hundreds of figures.
_MARGINS = {"left": 0.065, "right": 0.995, "top": 0.91, "bottom": 0.155, "wspace": 0.17}
# Drawings that are kept: routers of a night with the same plan show the same ones.
KEPT = 32


@lru_cache(maxsize=KEPT)
def ping_figure(plan: PerformedRun, single: PerformedRun, hosts: str) -> str:
    """Round-trip times of other traffic with four alpha flows: over time, and as a distribution."""
    with _ONE_BY_ONE, mpl.rc_context(_STYLE):
        figure, left, right = _pair()
        for run, colour, label in ((single, SINGLE, "single queue"), (plan, PLAN, "this plan")):
            (ping,) = run.scenario.flows_of_kind("ping")
            left.plot(run.result.of_ping(ping, "sent_at_s"), ping_ms(run), ".", markersize=3, color=colour, label=label)
            ordered = np.sort(ping_ms(run))
            share_pct = 100 * np.arange(1, len(ordered) + 1) / max(1, len(ordered))
            right.plot(ordered, share_pct, color=colour, label=label, drawstyle="steps-post")
        _axes(left, f"ping with four alpha flows, {hosts}", "time, s", "round trip, ms")
        _axes(right, "pings answered within a time", "round trip, ms", "share of pings, %")
        for axes in (left, right):
            axes.legend(frameon=False)
        left.set_ylim(bottom=0)
        right.set_xlim(left=0)
        right.set_ylim(0, 102)
        return _svg(figure)


@lru_cache(maxsize=KEPT)
def throughput_figure(plan: PerformedRun, single: PerformedRun, load_pct: float, hosts: str) -> str:
    """Goodput of an alpha flow and of the beta load with it."""
    with _ONE_BY_ONE, mpl.rc_context(_STYLE):
        figure, left, right = _pair()
        for run, colour, label in ((single, SINGLE, "single queue"), (plan, PLAN, "this plan")):
            _goodput(left, run, "TCP1", colour, label)
            _goodput(right, run, "UDP", colour, label)
        _axes(left, f"an alpha flow with {load_pct:g}% of beta load, {hosts}", "time, s", "goodput, Gb/s at 10 Gb/s")
        _axes(right, "goodput of the beta load", "time, s", "goodput, Gb/s at 10 Gb/s")
        for axes in (left, right):
            axes.set_ylim(0, 10)
            axes.legend(frameon=False)
        return _svg(figure)


def _pair() -> tuple[Figure, Axes, Axes]:
    figure = Figure(figsize=(9, 3))
    left, right = figure.subplots(1, 2, gridspec_kw=_MARGINS)
    return figure, left, right


def _goodput(axes: Axes, run: PerformedRun, flow: str, colour: str, label: str) -> None:
    """Nothing for a flow there is not: without a beta load, the scenario has no UDP."""
    has_flow = run.result.is_recorded(flow, "goodput_bytes")
    rates_gbps = goodput_bps(run.result, flow) / GBPS if has_flow else np.zeros(0)
    edges_s = interval_starts_s(run.result, len(rates_gbps) + 1)
    axes.stairs(rates_gbps, edges_s, baseline=None, color=colour, label=label)


def _axes(axes: Axes, title: str, across: str, up: str) -> None:
    axes.set_title(title, loc="left", fontsize=9.5)
    axes.set_xlabel(across)
    axes.set_ylabel(up)


def _svg(figure: Figure) -> str:
    """The figure without XML declaration, for embedding in HTML."""
    stream = StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    return text[text.index("<svg") :]
