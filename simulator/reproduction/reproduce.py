"""From experiments to verdicts: run what is needed, take the median of each cell's runs, judge."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simulator.engine import EngineName
from simulator.measures import measure
from simulator.reproduction.published import load_cells, seeds_needed
from simulator.reproduction.selection import Selection
from simulator.reproduction.verdicts import Cell, Verdict, judge, judge_columns
from simulator.runs.files import RunFolder
from simulator.runs.pool import FinishedRun, Observer, RunTask, run_all
from simulator.testbed.experiments import Case, load_parameters
from simulator.version import engine_version


@dataclass(frozen=True)
class SkippedCell:
    """A cell that the engine could not give a value for."""

    cell: Cell
    reason: str


@dataclass(frozen=True)
class PlannedCase:
    """A case and its runs to be."""

    case: Case
    tasks: tuple[RunTask, ...]


@dataclass(frozen=True)
class CaseRuns:
    """The runs of one case, one a seed, from seed 1 on."""

    case: Case
    runs: tuple[FinishedRun, ...] = field(repr=False)


@dataclass(frozen=True)
class Reproduction:
    """What was run and what became of every published cell.

    `judged` holds a cell's verdict, or why it has none, in the order of the tables; what holds for whole columns comes
    after its experiment's cells.
    """

    engine: str
    engine_version: str
    seeds: int
    parameters: Mapping[str, Any]
    selections: tuple[Selection, ...]
    cases: tuple[CaseRuns, ...]
    judged: tuple[Verdict | SkippedCell, ...]

    @property
    def missed(self) -> bool:
        """Whether a judged cell is missed."""
        return any(isinstance(one, Verdict) and one.word == "missed" for one in self.judged)

    def of_experiment(self, number: int) -> list[CaseRuns]:
        """The cases of one experiment."""
        return [runs for runs in self.cases if runs.case.experiment.number == number]


def plan(
    selections: Sequence[Selection], seeds: int = 5, parameters: Mapping[str, Any] | None = None
) -> list[PlannedCase]:
    """The runs of each case: one, or one a seed where chance matters."""
    planned = []
    for selection in selections:
        cells = load_cells(selection.number)
        for case in selection.cases:
            count = seeds_needed((cell for cell in cells if _belongs(cell, case)), seeds)
            tasks = (
                RunTask(f"{case.name} seed {seed}", case.scenario(seed, parameters)) for seed in range(1, count + 1)
            )
            planned.append(PlannedCase(case, tuple(tasks)))
    return planned


def reproduce(
    selections: Sequence[Selection],
    *,
    engine: EngineName = "packet",
    seeds: int = 5,
    jobs: int = 2,
    folder: RunFolder | None = None,
    observer: Observer | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Reproduction:
    """Run and judge.

    Args:
        selections: As `parse_selections` makes them.
        engine: `packet` or `fluid`.
        seeds: Runs of the cases whose cells depend on chance.
        jobs: Runs side by side.
        folder: Where finished runs are kept and looked for.
        observer: Who is told about the way there.
        parameters: In place of `scenarios/parameters.toml`; for studies of sensitivity only.

    Raises:
        Whatever `run_all` raises.
    """
    planned = plan(selections, seeds, parameters)
    tasks = [task for one in planned for task in one.tasks]
    by_name = {run.task.name: run for run in run_all(tasks, engine=engine, jobs=jobs, folder=folder, observer=observer)}
    cases = [CaseRuns(one.case, tuple(by_name[task.name] for task in one.tasks)) for one in planned]
    judged: list[Verdict | SkippedCell] = []
    for selection in selections:
        judged += judge_experiment(selection, cases)
    return Reproduction(
        engine,
        engine_version(),
        seeds,
        dict(parameters or load_parameters()),
        tuple(selections),
        tuple(cases),
        tuple(judged),
    )


def judge_experiment(selection: Selection, cases: Sequence[CaseRuns]) -> list[Verdict | SkippedCell]:
    """Each cell of the selected cases, then what holds for whole columns, if all of them are there."""
    found = [
        judge_cell(cell, runs)
        for cell in load_cells(selection.number)
        for runs in cases
        if runs.case.experiment.number == selection.number and _belongs(cell, runs.case)
    ]
    verdicts = [one for one in found if isinstance(one, Verdict)]
    whole = selection.whole and len(verdicts) == len(found)
    return [*found, *(judge_columns(verdicts) if whole else [])]


def judge_cell(cell: Cell, runs: CaseRuns) -> Verdict | SkippedCell:
    """The median of a case's runs against the cell; skipped when the engine did not apply to one of them."""
    reason = next((run.not_applicable for run in runs.runs if run.not_applicable), "")
    if reason:
        return SkippedCell(cell, reason)
    values = [measure(cell.measure, runs.case, run.result) for run in runs.runs if run.result is not None]
    return judge(cell, statistics.median(values), min(values), max(values))


def _belongs(cell: Cell, case: Case) -> bool:
    return (cell.configuration, cell.variant) == (case.configuration, case.variant)
