"""Reproduce the published tables: `python -m simulator.reproduce [EXPERIMENT ...] [--seeds N] [--out FOLDER]`.

Runs every configuration and writes "published | simulated | ratio | verdict" as CSV and Markdown. What counts as
reproduced depends on the kind of cell and stands beside each published value in `reference/`.
"""

import argparse
import csv
import statistics
import sys
import tomllib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from simulator.engine import run
from simulator.experiments import Case, load_experiment
from simulator.measures import measure
from simulator.verdicts import Cell, Verdict, judge, judge_columns

REFERENCE = Path(__file__).parent / "reference"
HEADER = (
    "experiment",
    "configuration",
    "variant",
    "measure",
    "published",
    "simulated",
    "lowest",
    "highest",
    "ratio",
    "verdict",
)


# Kinds of cells whose value is the median of several seeds.
CHANCY = {"reordering", "transient", "factor", "at_most", "predicted"}


@dataclass(frozen=True)
class Task:
    """One run: a case and a seed."""

    case: Case
    seed: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print the table, write the files; 1 when a cell is missed, 0 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m simulator.reproduce", description=__doc__.split("\n")[0])
    parser.add_argument("experiment", nargs="*", type=int, default=[], help="1 to 7 (default: all)")
    parser.add_argument("--seeds", type=int, default=5, help="runs of cells that depend on chance (default: 5)")
    parser.add_argument("--jobs", type=int, default=2, help="runs side by side (default: 2)")
    parser.add_argument("--out", type=Path, help="folder for reproduction.csv and reproduction.md")
    chosen = parser.parse_args(arguments)
    verdicts: list[Verdict] = []
    for number in chosen.experiment or range(1, 8):
        verdicts += reproduce(number, seeds=chosen.seeds, jobs=chosen.jobs)
        print(to_markdown(verdict for verdict in verdicts if verdict.cell.experiment == number), flush=True)
    if chosen.out:
        write(verdicts, chosen.out)
    return int(any(verdict.word == "missed" for verdict in verdicts))


def reproduce(number: int, *, seeds: int = 5, jobs: int = 2, parameters: dict[str, Any] | None = None) -> list[Verdict]:
    """Judge one experiment: each cell by the median of its runs, then what holds for whole columns."""
    cells = load_cells(number)
    tasks = _tasks(cells, seeds)
    wanted = {
        key: sorted({cell.measure for cell in cells if _key(cell) == key}) for key in {_key(cell) for cell in cells}
    }

    def perform(task: Task) -> tuple[tuple[str, str], dict[str, float]]:
        result = run(task.case.scenario(task.seed, parameters))
        if result.imbalances:
            raise AssertionError(f"{task.case.name}: {'; '.join(result.imbalances)}")
        key = (task.case.configuration, task.case.variant)
        return key, {name: measure(name, task.case, result) for name in wanted[key]}

    values: dict[tuple[str, str, str], list[float]] = {}
    with ThreadPoolExecutor(jobs) as pool:
        for key, measured in pool.map(perform, tasks):
            for name, value in measured.items():
                values.setdefault((*key, name), []).append(value)
    verdicts = []
    for cell in cells:
        runs = values[(cell.configuration, cell.variant, cell.measure)]
        verdicts.append(judge(cell, statistics.median(runs), min(runs), max(runs)))
    return verdicts + judge_columns(verdicts)


def load_cells(number: int) -> list[Cell]:
    """The published cells of an experiment."""
    return [Cell(experiment=number, **cell) for cell in _reference(number)["cells"]]


def to_markdown(verdicts: Iterable[Verdict]) -> str:
    """The table in Markdown."""
    lines = ["| " + " | ".join(HEADER) + " |", "|" + "---|" * len(HEADER)]
    lines += ["| " + " | ".join(row) + " |" for row in map(_row, verdicts)]
    return "\n".join(lines) + "\n"


def write(verdicts: Sequence[Verdict], folder: Path) -> None:
    """Write `reproduction.csv` and `reproduction.md`."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "reproduction.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        writer.writerows(map(_row, verdicts))
    (folder / "reproduction.md").write_text(to_markdown(verdicts), encoding="utf-8")


def _row(verdict: Verdict) -> tuple[str, ...]:
    cell = verdict.cell
    numbers = (cell.published, verdict.simulated, verdict.lowest, verdict.highest, verdict.ratio)
    shown = tuple(
        "" if number is None else f"{number:.4g}" if abs(number) < 1e5 else f"{number:.0f}" for number in numbers
    )
    return (str(cell.experiment), cell.configuration, cell.variant, cell.measure, *shown, verdict.word)


def _tasks(cells: Sequence[Cell], seeds: int) -> list[Task]:
    """Runs, each case once or, where chance matters, once a seed."""
    runs: dict[tuple[str, str], int] = {}
    for cell in cells:
        chancy = cell.kind in CHANCY if cell.chancy is None else cell.chancy
        runs[_key(cell)] = max(runs.get(_key(cell), 1), seeds if chancy else 1)
    experiment = load_experiment(cells[0].experiment)
    return [Task(experiment.case(*key), seed) for key, count in runs.items() for seed in range(1, count + 1)]


def _key(cell: Cell) -> tuple[str, str]:
    return cell.configuration, cell.variant


@cache
def _reference(number: int) -> dict[str, Any]:
    return tomllib.loads((REFERENCE / f"experiment{number}.toml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())
