"""Reproduce the published tables: `python -m simulator.reproduce [EXPERIMENT ...] [--seeds N] [--out FOLDER]`.

The command of the simulator as a library of its own; `hntes reproduce` is the same with live progress.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator.engine import EngineMissingError, ScenarioError
from simulator.reproduction.published import load_cells
from simulator.reproduction.report import to_markdown_table
from simulator.reproduction.reproduce import reproduce as reproduce_selections
from simulator.reproduction.rows import rows_of
from simulator.reproduction.selection import SelectionError, parse_selections
from simulator.reproduction.verdicts import Verdict
from simulator.reproduction.write import write_reproduction
from simulator.runs.files import RunFolder
from simulator.runs.pool import FinishedRun, RunsInterruptedError, RunTask

__all__ = ["load_cells", "main", "reproduce"]

DONE, FAILED, MISSED, INTERRUPTED = 0, 1, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print the table, write the files; 3 when a judged cell is missed, 0 otherwise, 1 after an error."""
    chosen = _parser().parse_args(arguments)
    folder = RunFolder(chosen.runs, chosen.fresh) if chosen.runs else None
    try:
        result = reproduce_selections(
            parse_selections(chosen.experiment),
            engine=chosen.engine,
            seeds=chosen.seeds,
            jobs=chosen.jobs,
            folder=folder,
            observer=_Lines(),
        )
        print(to_markdown_table(rows_of(result)))
        if chosen.out:
            write_reproduction(result, chosen.out)
    except RunsInterruptedError as stopped:
        print(stopped, file=sys.stderr)
        return INTERRUPTED
    except (EngineMissingError, ScenarioError, SelectionError, OSError) as error:
        print(f"simulator.reproduce: {error}", file=sys.stderr)
        return FAILED
    return MISSED if result.missed else DONE


def reproduce(number: int, *, seeds: int = 5, jobs: int = 2, parameters: dict[str, Any] | None = None) -> list[Verdict]:
    """The verdicts of one experiment by the packet engine, without keeping anything."""
    result = reproduce_selections(parse_selections([str(number)]), seeds=seeds, jobs=jobs, parameters=parameters)
    return [one for one in result.judged if isinstance(one, Verdict)]


class _Lines:
    """A line on standard error for each finished run."""

    def moved(self, task: RunTask, share: float) -> None:
        """Nothing: lines are for ends."""

    def finished(self, run: FinishedRun) -> None:
        """Name it."""
        print(f"{run.task.name}: {'kept' if run.reused else f'{run.elapsed_s:.1f} s'}", file=sys.stderr, flush=True)

    def note(self, text: str) -> None:
        """Pass it on."""
        print(text, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m simulator.reproduce", description=__doc__.split("\n")[0])
    parser.add_argument("experiment", nargs="*", help="3, 3/2-queues or 3/2-queues/udp-1 (default: all)")
    parser.add_argument("--engine", choices=["packet", "fluid"], default="packet", help="default: packet")
    parser.add_argument("--seeds", type=int, default=5, help="runs of cells that depend on chance (default: 5)")
    parser.add_argument("--jobs", type=int, default=2, help="runs side by side (default: 2)")
    parser.add_argument("--runs", type=Path, help="folder in which finished runs are kept and looked for")
    parser.add_argument("--fresh", action="store_true", help="take no kept run")
    parser.add_argument("--out", type=Path, help="folder for tables, series, figures and report")
    return parser


if __name__ == "__main__":
    sys.exit(main())
