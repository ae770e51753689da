"""`python -m hntes.papers.reproduction`: `hntes reproduce` without the rest of HNTES."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from hntes.papers.reproduction import SelectionError, parse_selections, reproduce
from hntes.papers.reproduction.catalogue import PAPERS
from hntes.papers.reproduction.report import to_markdown_table
from hntes.papers.reproduction.reproduce import plan
from hntes.papers.reproduction.rows import closing_lines, rows_of
from hntes.papers.reproduction.selection import ALL
from hntes.simulator.runs.engines import UnsoundRunError
from hntes.simulator.runs.files import RunFolder
from hntes.simulator.runs.interrupts import end_process, one_interrupt
from hntes.simulator.runs.observer import LineObserver
from hntes.simulator.runs.pool import RunsInterrupted
from hntes.simulator.scenario import ScenarioError

DONE, FAILED, MISSED, INTERRUPTED = 0, 1, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print the table, write the files; 3 if a cell is missed, 1 after an error, 130 after Ctrl-C, else 0."""
    chosen = _parser().parse_args(arguments)
    with one_interrupt():
        return _run(chosen)


def _run(chosen: argparse.Namespace) -> int:
    store = RunFolder(chosen.runs, chosen.fresh) if chosen.runs else None
    write = partial(print, file=sys.stderr, flush=True)
    try:
        selections = parse_selections(chosen.experiment, chosen.paper)
        tasks = [task for case in plan(selections, chosen.engine, chosen.seeds) for task in case.tasks]
        result = reproduce(
            selections, engine=chosen.engine, seeds=chosen.seeds, jobs=chosen.jobs, store=store,
            observer=LineObserver(tasks, write),
        )  # fmt: skip
        rows = rows_of(result)
        print(to_markdown_table(rows))
        print(*closing_lines(rows), sep="\n")
        if chosen.out:
            from hntes.papers.reproduction.write import write_reproduction  # late: Matplotlib takes a second to load

            write_reproduction(result, chosen.out)
    except RunsInterrupted as stopped:
        write(stopped)
        if stopped.left_behind:
            end_process(INTERRUPTED)
        return INTERRUPTED
    except KeyboardInterrupt:
        write("interrupted; finished runs are kept")
        return INTERRUPTED
    except (ScenarioError, SelectionError, UnsoundRunError, OSError) as error:
        write(f"simulator.reproduction: {error}")
        return FAILED
    return MISSED if result.missed else DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m hntes.papers.reproduction",
        description="Run the published testbed experiments and compare every published value.",
    )
    parser.add_argument("experiment", nargs="*", help="3, 3/2-queues or 3/2-queues/udp-1 (default: all)")
    parser.add_argument("--paper", choices=[*PAPERS, ALL], default="hntes", help="default: hntes")
    parser.add_argument("--engine", choices=["packet", "fluid"], default="packet", help="default: packet")
    parser.add_argument("--seeds", type=int, default=5, help="runs at most of cells that depend on chance (default: 5)")
    parser.add_argument("--jobs", type=int, default=2, help="runs side by side (default: 2)")
    parser.add_argument("--runs", type=Path, help="folder in which finished runs are kept and looked for")
    parser.add_argument("--fresh", action="store_true", help="take no kept run")
    parser.add_argument("--out", type=Path, help="folder for tables, series, figures and report")
    return parser


if __name__ == "__main__":
    sys.exit(main())
