"""`hntes data verify`: verifies the lake against the ledger."""

from __future__ import annotations

from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import DAY, json_option, routers_option, with_context
from hntes.format import counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hntes.workflow.context import Context
    from hntes.workflow.reports.lake_check import LakeCheck

_SOME_DAYS = 5


@click.command()
@click.option("--day", type=DAY, default=None, help="Only the parts of this UTC day. Default: all days.")
@routers_option
@json_option
@with_context
def verify(context: Context, day: date | None, router_names: tuple[str, ...], as_json: bool) -> None:
    """Verifies the parts of the lake against the ledger.

    Reads every part and compares its SHA-256 with that of what ingest wrote; parts that are older than the hash are
    compared by records and bytes alone. Detection and measuring do the same before they read. Parts that are gone are
    counted. Exit status 1 if a part is not what was written, or if one is gone of a day that `[retention]` keeps; each
    of the former, and the days of the latter, are named with what to do.
    """
    from hntes.workflow.errors import FAILED
    from hntes.workflow.reports.lake_check import check_lake

    with output.file_progress("verifying") as progress:
        found = check_lake(context, context.chosen(router_names), day, progress)
    output.result(found, _words(found), as_json=as_json)
    for problem in (*found.changed.values(), *_losses(found, str(context.lake))):
        output.note(f"hntes: {problem}")
    if found.changed or found.lost:
        raise click.exceptions.Exit(FAILED)


def _words(found: LakeCheck) -> str:
    words = [f"{counted(found.parts, 'part')} in the ledger", f"{found.hashed} as written by SHA-256"]
    if found.summed:
        words.append(f"{found.summed} older than the hash, as written by records and bytes")
    if pruned := found.gone - found.lost_parts:
        words.append(f"{pruned} gone, of days beyond [retention]")
    if found.lost:
        words.append(f"{found.lost_parts} gone, of days that [retention] keeps")
    words.append(f"{len(found.changed)} damaged or edited")
    return "; ".join(words)


def _losses(found: LakeCheck, lake: str) -> Iterator[str]:
    """What is gone although it is kept, and what to do."""
    if found.lost and found.gone == found.parts:
        yield (
            f"lake {lake}: none of the {counted(found.parts, 'part')} that the ledger has is there; if the lake was "
            "moved, correct `paths.lake`, or copy `flows` and `set_aside` to where it points; if it was lost, "
            "`hntes stage ingest --day DAY` reads a day's flow files again"
        )
        return
    for router, days in groupby(found.lost, key=lambda each: each.router):
        lost = list(days)
        parts, names = sum(each.parts for each in lost), [str(each.day) for each in lost]
        yield (
            f"router {router}: {counted(parts, 'part')} of {listed(names, most=_SOME_DAYS)} "
            f"{'is' if parts == 1 else 'are'} gone from the lake; restore from a copy, or have the flow files read "
            f"again: `hntes stage ingest --router {router} --day {names[0] if len(names) == 1 else 'DAY'}`"
        )
