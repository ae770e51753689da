"""The commands of single stages for a day: ingest, detect, measure, propose."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import click

from hntes.cli import output, stage_output
from hntes.cli.options import DAY, day_with_files, files_day_option, json_option, routers_option, with_context

if TYPE_CHECKING:
    from hntes.workflow.context import Context


@click.command()
@files_day_option
@click.option("--all", "all_files", is_flag=True, help="All files of the folders, whatever their day.")
@routers_option
@json_option
@with_context
def ingest(context: Context, day: date | None, all_files: bool, router_names: tuple[str, ...], as_json: bool) -> None:
    """Reads flow files into the lake: those of a day, or all.

    The files of a day are those that can contain its flows. Exit status 3: a folder failed or a file was set aside;
    the others are read.
    """
    from hntes.etl.errors import LakeAwayError
    from hntes.workflow.errors import FAILED, FINISHED_WITH_PROBLEMS, expected, message
    from hntes.workflow.stages.ingest import ingest as ingest_folder

    reports, failures = [], dict[str, str]()
    with output.file_progress("reading") as progress:
        routers = context.chosen(router_names)
        chosen = None if all_files else day_with_files(context, day, routers)
        if chosen is not None:
            context.require_come(chosen)
        for folder in context.folders(routers):
            try:
                reports.append(ingest_folder(context, folder, chosen, progress))
            except LakeAwayError:  # each of the others would wait for it as long
                raise
            except expected() as problem:
                failures |= {router.name: message(problem) for router in routers if router.flow_folder == folder}
    if as_json:
        output.as_json([report.as_dict() for report in reports])
    else:
        stage_output.print_ingest(reports)
    for name, reason in failures.items():
        output.failed(name, reason)
    if not reports:
        raise click.exceptions.Exit(FAILED)
    if failures or any(report.set_aside for report in reports):
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


@click.command()
@files_day_option
@routers_option
@json_option
@with_context
def detect(context: Context, day: date | None, router_names: tuple[str, ...], as_json: bool) -> None:
    """Finds the alpha flows of a day and checks its data for completeness.

    Uses the flows that are in the lake. Repeating a day replaces its results.
    """
    from hntes.workflow.stages.detect import detect as detect_day

    routers = context.chosen(router_names)
    day = day_with_files(context, day, routers)
    found = {router.name: detect_day(context, router, day) for router in routers}
    if as_json:
        output.as_json(found)
    else:
        stage_output.print_detect(found)


@click.command()
@files_day_option
@routers_option
@json_option
@with_context
def measure(context: Context, day: date | None, router_names: tuple[str, ...], as_json: bool) -> None:
    """Measures the beta load of every interface on a day.

    Uses the flows that are in the lake and the rules as of that day. `hntes nightly` includes it; run it for past days
    in the lake to provide data for `hntes router queue-advice`. Repeating a day replaces its results.
    """
    from hntes.workflow.stages.measure import measure as measure_day

    routers = context.chosen(router_names)
    day = day_with_files(context, day, routers)
    found = {router.name: measure_day(context, router, day) for router in routers}
    if as_json:
        output.as_json(found)
    else:
        stage_output.print_measure(list(found.values()))


@click.command()
@files_day_option
@click.option("--again", "approved_day", type=DAY, default=None, metavar="DAY",
              help="Propose the configuration approved for this day again.")  # fmt: skip
@routers_option
@json_option
@with_context
def propose(
    context: Context, day: date | None, approved_day: date | None, router_names: tuple[str, ...], as_json: bool
) -> None:
    """Renders each router's candidate configuration, its diff and change.

    The candidate has the rules as of the day. `hntes stage judge` then judges it.

    --again rolls back a change: the configuration approved for an earlier day becomes the change of the present
    day, to be judged and approved like any other. It needs a --router. The night of the present day replaces it with
    the rules' configuration, so decide before that.
    """
    from hntes.workflow.review.propose_again import propose_again
    from hntes.workflow.stages.propose import propose as propose_day

    if approved_day is not None and not router_names:
        raise click.UsageError("--again needs a --router")
    routers = context.chosen(router_names)
    if approved_day is None:
        day = day_with_files(context, day, routers)
        found = {router.name: propose_day(context, router, day) for router in routers}
    else:
        found = {router.name: propose_again(context, router, approved_day) for router in routers}
    if as_json:
        output.as_json({name: stage_output.proposed_document(proposed) for name, proposed in found.items()})
    else:
        stage_output.print_propose(list(found.values()))
