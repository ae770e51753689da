"""Figures of the testbed experiments: each configuration over time, and a summary beside the published values."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hntes.papers.drawn import DrawnFigure, slug
from hntes.papers.hntes.paper import HNTES
from hntes.papers.hntes.shown import ShownCase, shown
from hntes.papers.hntes.summaries import SUMMARIES
from hntes.papers.paper import CaseRuns
from hntes.simulator.plots import TimelineColumn, timelines


def draw(experiment: str, cases: Sequence[CaseRuns]) -> list[DrawnFigure]:
    """The figures of one experiment: summaries first. Cases without a result are left out."""
    number = int(experiment)
    there = [case for case in cases if case.results]
    drawn = draw_summaries(experiment, [shown(case) for case in there])
    return drawn + (_over_time(number, there) if there and number in _TIMELINES else [])


def draw_summaries(experiment: str, cases: Sequence[ShownCase]) -> list[DrawnFigure]:
    """The figures of one experiment that show what is known of its cases beside the published values."""
    return [
        DrawnFigure(f"experiment{experiment}-{summary.name}", f"Experiment {experiment}: {summary.caption}.", figure)
        for summary in SUMMARIES.get(int(experiment), ())
        if (figure := summary.draw(cases)) is not None
    ]


def _over_time(number: int, cases: Sequence[CaseRuns]) -> list[DrawnFigure]:
    kind = _TIMELINES[number]
    drawn = []
    for group in kind.group(cases):
        columns = [TimelineColumn(kind.title(case), case.results) for case in group.cases]
        figure = timelines(columns, retransmissions=kind.retransmissions, title=f"Experiment {number}: {group.name}")
        caption = f"Experiment {number}, {group.name}: {kind.shows}; seed 1 in colour, other seeds faintly."
        drawn.append(DrawnFigure(f"experiment{number}-{slug(group.name)}", caption, figure))
    return drawn


@dataclass(frozen=True)
class _Group:
    """Cases that share a figure."""

    name: str
    cases: Sequence[CaseRuns]


@dataclass(frozen=True)
class _Timeline:
    """The drawing of an experiment's cases over time."""

    group: Callable[[Sequence[CaseRuns]], Iterable[_Group]]
    title: Callable[[CaseRuns], str]
    shows: str = "throughput of each flow and ping over time"
    retransmissions: bool = False


def _by_configuration(cases: Sequence[CaseRuns]) -> list[_Group]:
    names = dict.fromkeys(case.case.configuration for case in cases)
    return [_Group(name, [case for case in cases if case.case.configuration == name]) for name in names]


def _configuration(case: CaseRuns) -> str:
    return case.case.configuration


def _udp_rate(case: CaseRuns) -> str:
    return f"UDP {case.case.variant.removeprefix('udp-')} Gb/s"


def _congestion_and_rate(case: CaseRuns) -> str:
    congestion, _, rate = case.case.variant.partition("-udp-")
    name = {"htcp": "H-TCP", "reno": "Reno"}.get(congestion, congestion)
    return f"{name}, UDP {rate} Gb/s"


def _with_jain(case: CaseRuns) -> str:
    index = HNTES.measure("jain_51_151", case.case, case.results[0])
    return f"{case.case.variant}: Jain {index:.2f}"


_TIMELINES = {
    2: _Timeline(_by_configuration, lambda _: ""),
    3: _Timeline(_by_configuration, _udp_rate),
    4: _Timeline(_by_configuration, lambda _: ""),
    5: _Timeline(
        _by_configuration,
        _with_jain,
        "throughput and retransmissions of two flows over time, with Jain's index of their mean rates over 51 to 151 s",
        retransmissions=True,
    ),
    6: _Timeline(_by_configuration, _congestion_and_rate),
    7: _Timeline(_by_configuration, lambda _: ""),
}
