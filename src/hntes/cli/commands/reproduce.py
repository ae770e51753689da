"""`hntes reproduce`: runs the published experiments and compares the results with the published values."""

from collections.abc import Sequence
from math import ceil
from pathlib import Path

import click

from hntes.cli import output
from hntes.cli.options import SafePath, json_option
from hntes.cli.runs import ends_well, engine_option, following, fresh_option, jobs_option, kept_runs, runs_option
from hntes.format import counted
from hntes.papers.reproduction import Reproduction, parse_selections
from hntes.papers.reproduction import reproduce as reproduce_selections
from hntes.papers.reproduction.catalogue import PAPERS
from hntes.papers.reproduction.reproduce import PlannedCase, plan
from hntes.papers.reproduction.rows import HEADER, cells_of_row, closing_lines, counts, rows_of
from hntes.papers.reproduction.selection import ALL
from hntes.papers.reproduction.sensitivity import Effect, PlannedStudy, plan_study, run_study
from hntes.papers.reproduction.sensitivity_table import HEADER as SENSITIVITY_HEADER
from hntes.papers.reproduction.sensitivity_table import row_of, summary
from hntes.simulator.results import EngineName
from hntes.simulator.runs.cost import PKTS_PER_CPU_S, expected_pkts
from hntes.simulator.runs.files import prepare_folder
from hntes.simulator.runs.store import RunStore
from hntes.workflow.errors import FINISHED_WITH_PROBLEMS


@click.command()
@click.argument("experiments", nargs=-1, metavar="[EXPERIMENT]...")
@click.option("--paper", type=click.Choice([*PAPERS, ALL]), default="hntes", show_default=True,
              help="Whose experiments.")  # fmt: skip
@engine_option
@click.option("--seeds", type=click.IntRange(1, 1000), default=5, show_default=True,
              help="Maximum number of seeds of random experiments; the median counts.")  # fmt: skip
@click.option("--quick", is_flag=True, help="One run each: --seeds 1.")
@jobs_option
@runs_option
@fresh_option
@click.option("--out", type=SafePath(file_okay=False, path_type=Path),
              help="Folder for report, tables, series and figures.")  # fmt: skip
@click.option("--sensitivity", is_flag=True,
              help="Also vary the parameters that each paper leaves open, with one seed.")  # fmt: skip
@click.option(
    "--list", "only_list", is_flag=True, help="List experiments and configurations with their cost; run nothing."
)
@json_option
@ends_well
def reproduce(
    experiments: tuple[str, ...],
    paper: str,
    engine: EngineName,
    seeds: int,
    quick: bool,
    jobs: int,
    runs_folder: Path | None,
    fresh: bool,
    out: Path | None,
    sensitivity: bool,
    only_list: bool,
    as_json: bool,
) -> None:
    """Runs published experiments in the simulator and compares every published value.

    EXPERIMENT is an experiment of the paper or a part of one: 3/2-queues, 3/2-queues/udp-1. Default: all, with all
    configurations. The paper that HNTES is based on has experiments 1 to 7.

    
      hntes reproduce --list                        experiments and run times
      hntes reproduce --paper all --out var/all     all papers and a summary
      hntes reproduce 4 --quick                     one experiment, one run each
      hntes reproduce 3 6 --out var/reproduced      report, tables, figures
      hntes reproduce --paper laatu --sensitivity   what assumptions decide

    A value is reproduced if it is within the tolerance of its kind. Finished runs are cached: Ctrl-C stops within a
    second, and the same command resumes from there. Needs no settings file.

    Exit status: 0 every judged value reproduced, 3 at least one missed, 1 failed, 130 stopped by Ctrl-C.
    """
    selections, seeds = parse_selections(experiments, paper), 1 if quick else seeds
    planned = plan(selections, engine, seeds)
    if only_list:
        _list(planned, as_json)
        return
    study = plan_study(selections, engine) if sensitivity else None
    if out is not None:
        prepare_folder(out)
    store = kept_runs(runs_folder, fresh)
    with following([task for case in planned for task in case.tasks]) as observer:
        result = reproduce_selections(selections, engine=engine, seeds=seeds, jobs=jobs, store=store, observer=observer)
    _report(result, _run_study(study, jobs, store) if study else [], out, as_json)
    if result.missed:
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


def _list(planned: list[PlannedCase], as_json: bool) -> None:
    columns = ("paper", "experiment", "configuration", "variant", "runs", "expected_pkts")
    rows = [
        (
            one.paper.name,
            one.case.experiment_name,
            one.case.configuration,
            one.case.variant,
            len(one.tasks),
            round(sum(expected_pkts(task.scenario) for task in one.tasks)),
        )
        for one in planned
    ]
    if as_json:
        output.as_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    output.table((*columns[:5], "max CPU s"), [(*row[:5], ceil(row[5] / PKTS_PER_CPU_S)) for row in rows])
    titles = {(one.paper.name, one.case.experiment_name): one.paper.experiments for one in planned}
    for (paper, name), experiments in titles.items():
        output.line(f"{paper} {name}: {experiments[name]}")
    runs, pkts = sum(row[4] for row in rows), sum(row[5] for row in rows)
    output.line(
        f"{counted(runs, 'run')}, about {ceil(pkts / PKTS_PER_CPU_S / 60)} CPU min at most with the packet engine"
    )


def _run_study(study: PlannedStudy, jobs: int, store: RunStore) -> list[Effect]:
    with following(study.runs()) as observer:
        return run_study(study, jobs=jobs, store=store, observer=observer)


def _report(result: Reproduction, effects: Sequence[Effect], out: Path | None, as_json: bool) -> None:
    """Writes the report, if there is a folder for it, and prints what was found."""
    if out is not None:
        from hntes.papers.reproduction.write import write_reproduction  # late: Matplotlib takes a second to load

        write_reproduction(result, out, effects)
    _print(result, effects, out, as_json)


def _print(result: Reproduction, effects: Sequence[Effect], out: Path | None, as_json: bool) -> None:
    rows = rows_of(result)
    if as_json:
        about = {"engine": result.engine, "engine_version": result.engine_version, "seeds": result.seeds}
        study = [dict(zip(SENSITIVITY_HEADER, row_of(effect), strict=True)) for effect in effects]
        more = {"sensitivity": study} if effects else {}
        output.as_json({**about, "counts": counts(rows), "cells": rows, **more, "out": out})
        return
    output.table(HEADER, [cells_of_row(row) for row in rows])
    for cause in dict.fromkeys(row.cause for row in rows if row.verdict == "not applicable"):
        output.line(cause)
    for line in closing_lines(rows):
        output.line(line)
    if effects:
        output.table(SENSITIVITY_HEADER, list(map(row_of, effects)))
        output.line(summary(effects))
    if out is not None:
        output.line(f"report: {out / 'report.html'}")
