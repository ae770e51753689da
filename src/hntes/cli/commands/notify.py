"""`hntes change notify`: tells operators what waits for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import json_option, with_context
from hntes.format import counted

if TYPE_CHECKING:
    from hntes.workflow.context import Context


@click.command()
@click.option("--dry-run", is_flag=True, help="Print the message that is due, and send nothing.")
@json_option
@with_context
def notify(context: Context, dry_run: bool, as_json: bool) -> None:
    """Tells operators what happened since the last message: by e-mail, chat or webhook.

    Changes that wait, expire soon or have expired, those that the gate refused, deliveries, drift, a night that was not
    run. One message per call, none without news; a timer calls it every few minutes. [notices] of the settings selects
    the news; HNTES_NOTICE_URLS has the addresses, as Apprise takes them. Exit status 1: a message was not accepted; the
    next call sends it again.
    """
    from hntes.workflow.notices.send import tell

    told = tell(context, sends=not dry_run)
    if as_json:
        output.as_json(told)
    elif told.outcome == "nothing":
        output.note("nothing to tell")
    elif told.outcome == "shown":
        output.line(f"{told.title}\n\n{told.text}")
    elif told.outcome == "too_soon":
        output.note(f"{counted(len(told.notices), 'notice')} wait: the last message was sent a moment ago")
    else:
        output.line(f"sent: {told.title}")
