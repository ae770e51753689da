"""The commands that remove data for good: forget and prune."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import SafePath, json_option, with_context
from hntes.format import counted

if TYPE_CHECKING:
    from hntes.workflow.context import Context


@click.command()
@click.option("--folder", type=SafePath(path_type=Path), required=True, help="The folder, as `hntes check` names it.")
@with_context
def forget_folder(context: Context, folder: Path) -> None:
    """Forgets the files of a flow folder that no router has any more.

    They leave the ledger and the lake. What was found in them (alpha flows, days, loads) stays, and so do the flow
    files.
    """
    from hntes.workflow.stages.flow_folders import forget_folder as forget

    done = forget(context, Path(os.path.normpath(Path.cwd() / folder)))
    files, parts = counted(done.files, "flow file"), counted(done.removed_parts, "part")
    output.line(f"forgotten: {files} of {folder}, {parts} of the lake")


@click.command()
@click.option("--dry-run", is_flag=True, help="Only print what would go.")
@json_option
@with_context
def prune(context: Context, dry_run: bool, as_json: bool) -> None:
    """Deletes data older than the limits in [retention].

    Lake days, reports, candidates that were never approved, and kept simulations; by default nothing. Whatever is in
    force, was ever approved, or waits stays, and so do the days that ageing may need again. Flow files are not touched.
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
        ("what", "files", "MB", "up to"),
        [(one.what, len(one.files), f"{one.size_bytes / 1e6:.1f}", one.until_day or "kept") for one in found],
    )
    if dry_run:
        output.line("nothing was removed (--dry-run)")
