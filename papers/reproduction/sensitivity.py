"""Dependence of verdicts on assumptions: each alternative value in turn, everything else fixed, one seed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hntes.papers.cells import CellVerdict, PublishedCell
from hntes.papers.errors import SelectionError
from hntes.papers.paper import Assumption, Case, CaseRuns, Paper
from hntes.papers.reproduction.catalogue import PAPERS
from hntes.papers.reproduction.reproduce import assess_experiment
from hntes.papers.reproduction.selection import CaseSelection
from hntes.papers.reproduction.settled import SHOWN
from hntes.simulator.results import EngineName
from hntes.simulator.runs.observer import Observer
from hntes.simulator.runs.pool import run_all
from hntes.simulator.runs.store import RunStore
from hntes.simulator.runs.task import RunTask
from hntes.simulator.scenario import Scenario

SEED, OTHER_SEED = 1, 2
# Beside what assumptions do: what chance alone does.
CHANCE = Assumption("none: chance alone", f"seed {SEED}", "")


@dataclass(frozen=True)
class Variation:
    """A paper's runs with one thing changed: parameters of its cases, or the seed."""

    paper: Paper
    assumption: Assumption
    value: str
    parameters: Any = None
    seed: int = SEED

    def scenario(self, case: Case) -> Scenario:
        """The variation of a case."""
        return case.scenario(self.seed, self.parameters)


@dataclass(frozen=True)
class VerdictChange:
    """A judged cell whose verdict is another one."""

    before: CellVerdict
    after: CellVerdict


@dataclass(frozen=True)
class Effect:
    """The effect of a variation: the number of changed configurations, and the verdicts on their judged cells."""

    variation: Variation
    configurations: int
    judged: int
    changes: tuple[VerdictChange, ...]


@dataclass(frozen=True)
class PlannedStudy:
    """The variations of all selected papers, the runs of each, and those with nothing changed."""

    selections: tuple[CaseSelection, ...]
    variations: tuple[Variation, ...]
    tasks: Mapping[tuple[int, str], RunTask] = field(repr=False)

    def runs(self) -> list[RunTask]:
        """The runs, each once."""
        return list({task.key: task for task in self.tasks.values()}.values())


def plan_study(selections: Sequence[CaseSelection], engine: EngineName = "packet") -> PlannedStudy:
    """Each selected case as assumed, and otherwise where that makes another scenario of it; -1 is as assumed.

    Raises:
        SelectionError: None of the papers states another value of an assumption that the engine could run.
    """
    papers = {one.paper.name: one.paper for one in selections}
    studied = [paper for paper in papers.values() if engine != "fluid" or paper.fluid_parameters is None]
    if not studied:
        raise SelectionError(f"{', '.join(papers)}: what is assumed of its hosts the fluid engine refuses; use packets")
    variations = tuple(variation for paper in studied for variation in variations_of(paper))
    if not variations:
        raise SelectionError(_no_other_value(list(papers)))
    varied = {variation.paper.name for variation in variations}
    selections = [one for one in selections if one.paper.name in varied]
    tasks: dict[tuple[int, str], RunTask] = {}
    for selection in selections:
        for case in selection.cases:
            plain = case.scenario(SEED)
            tasks[-1, case.name] = RunTask(f"{case.name} seed {SEED}", plain, engine)
            for place, variation in enumerate(variations):
                if variation.paper.name == selection.paper.name and (other := variation.scenario(case)) != plain:
                    name = f"{case.name}, {variation.assumption.name}: {variation.value}"
                    tasks[place, case.name] = RunTask(name, other, engine)
    return PlannedStudy(tuple(selections), variations, tasks)


def _no_other_value(papers: Sequence[str]) -> str:
    there = ", ".join(paper.name for paper in PAPERS.values() if list(variations_of(paper)))
    return f"{', '.join(papers)}: its assumptions have no other value to try; papers with such values: {there}"


def variations_of(paper: Paper) -> Iterator[Variation]:
    """The other values of a paper's assumptions after another seed; nothing if no other value is stated."""
    others = [(one, other) for one in paper.assumptions for other in one.others]
    if others:
        yield Variation(paper, CHANCE, f"seed {OTHER_SEED}", seed=OTHER_SEED)
    for one, other in others:
        yield Variation(paper, one, other.value, other.parameters)


def run_study(
    study: PlannedStudy, *, jobs: int = 2, store: RunStore | None = None, observer: Observer | None = None
) -> list[Effect]:
    """The effect of each variation, in the order of the papers' assumptions.

    Raises:
        Whatever `run_all` raises.
    """
    places = list(study.tasks)
    finished = run_all([study.tasks[place] for place in places], jobs=jobs, store=store, observer=observer)
    runs = dict(zip(places, finished, strict=True))

    def verdicts(place: int, selection: CaseSelection) -> dict[PublishedCell, CellVerdict]:
        cases = [
            CaseRuns(selection.paper, case, (runs.get((place, case.name)) or runs[-1, case.name],))
            for case in selection.cases
        ]
        found = assess_experiment(selection, cases)
        return {one.cell: one for one in found if isinstance(one, CellVerdict) and one.cell.kind not in SHOWN}

    before = [verdicts(-1, selection) for selection in study.selections]
    return [
        effect_of(
            variation,
            {name for at, name in places if at == place},
            [
                (selection, verdicts(place, selection), old)
                for selection, old in zip(study.selections, before, strict=True)
                if selection.paper.name == variation.paper.name
            ],
        )
        for place, variation in enumerate(study.variations)
    ]


def effect_of(
    variation: Variation,
    touched: set[str],
    found: Sequence[tuple[CaseSelection, Mapping[PublishedCell, CellVerdict], Mapping[PublishedCell, CellVerdict]]],
) -> Effect:
    """Verdicts under a variation beside those before, of the cells of touched cases; an order is of two."""
    judged, changes = 0, []
    for selection, new, old in found:
        names = {(case.configuration, case.variant) for case in selection.cases if case.name in touched}
        for cell, after in new.items():
            if {(cell.configuration, cell.variant), (cell.above, cell.variant)} & names:
                judged += 1
                if after.word != old[cell].word:
                    changes.append(VerdictChange(old[cell], after))
    return Effect(variation, len(touched), judged, tuple(changes))
