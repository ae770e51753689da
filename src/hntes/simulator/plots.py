"""Figures of runs: throughput, round-trip times and retransmissions over time; saved alike on every machine.

Colours are those of Okabe and Ito, which people with any colour vision can distinguish; lines differ in dashes too, so
that they survive a black-and-white print.
"""

import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from hntes.files import write_bytes
from hntes.simulator.measures import goodput_bps, interval_starts_s
from hntes.simulator.results import Floats, RunResult

BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK, GREY = "#E69F00", "#56B4E9", "#000000", "#7F7F7F"
_LINES = ((BLUE, "-"), (VERMILION, "--"), (GREEN, "-."), (PURPLE, ":"), (ORANGE, (0, (5, 1))), (SKY, (0, (1, 1))))

_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "lines.linewidth": 1.3,
    "svg.hashsalt": "hntes",
    "svg.fonttype": "path",
}

# Without dates and versions: equal figures give equal bytes.
_METADATA: dict[str, dict[str, None]] = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
_VERTEX = re.compile(rb" ?\n(?=[MLQCz][ \n\"])")
GBPS = 1e9
# More queues than these are no figure any more.
MOST_QUEUES = 4
# So few intervals are drawn as steps: a line between their middles would show what was not measured.
_FEW = 60
_Draw = Callable[[Axes, Sequence[RunResult]], None]


@dataclass(frozen=True)
class TimelineColumn:
    """A column of a figure over time: runs of one scenario that differ by seed; the first is drawn, others faintly."""

    title: str
    runs: Sequence[RunResult]


@contextmanager
def style() -> Iterator[None]:
    """Draw and save within this, so that all figures look alike; nothing of it stays."""
    with mpl.rc_context(_STYLE):
        yield


def save(figure: Figure, folder: Path, stem: str) -> None:
    """Write `<stem>.svg` and `<stem>.png`, whole or not at all; equal figures give equal bytes."""
    for kind in _METADATA:
        _save(figure, folder, stem, kind)
        figure.set_layout_engine("none")  # found once for both


def save_svg(figure: Figure, folder: Path, stem: str) -> None:
    """Write `<stem>.svg` alone."""
    _save(figure, folder, stem, "svg")


def _save(figure: Figure, folder: Path, stem: str, kind: str) -> None:
    image = io.BytesIO()
    with style():
        figure.savefig(image, format=kind, dpi=150, metadata=_METADATA[kind])
    content = image.getvalue()
    # matplotlib puts each vertex on a line of its own
    write_bytes(folder / f"{stem}.{kind}", _VERTEX.sub(rb" ", content) if kind == "svg" else content)


def blank(width_in: float, height_in: float) -> Figure:
    """An empty figure; sizes in inches."""
    figure = Figure(figsize=(width_in, height_in), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def timelines(
    columns: Sequence[TimelineColumn], *, retransmissions: bool = False, queues: bool = False, title: str = ""
) -> Figure:
    """Throughput of each TCP and UDP flow above, ping below, one column per scenario; time in seconds.

    With `queues` also how full each queue was at most in each interval.
    """
    rows = _rows(columns, retransmissions)
    if queues and any(_fullest(run) for column in columns for run in column.runs):
        rows.append(("fullest queue (kB)", _queues))
    with style():
        figure = blank(max(6.5, 1.2 + 1.5 * len(columns)), 0.9 + 1.9 * len(rows))
        grid = figure.subplots(len(rows), len(columns), sharex="col", sharey="row", squeeze=False)
        for row, (label, draw) in enumerate(rows):
            for number, column in enumerate(columns):
                draw(grid[row][number], column.runs)
            grid[row][0].set_ylabel(label)
            grid[row][0].set_ylim(0, 1.06 * grid[row][0].get_ylim()[1])
        for number, column in enumerate(columns):
            grid[0][number].set_title(column.title)
            grid[-1][number].set_xlabel("time (s)")
            grid[-1][number].xaxis.set_major_locator(MaxNLocator(8 if len(columns) < 3 else 4))
        figure.align_ylabels(list(grid[:, 0]))
        below(figure, list(grid.flat), columns=4 if queues else 8)
        if title:
            figure.suptitle(title, fontsize=10, fontweight="bold")
    return figure


def goodput_gbps(run: RunResult, flow: str) -> Floats:
    """Goodput of each interval in Gb/s."""
    return goodput_bps(run, flow) / GBPS


def middles_s(run: RunResult, count: int) -> Floats:
    """The middle of each interval."""
    return interval_starts_s(run, count) + run.interval_s / 2


def legend_entries(axes: Sequence[Axes]) -> tuple[list[Artist], list[str]]:
    """One legend for the lines of several axes, each once."""
    found: dict[str, Artist] = {}
    for one in axes:
        handles, labels = one.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    return list(found.values()), list(found)


def below(figure: Figure, axes: Sequence[Axes], columns: int = 8) -> None:
    """A legend for several axes under the figure."""
    handles, labels = legend_entries(axes)
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=min(columns, len(labels)))


def line_of(number: int) -> tuple[str, object]:
    """Colour and dashes of the n-th line."""
    return _LINES[number % len(_LINES)]


def _rows(columns: Sequence[TimelineColumn], retransmissions: bool) -> list[tuple[str, _Draw]]:
    """The panels from top to bottom: axis label and drawing function."""
    runs = [run for column in columns for run in column.runs]
    fastest_gbps = max((goodput_gbps(run, name).max(initial=0) for run in runs for name in _carriers(run)), default=0)
    scale, unit = (1.0, "Gb/s") if fastest_gbps >= 1 else (1e3, "Mb/s")
    rows: list[tuple[str, _Draw]] = [(f"throughput ({unit})", partial(_throughput, scale=scale))]
    if any(_pings(run) for run in runs):
        rows.append(("ping RTT (ms)", _round_trips))
    if retransmissions:
        rows.append(("retransmitted\nsegments per interval", _retransmissions))
    return rows


def _carriers(run: RunResult) -> list[str]:
    return [name for name, flow in run.flows.items() if flow.ping is None]


def _pings(run: RunResult) -> list[str]:
    return [name for name in run.flows if run.is_recorded(name, "rtt_ms")]


def _throughput(axes: Axes, runs: Sequence[RunResult], scale: float) -> None:
    for run, first in zip(runs, (True, *[False] * len(runs)), strict=False):
        names = _carriers(run)
        for number, name in enumerate(names):
            colour, dashes = line_of(number)
            rates = goodput_gbps(run, name) * scale
            axes.plot(
                middles_s(run, len(rates)), rates, color=colour, linestyle=dashes if first else "-",
                alpha=1.0 if first else 0.25, linewidth=1.3 if first else 0.7,
                drawstyle="steps-mid" if len(rates) < _FEW else "default",
                label=name if first else None, zorder=3 if first else 2,
            )  # fmt: skip
        tcp = [name for name in names if run.flows[name].tcp is not None]
        if first and len(tcp) > 1:
            total = np.sum([goodput_gbps(run, name) for name in tcp], axis=0) * scale
            axes.plot(
                middles_s(run, len(total)), total, color=GREY, linewidth=2.2, alpha=0.6, label="all TCP", zorder=1
            )


def _round_trips(axes: Axes, runs: Sequence[RunResult]) -> None:
    for run, first in zip(runs, (True, *[False] * len(runs)), strict=False):
        for name in _pings(run):
            axes.plot(
                run.of_ping(name, "sent_at_s"), run.of_ping(name, "rtt_ms"), color=BLACK,
                alpha=1.0 if first else 0.25, linewidth=0.9, marker="." if first else None, markersize=3,
                label="ping" if first else None, zorder=3 if first else 2,
            )  # fmt: skip


def _retransmissions(axes: Axes, runs: Sequence[RunResult]) -> None:
    run = runs[0]
    for number, name in enumerate(_carriers(run)):
        if run.is_recorded(name, "retransmitted_pkts"):
            counted = run.of_flow(name, "retransmitted_pkts")
            colour, dashes = line_of(number)
            axes.plot(middles_s(run, len(counted)), counted, color=colour, linestyle=dashes)
    axes.set_yscale("symlog", linthresh=1)


def _fullest(run: RunResult) -> dict[str, Floats]:
    """The queues in which most ever waited, in kB."""
    found = {name: values / 1e3 for name, values in run.of_queues("peak_bytes").items() if values.max(initial=0) > 0}
    return dict(sorted(found.items(), key=lambda each: -each[1].max())[:MOST_QUEUES])


def _queues(axes: Axes, runs: Sequence[RunResult]) -> None:
    for number, (name, filled_kb) in enumerate(_fullest(runs[0]).items()):
        colour, dashes = line_of(number)
        axes.plot(middles_s(runs[0], len(filled_kb)), filled_kb, color=colour, linestyle=dashes, label=f"queue {name}")
