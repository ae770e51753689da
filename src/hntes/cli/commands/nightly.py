"""The command that runs a whole night."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

import click

from hntes.cli import output, stage_output
from hntes.cli.options import day_with_files, files_day_option, json_option, routers_option, with_context

if TYPE_CHECKING:
    from hntes.settings.model import Router
    from hntes.workflow.context import Context
    from hntes.workflow.stages.night import Night, StageResult


@click.command()
@files_day_option
@routers_option
@json_option
@with_context
def nightly(context: Context, day: date | None, router_names: tuple[str, ...], as_json: bool) -> None:
    """Runs a night: the stages from ingest to judge.

    Reads the day's flow files, finds alpha flows, measures the load, proposes each router's change and judges it by
    simulation. Running a day again, or after a crash, ends in the same state. Nothing is sent to routers: `hntes change
    list` lists the changes that wait for a decision. A change that does not pass the gate cannot be approved; the
    configuration in force stays. A timer gives --day yesterday, so that a collector that stopped is noticed.

    Exit status 3: a router failed, has no flow file of the day or none of its records was used, a file was set aside,
    or a change did not pass; the others are done.
    """
    from hntes.workflow.errors import FAILED, FINISHED_WITH_PROBLEMS

    routers = context.chosen(router_names)
    day = day_with_files(context, day, routers)
    if as_json:
        night = watched_night(context, day, routers)
        output.as_json(stage_output.night_document(night))
    else:
        night = watched_night(context, day, routers, stage_output.NightPrinter().ended)
    for name, reason in night.failures.items():
        output.failed(name, reason)
    for name in night.without_files:
        output.note(f"hntes: router {name}: {_without_files(context, context.settings.router(name), day)}")
    for name in night.without_records:
        output.note(
            f"hntes: router {name}: no record in its flow files of {day} could be used; `hntes data files` says what "
            "became of them"
        )
    if night.has_problems:
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS if night.proposed else FAILED)


def _without_files(context: Context, router: Router, day: date) -> str:
    """What is missing, and where the files are."""
    from hntes.workflow.newest_day import days_with_files

    folder = router.flow_folder
    found = days_with_files(context, folder)
    if not found:
        return f"no flow file of {day} in {folder}, nor of any other day; does the collector write there?"
    whole = f"{found[0]}" if len(found) == 1 else f"{len(found)} days from {found[0]} to {found[-1]}"
    missing = f"no flow file of {day} in {folder}; does the collector write there?"
    return f"{missing} It has files of {whole}: --day {found[-1]}"


def watched_night(
    context: Context, day: date, routers: list[Router], ended: Callable[[str, StageResult], object] = lambda _, __: None
) -> Night:
    """A whole night with a progress bar, first for the files, then for the simulations.

    `ended` is called with the router and the result of each stage.
    """
    from hntes.workflow.stages.night import run_night

    with output.file_progress("") as bar:

        def reading(done: int, total: int, path: str) -> None:
            bar(done, total, f"reading {path}")

        def simulating(router: str, share: float) -> None:
            bar(round(100 * share), 100, f"simulating {router}")

        return run_night(context, day, routers, reading, simulating, ended)
