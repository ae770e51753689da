"""A case as figures show it: its values beside the published ones, and its runs where there are any."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from hntes.papers.hntes.paper import HNTES
from hntes.papers.paper import Case, CaseRuns
from hntes.simulator.results import RunResult


@dataclass(frozen=True)
class ShownValue:
    """A measure: as published, if it is; median, lowest and highest of the runs."""

    published: float | None
    simulated: float
    lowest: float
    highest: float


@dataclass(frozen=True)
class ShownCase:
    """A case, and its value of a measure, None where it is not known; figures over time need `results`, too."""

    case: Case
    value: Callable[[str], ShownValue | None]
    results: tuple[RunResult, ...] = ()


def shown(runs: CaseRuns) -> ShownCase:
    """The case of some runs, of which every measure is known."""

    def value(measure: str) -> ShownValue:
        values = [HNTES.measure(measure, runs.case, result) for result in runs.results]
        return ShownValue(_published(runs.case, measure), statistics.median(values), min(values), max(values))

    return ShownCase(runs.case, value, tuple(runs.results))


def _published(case: Case, measure: str) -> float | None:
    place = (case.configuration, case.variant, measure)
    cells = HNTES.cells(case.experiment_name)
    return next((one.published for one in cells if (one.configuration, one.variant, one.measure) == place), None)
