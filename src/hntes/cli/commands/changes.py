"""The commands that list and show changes."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import click

from hntes.cli import change_view, completion, output
from hntes.cli.change_options import digits_of, latest_day
from hntes.cli.options import json_option, one_router_option, routers_option, with_context

if TYPE_CHECKING:
    from hntes.workflow.context import Context
    from hntes.workflow.review.pair_groups import Group


@click.command()
@routers_option
@click.option("--all", "every", is_flag=True, help="Include decided, superseded and empty ones.")
@click.option("--days", type=click.IntRange(1), default=None,
              help="Only the latest DAYS days with changes. Default: all.")  # fmt: skip
@json_option
@with_context
def changes(context: Context, router_names: tuple[str, ...], every: bool, days: int | None, as_json: bool) -> None:
    """Lists the changes that wait for a decision.

    Then lists routers whose approved configuration is not verified to run: what was approved, delivered and verified;
    see `hntes router loaded`.
    """
    from hntes.rules.changeset.wording import in_one_line
    from hntes.workflow.review.changes import listed_changes
    from hntes.workflow.review.status import router_progress
    from hntes.workflow.review.status_words import progress

    routers = context.chosen(router_names)
    found = listed_changes(context, routers, only_pending=not every, days=days)
    if as_json:
        output.as_json([change_view.document(listed) for listed in found])
        return
    output.table(
        ("router", "day", "state", "candidate", "data", "gate", "what"),
        [
            (e.router, e.day, listed.standing, e.candidate_hash[:12], "complete" if e.data_complete else "INCOMPLETE",
             listed.gate, "; ".join(filter(None, (in_one_line(e, listed.effect), progress(listed)))))
            for e, listed in ((listed.change, listed) for listed in found)
        ],
        empty="no change" if every else "no change waits for a decision; --all lists the others",
    )  # fmt: skip
    for router in routers:
        texts = router_progress(context, router)
        if not texts.is_confirmed:
            for text in texts.lines:
                output.line(text)


@click.command()
@one_router_option("The router. Default: that of the change that waits for a decision.")
@latest_day
@click.option("--hash", "digits", help="Its candidate's hash, the first 6 digits or more.",
              shell_complete=completion.hashes)  # fmt: skip
@click.option("--diff/--no-diff", default=True, help="With or without the diff of the two configurations.")
@click.option("--transition", "with_transition", is_flag=True,
              help="Also the commands from the last delivered configuration.")  # fmt: skip
@click.option("--by", type=click.Choice(["site", "source", "destination", "owner", "reason"]), default=None,
              help="Also its pairs in groups, with their sums.")  # fmt: skip
@json_option
@with_context
def show(
    context: Context, router_name: str | None, day: date | None, digits: str | None, diff: bool, with_transition: bool,
    by: Group | None, as_json: bool,
) -> None:  # fmt: skip
    """Shows one change: its pairs, the gate's verdict, the diff.

    Lists added and removed pairs with reasons, the verdict with one line per measure, the diff of the configurations,
    and for a pending change the commands that decide it. On a terminal the diff is coloured (unless NO_COLOR is set),
    and long output goes through $PAGER.

    --by sums the alpha traffic of added, removed and kept pairs by named site, by source or destination in prefixes of
    /16 (IPv6: /32), by owner (of pins, of reservations, announced), or by reason.
    """
    from hntes.workflow.change_lookup import chosen_change
    from hntes.workflow.review import words
    from hntes.workflow.review.pair_bytes import pair_sums, pairs_with_bytes
    from hntes.workflow.review.pair_groups import group_names, grouped
    from hntes.workflow.review.view import review_view
    from hntes.workflow.transitions import transition_to

    change = chosen_change(context, router_name, digits and digits_of(digits), day)
    router = context.settings.router(change.router)
    seen = review_view(context, router, change)
    pairs = pairs_with_bytes(context, router, seen)
    sums = pair_sums(pairs)
    groups = grouped(pairs, by, group_names(context, router, pairs, change.day, by)) if by else ()
    leading = transition_to(context, router, seen.change).text if with_transition else ""
    if as_json:
        output.as_json(
            change_view.full_document(seen, diff=diff)
            | {"pair_sums": sums}
            | ({"pair_groups": change_view.groups_document(by, groups)} if by else {})
            | ({"transition": leading} if with_transition else {})
        )
        return
    parts = [output.prose(f"{change_view.text(seen)}\n{words.sums_words(sums)}")]
    if by:
        parts.append(output.table_text(change_view.GROUPS_HEAD, change_view.group_rows(groups, sums)))
    if diff:
        parts.append(output.difference(seen.difference))
    if with_transition:
        parts.append(output.safe(leading.rstrip()))
    output.paged("\n\n".join(parts))
    if seen.change.state == "pending":
        output.line(f"\n{change_view.next_commands(seen)}")
