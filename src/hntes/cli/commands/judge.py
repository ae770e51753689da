"""The command of the stage judge, for a change's candidate or any configuration file."""

from __future__ import annotations

from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hntes.cli import output, stage_output
from hntes.cli.options import DAY, SafePath, json_option, routers_option, with_context
from hntes.platforms.registry import installed_platforms

if TYPE_CHECKING:
    from hntes.settings.model import Router
    from hntes.workflow.context import Context
    from hntes.workflow.stages.judge import JudgedText


@click.command()
@routers_option
@click.option("--day", type=DAY, default=None, help="Day of the change. Default: the latest.")
@click.option(
    "--file", "path", type=SafePath(path_type=Path, exists=True, dir_okay=False),
    help="Judge this file as if it were --router's configuration; nothing is stored.",
)  # fmt: skip
@click.option(
    "--platform",
    type=click.Choice(installed_platforms()),
    default=None,
    help="Platform of --file. Default: the router's.",
)
@click.option("--out", type=SafePath(path_type=Path, file_okay=False), help="Folder for the report of --file.")
@json_option
@with_context
def judge(
    context: Context, router_names: tuple[str, ...], day: date | None, path: Path | None, platform: str | None,
    out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Judges a configuration's effect on traffic by simulating its text.

    Parses the configuration and runs the published testbed experiments through the ports that it configures. Only
    configuration that passed all criteria can be approved. Exit status 3: a criterion did not pass.
    """
    from hntes.workflow.errors import FINISHED_WITH_PROBLEMS

    if path is not None:
        judged = [_judge_file(context, router_names, day, path, platform, out)]
    elif platform is not None or out is not None:
        raise click.UsageError("--platform and --out require --file")
    else:
        judged = _judge_changes(context, context.chosen(router_names), day)
    if as_json:
        output.as_json([stage_output.judged_document(each) for each in judged])
    else:
        stage_output.print_judge(judged)
    if not all(each.is_passing for each in judged):
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


def _judge_changes(context: Context, routers: list[Router], day: date | None) -> list[JudgedText]:
    from hntes.workflow.change_lookup import find_change
    from hntes.workflow.stages.judge import judge as judge_change
    from hntes.workflow.stages.judge import lab_of

    lab, judged = lab_of(context), []
    for router in routers:
        entry = find_change(context, router, day)
        with output.share_progress() as progress:
            simulating = partial(progress, f"simulating {router.name}")
            judged.append(judge_change(context, router, entry.day, lab=lab, progress=simulating))
    return judged


def _judge_file(
    context: Context,
    names: tuple[str, ...],
    day: date | None,
    path: Path,
    platform: str | None,
    out: Path | None,
) -> JudgedText:
    from hntes.workflow.stages.judge import TextFile, judge_file

    if len(names) != 1:
        raise click.UsageError("--file needs exactly one --router, for its interfaces, plan and pairs")
    (router,) = context.chosen(names)
    with output.share_progress() as progress:
        simulating = partial(progress, f"simulating {path.name}")
        return judge_file(context, router, day, TextFile(path, platform), out, simulating)
