"""`hntes audit`: lists and verifies the audit log."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, get_args

import click

from hntes.cli import output
from hntes.cli.options import DAY, FREE_TEXT, json_option, routers_option, with_context
from hntes.sql.entries import AuditKind, outcome_words

if TYPE_CHECKING:
    from hntes.workflow.context import Context

KINDS = get_args(AuditKind)


@click.command()
@routers_option
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, metavar="KIND",
              help=f"Only this kind; may be repeated: {', '.join(KINDS)}.")  # fmt: skip
@click.option("--since", type=DAY, default=None, help="Only events since the start of this UTC day.")
@click.option("--who", type=FREE_TEXT, default=None, help="Only events whose identity, or --who, contains this.")
@click.option("--verify", is_flag=True, help="Verify the whole log instead of listing it.")
@click.option(
    "--expect", "expected", metavar="HASH", default=None, help="With --verify: the log must contain this event."
)
@click.option("--head", is_flag=True, help="Print the newest event's number and hash, for safekeeping elsewhere.")
@json_option
@with_context
def audit(
    context: Context, router_names: tuple[str, ...], kinds: tuple[AuditKind, ...], since: date | None,
    who: str | None, verify: bool, expected: str | None, head: bool, as_json: bool,
) -> None:  # fmt: skip
    """Shows or verifies the audit log.

    A router that has left the settings is named as before. The identity is the operating system's user, or the user
    authenticated by Airflow; the name given with --who is listed next to it. Each event's hash covers the previous
    event, so that --verify finds the first event that was changed, removed or moved (exit status 1). To detect removed
    newest events, keep a hash elsewhere: manifests of deliveries have one, and --head prints one for --expect.
    """
    if head or verify:
        if head and verify:
            raise click.UsageError("--head and --verify exclude each other")
        _print_head(context, as_json) if head else _verify(context, expected, as_json)
        return
    if expected is not None:
        raise click.UsageError("--expect requires --verify")
    _list(context, router_names, kinds, since, who, as_json)


def _list(
    context: Context, router_names: tuple[str, ...], kinds: tuple[AuditKind, ...], since: date | None,
    who: str | None, as_json: bool,
) -> None:  # fmt: skip
    from hntes.format import minute
    from hntes.workflow.reports.audit_queries import audit_listing, known_names

    since_ms = int(datetime(since.year, since.month, since.day, tzinfo=UTC).timestamp()) * 1000 if since else None
    names = known_names(context, router_names) if router_names else None
    found = audit_listing(context, names, kinds, since_ms, who)
    if as_json:
        output.as_json(found)
        return
    output.table(
        ("event", "time (UTC)", "kind", "router", "day", "candidate", "outcome", "identity", "who", "note"),
        [
            (e.number, minute(e.time_ms), e.kind, e.router, e.day, (e.candidate_hash or "")[:12],
             outcome_words(e), e.identity, e.who, e.note)
            for e in found
        ],
        empty="no such event",
    )  # fmt: skip


def _print_head(context: Context, as_json: bool) -> None:
    from hntes.workflow.reports.audit_queries import audit_head

    newest = audit_head(context)
    if as_json:
        output.as_json({"event": newest.number if newest else 0, "hash": newest.hash if newest else ""})
    else:
        output.line(f"{newest.number} {newest.hash}" if newest else "0")


def _verify(context: Context, expected: str | None, as_json: bool) -> None:
    from hntes.format import counted
    from hntes.workflow.audit_checks import verify_audit
    from hntes.workflow.errors import FAILED

    found = verify_audit(context, expected)
    if as_json:
        output.as_json(found)
    elif found.problem is None:
        output.line(f"the audit log is intact: {counted(found.events, 'event')}, newest hash {found.head}")
    if found.problem is not None:
        output.note(f"hntes: {found.problem}")
        raise click.exceptions.Exit(FAILED)
