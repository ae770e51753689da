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
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Routers at once, as far as processors and memory go.",
)
@click.option(
    "--limit-s",
    type=click.IntRange(1, 86_400),
    default=7200,
    show_default=True,
    help="With --jobs: a folder's files, or a router's stages, that take longer are ended and fail alone.",
)
@json_option
@with_context
def nightly(
    context: Context, day: date | None, router_names: tuple[str, ...], jobs: int, limit_s: int, as_json: bool
) -> None:
    """Runs a night: the stages from ingest to judge.

    Reads the day's flow files, finds alpha flows, measures the load, proposes each router's change and judges it by
    simulation. With --jobs routers run side by side, each from its files to its judged change, and one that hangs
    holds up no other. Running a day again, or after a crash, ends in the same state. Nothing is sent to routers:
    `hntes change list` lists the changes that wait for a decision. A change that does not pass the gate cannot be
    approved; the configuration in force stays. A timer gives --day yesterday, so that a collector that stopped is
    noticed.

    Exit status 3: a router failed, has no flow file of the day, or none of its records could be used; a file
    was set aside; or a change did not pass. The others are done.
    """
    from hntes.workflow.errors import FAILED, FINISHED_WITH_PROBLEMS
    from hntes.workflow.stages.night_words import summary_words, without_files_words, without_records_words

    routers = context.chosen(router_names)
    day = day_with_files(context, day, routers)

    def run(ended: Callable[[str, StageResult], object] = lambda _, __: None) -> Night:
        if jobs == 1:
            return watched_night(context, day, routers, ended)
        return _watched_jobs(context, day, routers, (jobs, limit_s), ended)

    if as_json:
        night = run()
        output.as_json(stage_output.night_document(night))
    else:
        night = run(stage_output.NightPrinter().ended)
        output.line("-- night")
        output.line(summary_words(night))
    for name, reason in night.failures.items():
        output.failed(name, reason)
    for name, words in without_files_words(context, night.without_files, day).items():
        output.note(f"hntes: router {name}: {words}")
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


def _watched_jobs(
    context: Context, day: date, routers: list[Router], bounds: tuple[int, int],
    ended: Callable[[str, StageResult], object],
) -> Night:  # fmt: skip
    """A whole night of up to `bounds[0]` routers at once, each within `bounds[1]` seconds, with a progress bar."""
    from hntes.workflow.stages.night_jobs import run_night_jobs

    with output.file_progress("") as bar, interrupts() as stopping:

        def stage_ended(router: str, result: StageResult) -> None:
            ended(router, result)
            stopping.check()

        return run_night_jobs(context, day, routers, *bounds, progress=bar, ended=stage_ended)
