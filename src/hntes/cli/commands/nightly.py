"""The command that runs a whole night."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

import click

from hntes.cli import output, stage_output
from hntes.cli.interrupt import interrupts
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
    from hntes.workflow.stages.night_words import summary_words, without_files_words, without_records_words

    routers = context.chosen(router_names)
    day = day_with_files(context, day, routers)
    if as_json:
        night = watched_night(context, day, routers)
        output.as_json(stage_output.night_document(night))
    else:
        night = watched_night(context, day, routers, stage_output.NightPrinter().ended)
        output.line("-- night")
        output.line(summary_words(night))
    for name, reason in night.failures.items():
        output.failed(name, reason)
    for name in night.without_files:
        output.note(f"hntes: router {name}: {without_files_words(context, context.settings.router(name), day)}")
    for name in night.without_records:
        output.note(f"hntes: router {name}: {without_records_words(day)}")
    if night.has_problems:
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS if night.proposed else FAILED)


def watched_night(
    context: Context, day: date, routers: list[Router], ended: Callable[[str, StageResult], object] = lambda _, __: None
) -> Night:
    """A whole night with a progress bar, first for the files, then for the simulations.

    `ended` is called with the router and the result of each stage.
    """
    from hntes.workflow.stages.night import run_night

    with output.file_progress("") as bar, interrupts() as stopping:

        def reading(done: int, total: int, path: str) -> None:
            bar(done, total, f"reading {path}")

        def simulating(router: str, share: float) -> None:
            bar(round(100 * share), 100, f"simulating {router}")

        def stage_ended(router: str, result: StageResult) -> None:
            ended(router, result)
            stopping.check()

        return run_night(context, day, routers, reading, simulating, stage_ended)
