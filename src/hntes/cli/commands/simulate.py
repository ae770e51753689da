"""`hntes simulate`: a scenario file of the user, or two side by side."""

from dataclasses import asdict
from pathlib import Path

import click

from hntes.cli import output
from hntes.cli.options import SafePath, json_option
from hntes.cli.run_comparison import compared, comparison_words
from hntes.cli.run_words import flow_words, queue_words
from hntes.cli.runs import ends_well, engine_option, following, fresh_option, kept_runs, runs_option
from hntes.simulator.results import EngineName, RunResult
from hntes.simulator.runs.files import prepare_folder
from hntes.simulator.runs.pool import run_all
from hntes.simulator.runs.tables import totals, window_rows
from hntes.simulator.runs.task import FinishedRun, RunTask
from hntes.simulator.steadiness.sensitivity import sensitive_measures
from hntes.simulator.testbed.scenario_file import read_scenario
from hntes.workflow.errors import CommandError

# What `sensitive_measures` names, in words.
MEASURES = {"tcp": "TCP throughput", "udp": "UDP throughput", "delay_ms": "mean delay", "loss_points": "loss"}


@click.command()
@click.argument("scenario", type=SafePath(exists=True, dir_okay=False, path_type=Path), metavar="SCENARIO.toml|json")
@click.argument("other", type=SafePath(exists=True, dir_okay=False, path_type=Path), metavar="[OTHER]", required=False)
@engine_option
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Overrides the scenario's seed.")
@click.option("--out", type=SafePath(file_okay=False, path_type=Path), help="Folder for totals, series and a figure.")
@runs_option
@fresh_option
@json_option
@ends_well
def simulate(
    scenario: Path,
    other: Path | None,
    engine: EngineName,
    seed: int | None,
    out: Path | None,
    runs_folder: Path | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Simulates a scenario file: hosts, routers, links, queues, conditioners and flows.

    Two files are both run and shown side by side with their differences. Omitted TCP, host and router parameters
    default to those of the published testbed. docs/how-to/simulate.md explains the keys, with an example to start from.

    \b
      hntes simulate two-queues.toml                    totals of flows and queues
      hntes simulate two-queues.toml --seed 7 --out r   series and a figure
      hntes simulate one.toml other.toml --out r        both side by side

    The same scenario and seed always give the same result. Exit status: 0 done, 1 failed or invalid (the message names
    the key), 130 stopped by Ctrl-C.
    """
    tasks = [_task(each, engine, seed) for each in (scenario, other) if each is not None]
    if out is not None:
        prepare_folder(out)
    with following(tasks) as observer:
        runs = run_all(tasks, jobs=1, store=kept_runs(runs_folder, fresh), observer=observer)
    if other is not None:
        _print_both(
            [(path.stem, _result(run)) for path, run in zip((scenario, other), runs, strict=True)], out, as_json
        )
    else:
        _print(_result(runs[0]), out, as_json)
    for task, run in zip(tasks, runs, strict=True):
        _warn_if_unsteady(task, run)


def _task(path: Path, engine: EngineName, seed: int | None) -> RunTask:
    read = read_scenario(path, seed)
    return RunTask(f"{path.name} seed {read.seed}", read, engine)


def _result(run: FinishedRun) -> RunResult:
    if run.result is None:
        raise CommandError(f"{run.task.name}: the engine does not apply: {run.not_applicable}")
    return run.result


def _warn_if_unsteady(task: RunTask, run: FinishedRun) -> None:
    if task.engine == "fluid" and run.result is not None and (moved := sensitive_measures(task.scenario, run.result)):
        output.note(
            f"note: {task.name}: with lost retransmissions, or buffers or delays changed by 2 %, the fluid engine"
            f" gives a different {' and '.join(MEASURES[name] for name in moved)}; use --engine packet"
        )


def _print_both(runs: list[tuple[str, RunResult]], out: Path | None, as_json: bool) -> None:
    """Both runs side by side; their names are those of their files."""
    (name, first), (other_name, second) = runs
    rows = compared(first, second)
    document = [asdict(row) | {"difference": row.difference} for row in rows]
    if out is not None:
        from hntes.simulator.runs.folder import write_comparison_folder  # late, as below

        write_comparison_folder(runs, document, out)
    if as_json:
        output.as_json({"first": totals(first), "second": totals(second), "comparison": document})
        return
    same = name == other_name
    table = comparison_words(rows, f"{name} (1)" if same else name, f"{other_name} (2)" if same else other_name)
    output.table(table.columns, table.rows)
    output.line()
    output.line(f"{first.duration_s:g} s and {second.duration_s:g} s simulated")
    if out is not None:
        output.line(f"figure: {out / 'figure.svg'}")


def _print(result: RunResult, out: Path | None, as_json: bool) -> None:
    if out is not None:
        from hntes.simulator.runs.folder import write_run_folder  # late: Matplotlib takes a second to load

        write_run_folder(result, out)
    if as_json:
        output.as_json(totals(result))
        return
    for table in (flow_words(result), queue_words(result)):
        if table.rows:
            output.table(table.columns, table.rows)
            output.line()
    if rows := window_rows(result):
        used = [name for name in rows[0] if any(row[name] is not None for row in rows)] if rows else []
        output.table(used, [[_shown(row[name]) for name in used] for row in rows])
        output.line()
    output.line(f"{result.duration_s:g} s simulated; trace {result.trace_hash}")
    if out is not None:
        output.line(f"figure: {out / 'figure.svg'}")


def _shown(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else value
