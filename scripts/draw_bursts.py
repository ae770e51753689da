"""Draws delay and loss of bursts by share, rank and buffer: `python -m scripts.draw_bursts FOLDER`."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hntes.gate.beta_peak import BetaPeak
from hntes.gate.burst_runs import MEASURED_FROM_S, RUNS
from hntes.gate.criteria.bursts import BURSTS
from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.lab import Lab
from hntes.gate.ports import PlannedPort
from hntes.settings.model import Gate
from hntes.simulator import MemoryRuns, PortPlan, QueuePlan
from hntes.simulator.measures import mean_goodput_bps
from hntes.simulator.plots import save_svg

STEM = "gate-bursts"
PEAK_PCT = 30.0
# Ranks of alpha and beta; routers without ranks are the middle one.
RANKS = {"alpha first": (1, 2), "equal ranks (Cisco)": (1, 1), "beta first": (2, 1)}
SHARES_PCT = (40, 45, 50, 55, 60, 65, 70, 75)
BUFFERS_MS = (0.16, 0.325, 0.65, 1.25, 2.5, 5.0, 10.0, 40.0)
RECOMMENDED_PCT, RECOMMENDED_MS = 65, 40.0
# Okabe and Ito's palette, as in other figures.
_COLOURS = ("#D55E00", "#0072B2", "#009E73")
_MARKERS = ("o", "s", "^")
_GREY = "#555555"


@dataclass(frozen=True)
class Point:
    """What bursts and an alpha flow get of a plan."""

    mean_ms: float
    p99_ms: float
    loss_pct: float
    alpha_gbps: float


def measured(beta_share_pct: int, beta_ms: float, ranks: tuple[int, int], lab: Lab) -> Point:
    """One plan, asked as the gate asks."""
    queues = (
        QueuePlan("alpha", 95 - beta_share_pct, 55, ranks[0]),
        QueuePlan("beta", beta_share_pct, beta_ms, ranks[1]),
        QueuePlan("other1", 5, 5, 0),
    )
    words = tuple((each.name, each.name) for each in queues)
    port = PlannedPort(("port",), PortPlan(queues, "alpha", "beta"), words, "", ())
    plan = JudgedPlan(port, Gate(), BetaPeak(PEAK_PCT, is_measured=False), hosts="linux-6")
    ran = lab.perform(BURSTS.wanted(plan))
    value = {each.measure: each.value or 0.0 for each in BURSTS.verdicts(plan, ran)}
    beside = [ran[f"beside {number}"].result for number in range(RUNS)]
    goodput = [mean_goodput_bps(run, "TCP1", (MEASURED_FROM_S, run.duration_s)) for run in beside]
    return Point(
        value["burst_delay_increase"], value["burst_delay_p99"], value["burst_loss"], float(np.mean(goodput)) / 1e9
    )


def trade_off(lab: Lab) -> Figure:
    """Four panels: mean and 99th percentile of delay and alpha's throughput by beta's share, loss by its buffer."""
    gate, figure = Gate(), Figure(figsize=(10, 7), layout="constrained")
    ((mean, p99), (alpha, loss)) = figure.subplots(2, 2)
    for (name, ranks), colour, marker in zip(RANKS.items(), _COLOURS, _MARKERS, strict=True):
        points = [measured(share, RECOMMENDED_MS, ranks, lab) for share in SHARES_PCT]
        look = {"color": colour, "marker": marker, "ms": 4, "label": name}
        mean.plot(SHARES_PCT, [each.mean_ms for each in points], **look)
        p99.plot(SHARES_PCT, [each.p99_ms for each in points], **look)
        alpha.plot(SHARES_PCT, [each.alpha_gbps for each in points], **look)
    alpha.plot(SHARES_PCT, [(95 - share) / 10 for share in SHARES_PCT], ":", color=_GREY, label="guaranteed")
    lost = [measured(RECOMMENDED_PCT, each, RANKS["alpha first"], lab).loss_pct for each in BUFFERS_MS]
    loss.plot(BUFFERS_MS, lost, color=_COLOURS[0], marker=_MARKERS[0], ms=4)
    _delay_axes(mean, "mean delay, above that without alpha flow", gate.burst_delay_increase_ms)
    _delay_axes(p99, "99th percentile of delay, above that without", gate.burst_delay_p99_ms)
    _labelled(alpha, "throughput of an alpha flow beside the bursts", "beta's share, %", "Gb/s at 10 Gb/s")
    alpha.axvline(RECOMMENDED_PCT, color=_GREY, linestyle="--")
    alpha.set_ylim(0, 10)
    _labelled(loss, f"loss of bursts, {RECOMMENDED_PCT}% for beta", "beta's buffer, ms at 10 Gb/s", "%")
    loss.set_xscale("log")
    loss.axhline(gate.burst_loss_pct, color=_GREY, linewidth=1)
    for axes in (mean, p99, alpha):
        axes.legend(frameon=False, fontsize="small")
    return figure


def _delay_axes(axes: Axes, title: str, limit_ms: float) -> None:
    _labelled(axes, title, "beta's share, %", "ms")
    axes.set_yscale("log")
    axes.axhline(limit_ms, color=_GREY, linewidth=1)
    axes.axvline(RECOMMENDED_PCT, color=_GREY, linestyle="--")


def _labelled(axes: Axes, title: str, across: str, up: str) -> None:
    axes.set_title(title, loc="left", fontsize=9.5)
    axes.set_xlabel(across)
    axes.set_ylabel(up)


def main(arguments: Sequence[str]) -> None:
    """Draws the figure into a folder."""
    (folder,) = arguments
    save_svg(trade_off(Lab(MemoryRuns())), Path(folder), STEM)


if __name__ == "__main__":
    main(sys.argv[1:])
