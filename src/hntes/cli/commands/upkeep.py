"""The commands that delete data permanently: forget-folder and prune."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import SafePath, json_option, with_context
from hntes.format import counted, data_size

if TYPE_CHECKING:
    from hntes.workflow.context import Context


@click.command()
@click.option("--folder", type=SafePath(path_type=Path), required=True, help="The folder, as listed by `hntes check`.")
@json_option
@with_context
def forget_folder(context: Context, folder: Path, as_json: bool) -> None:
    """Forgets the files of a flow folder that no router uses any more.

    Removes them from the ledger and the lake. Results (alpha flows, days, loads) and the flow files stay.
    """
    from hntes.workflow.stages.forget_folder import forget_folder as forget

    done = forget(context, Path(os.path.normpath(Path.cwd() / folder)))
    files, parts = counted(done.files, "flow file"), counted(done.removed_parts, "part")
    output.result(done, f"forgotten: {files} of {folder}, {parts} of the lake", as_json=as_json)


@click.command()
@click.option("--dry-run", is_flag=True, help="Only print what would be deleted.")
@json_option
@with_context
def prune(context: Context, dry_run: bool, as_json: bool) -> None:
    """Deletes data older than the limits in [retention].

    Deletes lake days, reports, candidates that were never approved, and cached simulations; by default nothing. Keeps
    configuration that is pending, in force or was ever approved, and the days needed for ageing. Flow files are kept.
    """
    from hntes.workflow.reports.prune import prunable
    from hntes.workflow.reports.prune import prune as remove

    found = prunable(context)
    if not dry_run:
        remove(context, found)
    if as_json:
        output.as_json(found)
        return
    output.table(
        ("what", "files", "size", "up to"),
        [(one.what, one.count, data_size(one.size_bytes), one.until_day or "kept") for one in found],
    )
    if dry_run:
        output.line("nothing was removed (--dry-run)")
