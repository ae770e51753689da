"""The command that runs past nights."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from hntes.cli import output
from hntes.cli.options import DAY, json_option, routers_option
from hntes.format import counted


@click.command()
@click.option("--from", "first", type=DAY, required=True, help="First day.")
@click.option("--to", "last", type=DAY, default="yesterday", show_default=True, help="Last day.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    help="Parts at once, as far as processors and memory go.",
)
@click.option(
    "--limit-s",
    type=click.IntRange(1, 86_400),
    default=7200,
    show_default=True,
    help="A day of a folder's files, or of a router's stages, that takes longer is ended and fails alone.",
)
@routers_option
@json_option
@click.pass_context
def backfill(
    ctx: click.Context,
    first: date,
    last: date,
    jobs: int,
    limit_s: int,
    router_names: tuple[str, ...],
    as_json: bool,
) -> None:
    """Runs the nights of past days.

    Ingest and detection run in parallel, proposals in the order of days. Ends in the same state as `hntes nightly` for
    each day in turn; running it again changes nothing. A flow folder that does not answer within a minute, or hangs
    later for --limit-s, fails alone. Exit status 3: something failed for a router and day, a day has no flow file, a
    file was set aside, or the gate did not pass a change; the rest is done.
    """
    from hntes.workflow.context import opened
    from hntes.workflow.errors import FAILED, FINISHED_WITH_PROBLEMS, expected, message
    from hntes.workflow.stages.backfill import days_between, run_backfill

    path: Path | None = ctx.find_root().obj
    try:
        with opened(path) as context:
            days = days_between(first, last, context.last_day)
        done = run_backfill(path, router_names, days, jobs, output.note, limit_s)
    except expected() as problem:
        output.note(f"hntes: {message(problem)}")
        raise click.exceptions.Exit(FAILED) from problem
    if as_json:
        output.as_json(done)
    else:
        files, flows = (
            counted(done.ingested_files, "flow file"),
            counted(done.observations, "alpha flow"),
        )
        changes = counted(done.proposals, "change")
        output.line(f"{counted(len(done.days), 'day')}: {files} read, {flows} found, {changes} proposed")
    for what, reason in sorted((done.noted | done.failures).items()):
        output.note(f"hntes: {what}: {reason}")
    if done.has_problems:
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS if done.proposals else FAILED)
