"""The commands of the stages that are run by themselves for a day: ingest, detect, measure, propose."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import click

from hntes.cli import output, stage_output
from hntes.cli.options import DAY, day_option, json_option, routers_option, with_context

if TYPE_CHECKING:
    from hntes.workflow.context import Context


@click.command()
@day_option
@click.option("--all", "all_files", is_flag=True, help="All files of the folders, whatever their day.")
@routers_option
@json_option
@with_context
def ingest(context: Context, day: date, all_files: bool, router_names: tuple[str, ...], as_json: bool) -> None:
    """Reads flow files into the lake: those of a day, or all.

    Files of a day are those that can hold flows of it. Exit status 3: a file was set aside.
    """
    from hntes.workflow.errors import FINISHED_WITH_PROBLEMS
    from hntes.workflow.stages.ingest import ingest as ingest_folder

    with output.file_progress("reading") as progress:
        folders = context.folders(context.chosen(router_names))
        reports = [ingest_folder(context, folder, None if all_files else day, progress) for folder in folders]
    if as_json:
        output.as_json([report.as_dict() for report in reports])
    else:
        stage_output.print_ingest(reports)
    if any(report.set_aside for report in reports):
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


@click.command()
@day_option
@routers_option
@json_option
@with_context
def detect(context: Context, day: date, router_names: tuple[str, ...], as_json: bool) -> None:
    """Finds the alpha flows of a day, and whether its data is complete.

    It looks at the flows that are in the lake already. Doing a day again replaces what was stored of it.
    """
    from hntes.workflow.stages.detect import detect as detect_day

    found = {router.name: detect_day(context, router, day) for router in context.chosen(router_names)}
    if as_json:
        output.as_json(found)
    else:
        stage_output.print_detect(found)


@click.command()
@day_option
@routers_option
@json_option
@with_context
def measure(context: Context, day: date, router_names: tuple[str, ...], as_json: bool) -> None:
    """Measures the beta load of every interface on a day.

    It looks at the flows that are in the lake already, under the rules as of that day. `hntes nightly` does it every
    night; run it for past days whose flows are in the lake, so that `hntes router queue-advice` has data. Measuring a
    day again replaces what was stored of it.
    """
    from hntes.workflow.stages.measure import measure as measure_day

    found = {router.name: measure_day(context, router, day) for router in context.chosen(router_names)}
    if as_json:
        output.as_json(found)
    else:
        stage_output.print_measure(list(found.values()))


@click.command()
@day_option
@click.option("--again", "approved_day", type=DAY, default=None, metavar="DAY",
              help="Propose the text approved for this day, instead of what the rules give.")  # fmt: skip
@routers_option
@json_option
@with_context
def propose(
    context: Context, day: date, approved_day: date | None, router_names: tuple[str, ...], as_json: bool
) -> None:
    """Renders the candidate configuration of each router, with its diff and change.

    The candidate holds the rules as of the day. `hntes stage judge` then judges it.

    --again takes back a change: the text that was approved for an earlier day becomes the change set of the present
    day, to be judged and approved as any other. It needs a --router. The night that is run for the present day replaces
    it, so decide before; what the rules give is proposed again after that.
    """
    from hntes.workflow.review.propose_again import propose_again
    from hntes.workflow.stages.propose import propose as propose_day

    if approved_day is not None and not router_names:
        raise click.UsageError("--again needs a --router")
    found = {
        router.name: propose_day(context, router, day)
        if approved_day is None
        else propose_again(context, router, approved_day)
        for router in context.chosen(router_names)
    }
    if as_json:
        output.as_json({name: stage_output.proposed_document(proposed) for name, proposed in found.items()})
    else:
        stage_output.print_propose(list(found.values()))
