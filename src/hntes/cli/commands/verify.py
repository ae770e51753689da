"""`hntes data verify`: verifies the lake against the ledger."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import DAY, json_option, routers_option, with_context
from hntes.format import counted

if TYPE_CHECKING:
    from hntes.workflow.context import Context
    from hntes.workflow.reports.lake_check import LakeCheck


@click.command()
@click.option("--day", type=DAY, default=None, help="Only the parts of this UTC day. Default: all days.")
@routers_option
@json_option
@with_context
def verify(context: Context, day: date | None, router_names: tuple[str, ...], as_json: bool) -> None:
    """Verifies the parts of the lake against the ledger.

    Reads every part and compares its SHA-256 with that of what ingest wrote; parts that are older than the hash are
    compared by records and bytes alone. Detection and measuring do the same before they read. Parts that are gone, such
    as those of pruned days, are counted. Exit status 1 if a part is not what was written; each is named with what to
    do.
    """
    from hntes.workflow.errors import FAILED
    from hntes.workflow.reports.lake_check import check_lake

    with output.file_progress("verifying") as progress:
        found = check_lake(context, context.chosen(router_names), day, progress)
    output.result(found, _words(found), as_json=as_json)
    for problem in found.changed.values():
        output.note(f"hntes: {problem}")
    if found.changed:
        raise click.exceptions.Exit(FAILED)


def _words(found: LakeCheck) -> str:
    words = [f"{counted(found.parts, 'part')} in the ledger", f"{found.hashed} as written by SHA-256"]
    if found.summed:
        words.append(f"{found.summed} older than the hash, as written by records and bytes")
    if found.gone:
        words.append(f"{found.gone} gone: pruned or removed")
    words.append(f"{len(found.changed)} damaged or edited")
    return "; ".join(words)
