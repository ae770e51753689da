"""From experiments to verdicts: run what is needed, compare each cell's median with what was published."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simulator.reproduction.cell_measures import measure
from simulator.reproduction.published import load_cells, seeds_needed
from simulator.reproduction.selection import CaseSelection
from simulator.reproduction.verdicts import CellVerdict, PublishedCell, assess, assess_columns
from simulator.results import EngineName
from simulator.runs.observer import Observer
from simulator.runs.pool import run_all
from simulator.runs.store import RunStore
from simulator.runs.task import FinishedRun, RunTask
from simulator.testbed.experiments import Case, load_parameters
from simulator.version import engine_version


@dataclass(frozen=True)
class SkippedCell:
    """A cell that the engine could not give a value for."""

    cell: PublishedCell
    reason: str


@dataclass(frozen=True)
class PlannedCase:
    """A case and its runs to be."""

    case: Case
    tasks: tuple[RunTask, ...]


@dataclass(frozen=True)
class CaseRuns:
    """The runs of one case, one per seed, from seed 1 on."""

    case: Case
    runs: tuple[FinishedRun, ...] = field(repr=False)


@dataclass(frozen=True)
class Reproduction:
    """What was run and what became of every published cell.

    `outcomes` holds a cell's verdict, or why it has none, in the order of the tables; what holds for whole columns
    comes after its experiment's cells.
    """

    engine: str
    engine_version: str
    seeds: int
    parameters: Mapping[str, Any]
    selections: tuple[CaseSelection, ...]
    cases: tuple[CaseRuns, ...]
    outcomes: tuple[CellVerdict | SkippedCell, ...]

    @property
    def missed(self) -> bool:
        """Whether a judged cell is missed."""
        return any(isinstance(one, CellVerdict) and one.word == "missed" for one in self.outcomes)

    def of_experiment(self, number: int) -> list[CaseRuns]:
        """The cases of one experiment."""
        return [runs for runs in self.cases if runs.case.experiment.number == number]


def plan(
    selections: Sequence[CaseSelection],
    engine: EngineName = "packet",
    seeds: int = 5,
    parameters: Mapping[str, Any] | None = None,
) -> list[PlannedCase]:
    """The runs of each case: one, or one per seed where chance matters."""
    planned = []
    for selection in selections:
        cells = load_cells(selection.number)
        for case in selection.cases:
            count = seeds_needed((cell for cell in cells if _belongs(cell, case)), seeds)
            tasks = (
                RunTask(f"{case.name} seed {seed}", case.scenario(seed, parameters), engine)
                for seed in range(1, count + 1)
            )
            planned.append(PlannedCase(case, tuple(tasks)))
    return planned


def reproduce(
    selections: Sequence[CaseSelection],
    *,
    engine: EngineName = "packet",
    seeds: int = 5,
    jobs: int = 2,
    store: RunStore | None = None,
    observer: Observer | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Reproduction:
    """Run, and compare with what was published.

    Args:
        selections: As `parse_selections` makes them.
        engine: `packet` or `fluid`.
        seeds: Runs of the cases whose cells depend on chance.
        jobs: Runs side by side.
        store: Where finished runs are kept and looked for.
        observer: Who follows the runs.
        parameters: In place of `scenarios/parameters.toml`; for studies of sensitivity only.

    Raises:
        Whatever `run_all` raises.
    """
    planned = plan(selections, engine, seeds, parameters)
    tasks = [task for one in planned for task in one.tasks]
    by_name = {run.task.name: run for run in run_all(tasks, jobs=jobs, store=store, observer=observer)}
    cases = [CaseRuns(one.case, tuple(by_name[task.name] for task in one.tasks)) for one in planned]
    outcomes: list[CellVerdict | SkippedCell] = []
    for selection in selections:
        outcomes += assess_experiment(selection, cases)
    return Reproduction(
        engine,
        engine_version(),
        seeds,
        dict(parameters or load_parameters()),
        tuple(selections),
        tuple(cases),
        tuple(outcomes),
    )


def assess_experiment(selection: CaseSelection, cases: Sequence[CaseRuns]) -> list[CellVerdict | SkippedCell]:
    """Each cell of the selected cases, then what holds for whole columns, if all of them are there."""
    found = [
        assess_cell(cell, runs)
        for cell in load_cells(selection.number)
        for runs in cases
        if runs.case.experiment.number == selection.number and _belongs(cell, runs.case)
    ]
    verdicts = [one for one in found if isinstance(one, CellVerdict)]
    whole = selection.whole and len(verdicts) == len(found)
    return [*found, *(assess_columns(verdicts) if whole else [])]


def assess_cell(cell: PublishedCell, runs: CaseRuns) -> CellVerdict | SkippedCell:
    """The median of a case's runs against the cell; skipped when the engine did not apply to one of them."""
    reason = next((run.not_applicable for run in runs.runs if run.not_applicable), "")
    if reason:
        return SkippedCell(cell, reason)
    values = [measure(cell.measure, runs.case, run.result) for run in runs.runs if run.result is not None]
    return assess(cell, statistics.median(values), min(values), max(values))


def _belongs(cell: PublishedCell, case: Case) -> bool:
    return (cell.configuration, cell.variant) == (case.configuration, case.variant)
