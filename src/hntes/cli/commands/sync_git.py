"""`hntes change sync-git`: changes as branches that a merge approves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import json_option, with_context

if TYPE_CHECKING:
    from hntes.workflow.context import Context


@click.command()
@json_option
@with_context
def sync_git(context: Context, as_json: bool) -> None:
    """Publishes waiting changes as branches of a git repository, and approves merged ones.

    For [git] approve_by_merge of the settings. A change that the gate passed gets a branch with its text and evidence,
    on the branch of deliveries; once it is merged there, the next call approves it in the name that `committers` has
    for the merge's author, who signed it. All other requirements of an approval hold. A timer calls this every few
    minutes. Exit status 4: a change was refused, with the reason.
    """
    from hntes.workflow.delivery.git_review import sync_changes
    from hntes.workflow.errors import REFUSED

    found = sync_changes(context)
    if as_json:
        output.as_json(found)
    else:
        output.table(
            ("router", "day", "outcome", "branch", "detail"),
            [(each.change.router, each.change.day, each.outcome, each.branch, each.detail) for each in found],
            empty="no change waits",
        )
    if any(each.outcome == "refused" for each in found):
        raise click.exceptions.Exit(REFUSED)
