"""The reproduction of experiments: runs them and compares each cell's median with the published value."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from hntes.papers.cells import CellVerdict, PublishedCell, assess
from hntes.papers.paper import Case, CaseRuns, Paper
from hntes.papers.reproduction.selection import CaseSelection
from hntes.papers.reproduction.settled import is_order_settled, is_settled, majority
from hntes.simulator.results import EngineName
from hntes.simulator.runs.observer import Observer
from hntes.simulator.runs.pool import run_all
from hntes.simulator.runs.store import RunStore
from hntes.simulator.runs.task import RunTask
from hntes.simulator.scenario import Parameters
from hntes.simulator.testbed.files import load_parameters, published_parameters
from hntes.simulator.version import engine_version


@dataclass(frozen=True)
class SkippedCell:
    """A cell that the engine could not give a value for."""

    cell: PublishedCell
    reason: str


@dataclass(frozen=True)
class PlannedCase:
    """A case of a paper and its runs to be."""

    paper: Paper
    case: Case
    tasks: tuple[RunTask, ...]


@dataclass(frozen=True)
class Reproduction:
    """The runs, and the verdict on every published cell.

    `outcomes` holds a cell's verdict, or why it has none, in the order of the tables; what holds for whole columns
    comes after its experiment's cells.
    """

    engine: str
    engine_version: str
    seeds: int
    parameters: Parameters
    selections: tuple[CaseSelection, ...]
    cases: tuple[CaseRuns, ...] = field(repr=False)
    outcomes: tuple[CellVerdict | SkippedCell, ...]

    @property
    def missed(self) -> bool:
        """Whether a judged cell is missed."""
        return any(isinstance(one, CellVerdict) and one.word == "missed" for one in self.outcomes)

    def of_selection(self, selection: CaseSelection) -> list[CaseRuns]:
        """The cases of one experiment."""
        return of_selection(self.cases, selection)

    @property
    def papers(self) -> tuple[Paper, ...]:
        """The papers there is something of, in their order."""
        return tuple({selection.paper.name: selection.paper for selection in self.selections}.values())


def plan(
    selections: Sequence[CaseSelection],
    engine: EngineName = "packet",
    seeds: int = 5,
    parameters: Parameters | None = None,
) -> list[PlannedCase]:
    """The most runs of each case: one, or one per seed where chance matters."""
    planned = []
    for selection in selections:
        cells = selection.paper.cells(selection.experiment)
        given = parameters or _engines_own(selection.paper, engine)
        for case in selection.cases:
            count = seeds if any(cell.depends_on_chance for cell in cells if _belongs(cell, case)) else 1
            tasks = (
                RunTask(f"{case.name} seed {seed}", case.scenario(seed, given), engine) for seed in range(1, count + 1)
            )
            planned.append(PlannedCase(selection.paper, case, tuple(tasks)))
    return planned


def reproduce(
    selections: Sequence[CaseSelection],
    *,
    engine: EngineName = "packet",
    seeds: int = 5,
    jobs: int = 2,
    store: RunStore | None = None,
    observer: Observer | None = None,
    parameters: Parameters | None = None,
) -> Reproduction:
    """Run, and compare with what was published.

    Args:
        selections: As `parse_selections` makes them.
        engine: `packet` or `fluid`.
        seeds: Runs at most of the cases whose cells depend on chance; fewer where they settle what becomes of all its
            cells.
        jobs: Runs side by side.
        store: Where finished runs are kept and looked for.
        observer: Who follows the runs.
        parameters: In place of what the papers' cases run with; for studies of sensitivity only.

    Raises:
        Whatever `run_all` raises.
    """
    planned = plan(selections, engine, seeds, parameters)
    cases = _run(planned, seeds, jobs, store, observer)
    outcomes: list[CellVerdict | SkippedCell] = []
    for selection in selections:
        outcomes += assess_experiment(selection, of_selection(cases, selection))
    return Reproduction(
        engine,
        engine_version(),
        seeds,
        parameters or (load_parameters() if engine == "fluid" else published_parameters()),
        tuple(selections),
        tuple(cases),
        tuple(outcomes),
    )


def _engines_own(paper: Paper, engine: EngineName) -> Parameters | None:
    return paper.fluid_parameters() if engine == "fluid" and paper.fluid_parameters else None


def _run(
    planned: Sequence[PlannedCase], seeds: int, jobs: int, store: RunStore | None, observer: Observer | None
) -> list[CaseRuns]:
    """Each case with as many seeds as can settle its verdicts, then seed by seed where they have not."""
    cases = [CaseRuns(one.paper, one.case, ()) for one in planned]
    unsettled = list(range(len(planned)))
    for count in range(majority(seeds), seeds + 1):
        tasks = {place: planned[place].tasks[len(cases[place].runs) : count] for place in unsettled}
        wanted = [task for some in tasks.values() for task in some]
        runs = iter(run_all(wanted, jobs=jobs, store=store, observer=observer))
        for place, some in tasks.items():
            cases[place] = replace(cases[place], runs=(*cases[place].runs, *islice(runs, len(some))))
        unsettled = [place for place in unsettled if not _is_settled(place, planned, cases)]
        if observer is not None:
            needed = {run.task.key for case in cases for run in case.runs}
            needed |= {task.key for place in unsettled for task in planned[place].tasks}
            observer.spare(task for one in planned for task in one.tasks if task.key not in needed)
    return cases


def _is_settled(place: int, planned: Sequence[PlannedCase], cases: Sequence[CaseRuns]) -> bool:
    """Whether further seeds would change no verdict on this case's cells, nor on an order that it is part of."""
    one, runs = planned[place], cases[place]
    if len(runs.runs) == len(one.tasks) or any(run.not_applicable for run in runs.runs):
        return True
    cells = one.paper.cells(one.case.experiment_name)
    alone = all(
        is_settled(cell, _values(one.paper, cell, runs), len(one.tasks))
        for cell in cells
        if cell.kind != "order" and _belongs(cell, one.case)
    )
    return alone and all(
        _is_order_settled(cell, planned, cases)
        for cell in cells
        if cell.kind == "order" and (_belongs(cell, one.case) or _is_below(cell, one.case))
    )


def _is_order_settled(cell: PublishedCell, planned: Sequence[PlannedCase], cases: Sequence[CaseRuns]) -> bool:
    """Whether further seeds would leave the order as it is; one with a case that is not run, or cannot be, is."""
    values, seeds = [], []
    for is_end in (_belongs, _is_below):
        for one, runs in zip(planned, cases, strict=True):
            if runs.experiment == (cell.paper, cell.experiment) and is_end(cell, one.case):
                values.append(_values(one.paper, cell, runs))
                seeds.append(len(one.tasks))
    if len(values) < 2 or not all(values):
        return True
    return is_order_settled(values[0], values[1], (seeds[0], seeds[1]))


def of_selection(cases: Sequence[CaseRuns], selection: CaseSelection) -> list[CaseRuns]:
    """The runs of one experiment's cases."""
    return [runs for runs in cases if runs.experiment == (selection.paper.name, selection.experiment)]


def assess_experiment(selection: CaseSelection, cases: Sequence[CaseRuns]) -> list[CellVerdict | SkippedCell]:
    """Each cell of the selected cases, then what holds for the experiment as a whole, if all of it is there."""
    paper = selection.paper
    found = [
        assess_cell(paper, cell, runs, cases)
        for cell in paper.cells(selection.experiment)
        for runs in cases
        if _belongs(cell, runs.case)
    ]
    verdicts = [one for one in found if isinstance(one, CellVerdict)]
    whole = selection.whole and len(verdicts) == len(found)
    return [*found, *(paper.assess_whole(verdicts) if whole else [])]


def assess_cell(
    paper: Paper, cell: PublishedCell, runs: CaseRuns, others: Sequence[CaseRuns] = ()
) -> CellVerdict | SkippedCell:
    """The median of a case's runs against the cell; skipped when the engine did not apply to one of them.

    `others` are looked through for the case that an order is about.
    """
    reason = next((run.not_applicable for run in runs.runs if run.not_applicable), "")
    if reason:
        return SkippedCell(cell, reason)
    values = _values(paper, cell, runs)
    other = next((one for one in others if _is_below(cell, one.case)), None)
    if cell.above and (other is None or not other.results):
        return SkippedCell(cell, f"configuration {cell.above} was not run")
    compared = statistics.median(_values(paper, cell, other)) if other else None
    return assess(cell, statistics.median(values), min(values), max(values), compared)


def _values(paper: Paper, cell: PublishedCell, runs: CaseRuns) -> list[float]:
    return [paper.measure(cell.measure, runs.case, result) for result in runs.results]


def _belongs(cell: PublishedCell, case: Case) -> bool:
    return (cell.configuration, cell.variant) == (case.configuration, case.variant)


def _is_below(cell: PublishedCell, case: Case) -> bool:
    """Whether a cell is an order whose lower end is this case."""
    return bool(cell.above) and (cell.above, cell.variant) == (case.configuration, case.variant)
