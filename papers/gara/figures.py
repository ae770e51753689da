"""TCP's throughput, window and round trips when best effort comes; what reservations get in a manager's channel."""

from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hntes.papers.drawn import DrawnFigure
from hntes.papers.gara import manager
from hntes.papers.gara.setup import setup
from hntes.papers.paper import CaseRuns
from hntes.simulator.measures import goodput_bps
from hntes.simulator.plots import below, blank, line_of, middles_s, style
from hntes.simulator.results import RunResult

_MANAGED = {
    "manager": "GARA: reservations in a channel of 45 Mb/s; the background transfer sends what it is granted; seed 1.",
    "unadapted": "GARA: the same, but the background transfer sends at 45 Mb/s all the time; seed 1.",
    "none": "GARA: the same transfers without reservations; seed 1.",
}
_Draw = Callable[[Axes, RunResult, dict[str, object]], None]


def draw(experiment: str, cases: Sequence[CaseRuns]) -> list[DrawnFigure]:
    """A figure of the congestion, and one of each configuration of the manager; none of the other experiments."""
    there = [case for case in cases if case.results]
    if experiment == "manager":
        return [
            DrawnFigure(f"gara-manager-{case.case.configuration}", _MANAGED[case.case.configuration], _managed(case))
            for case in there
        ]
    if experiment != "congestion" or not there:
        return []
    caption = "GARA: TCP written at 11 MB/s; best effort of 5 MB/s comes at 4 s; seed 1."
    return [DrawnFigure("gara-congestion-over-time", caption, _over_time(there))]


def _managed(case: CaseRuns) -> Figure:
    """What each transfer gets, over time."""
    result, packet_bytes = case.results[0], setup().packet_bytes
    with style():
        figure = blank(6.5, 2.6)
        axes = figure.subplots()
        for number, name in enumerate((*manager.FOREGROUND, manager.BACKGROUND, manager.BEST_EFFORT)):
            colour, dashes = line_of(number)
            is_tcp = name != manager.BEST_EFFORT
            values = goodput_bps(result, name) / 1e6 * (packet_bytes / setup().segment_data_bytes if is_tcp else 1)
            axes.plot(middles_s(result, len(values)), values, color=colour, linestyle=dashes, label=name)
        axes.set_ylabel("throughput (Mb/s)")
        axes.set_ylim(bottom=0)
        axes.set_xlabel("time (s)")
        below(figure, [axes])
    return figure


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
    values = result.of_flow("tcp", "cwnd_pkts") * setup().segment_data_bytes / 1e3
    axes.plot(middles_s(result, len(values)), values, **line)  # type: ignore[arg-type]


def _round_trips(axes: Axes, result: RunResult, line: dict[str, object]) -> None:
    axes.plot(result.of_ping("ping", "sent_at_s"), result.of_ping("ping", "rtt_ms"), **line)  # type: ignore[arg-type]
