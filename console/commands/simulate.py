"""`hntes simulate`: a scenario of the user's own."""

from pathlib import Path

import click

from console import output
from console.options import SafePath, json_option
from console.run_words import flow_words, queue_words
from console.runs import ends_well, engine_option, following, fresh_option, kept_runs, runs_option
from pipeline.errors import CommandError
from simulator.engine import ScenarioError, check
from simulator.results import EngineName
from simulator.runs.files import prepare_folder
from simulator.runs.pool import run_all
from simulator.runs.tables import totals, window_rows
from simulator.runs.task import FinishedRun, RunTask
from simulator.steadiness.unsteady import unsteady
from simulator.testbed.scenario_file import located, read_scenario

# What `unsteady` names, in words.
MEASURES = {"tcp": "TCP throughput", "udp": "UDP throughput", "delay_ms": "mean delay", "loss_points": "loss"}


@click.command()
@click.argument("scenario", type=SafePath(exists=True, dir_okay=False, path_type=Path), metavar="SCENARIO.toml|json")
@engine_option
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="In place of the scenario's seed.")
@click.option("--out", type=SafePath(file_okay=False, path_type=Path), help="Folder for totals, series and a figure.")
@runs_option
@fresh_option
@json_option
@ends_well
def simulate(
    scenario: Path,
    engine: EngineName,
    seed: int | None,
    out: Path | None,
    runs_folder: Path | None,
    fresh: bool,
    as_json: bool,
) -> None:
    """Runs a scenario of your own: hosts, routers, links, queues, conditioners and flows from a file.

    What the file leaves out (TCP, host and router parameters) is as in the published testbed. docs/how-to/simulate.md
    explains the keys, with an example to start from.

    \b
      hntes simulate two-queues.toml                   totals of flows and queues
      hntes simulate two-queues.toml --seed 7 --out r  also series as Parquet and a figure

    The same scenario and seed give the same result, always. Exit status: 0 done, 1 failed or not sound (the message
    names the key), 130 stopped by Ctrl-C.
    """
    read = read_scenario(scenario, seed)
    try:
        check(read)
    except ScenarioError as error:
        raise ScenarioError(located(scenario, error)) from error
    if out is not None:
        prepare_folder(out)
    task = RunTask(f"{scenario.name} seed {read['seed']}", read, engine)
    with following([task]) as observer:
        (run,) = run_all([task], jobs=1, store=kept_runs(runs_folder, fresh), observer=observer)
    _print(run, out, as_json)
    if engine == "fluid" and run.result is not None and (moved := unsteady(read, run.result)):
        output.note(
            "note: with bad luck, or buffers or delays of 2 % more or less, the fluid engine gives another"
            f" {' and '.join(MEASURES[name] for name in moved)}; let --engine packet decide"
        )


def _print(run: FinishedRun, out: Path | None, as_json: bool) -> None:
    if run.result is None:
        raise CommandError(f"{run.task.name}: the engine does not apply: {run.not_applicable}")
    if out is not None:
        from simulator.runs.folder import write_run_folder  # late: Matplotlib takes a second to load

        write_run_folder(run.result, out)
    if as_json:
        output.as_json(totals(run.result))
        return
    for table in (flow_words(run.result), queue_words(run.result)):
        if table.rows:
            output.table(table.columns, table.rows)
            output.line()
    if rows := window_rows(run.result):
        used = [name for name in rows[0] if any(row[name] is not None for row in rows)] if rows else []
        output.table(used, [[_shown(row[name]) for name in used] for row in rows])
        output.line()
    output.line(f"{run.result.duration_s:g} s simulated; trace {run.result.trace_hash}")
    if out is not None:
        output.line(f"figure: {out / 'figure.svg'}")


def _shown(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else value
