"""TCP's throughput, window and round trips when best effort comes."""

from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from simulator.measures import goodput_bps
from simulator.papers.drawn import DrawnFigure
from simulator.papers.gara.cases import setup
from simulator.papers.paper import CaseRuns
from simulator.plots import below, blank, line_of, middles_s, style
from simulator.results import RunResult

_Draw = Callable[[Axes, RunResult, dict[str, object]], None]


def draw(experiment: str, cases: Sequence[CaseRuns]) -> list[DrawnFigure]:
    """A figure of the congestion; none of the other experiments."""
    there = [case for case in cases if case.results]
    if experiment != "congestion" or not there:
        return []
    caption = "GARA: TCP written at 11 MB/s; best effort of 5 MB/s comes at 4 s; seed 1."
    return [DrawnFigure("gara-congestion-over-time", caption, _over_time(there))]


def _over_time(cases: Sequence[CaseRuns]) -> Figure:
    rows: tuple[tuple[str, _Draw], ...] = (
        ("TCP (MB/s)", _throughput), ("window (kB)", _window), ("round trip (ms)", _round_trips),
    )  # fmt: skip
    with style():
        figure = blank(6.5, 5.4)
        grid = figure.subplots(len(rows), 1, sharex=True)
        for axes, (label, draw_row) in zip(grid, rows, strict=True):
            for number, case in enumerate(cases):
                colour, dashes = line_of(number)
                line: dict[str, object] = {"color": colour, "linestyle": dashes, "label": case.case.configuration}
                draw_row(axes, case.results[0], line)
            axes.set_ylabel(label)
            axes.set_ylim(bottom=0)
        grid[-1].set_xlabel("time (s)")
        below(figure, list(grid))
    return figure


def _throughput(axes: Axes, result: RunResult, line: dict[str, object]) -> None:
    values = goodput_bps(result, "tcp") / 8e6
    axes.plot(middles_s(result, len(values)), values, **line)  # type: ignore[arg-type]


def _window(axes: Axes, result: RunResult, line: dict[str, object]) -> None:
    values = result.of_flow("tcp", "cwnd_pkts") * setup()["segment_data_bytes"] / 1e3
    axes.plot(middles_s(result, len(values)), values, **line)  # type: ignore[arg-type]


def _round_trips(axes: Axes, result: RunResult, line: dict[str, object]) -> None:
    axes.plot(result.of_ping("ping", "sent_at_s"), result.of_ping("ping", "rtt_ms"), **line)  # type: ignore[arg-type]
