"""The commands on overrides of operators: pins and exclusions."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import DAY, FREE_TEXT, json_option, one_router_option, router_option, with_context
from hntes.format import counted, gbps, long_gigabytes, rfc3339

if TYPE_CHECKING:
    from hntes.workflow.context import Context
    from hntes.workflow.review.overrides import Side
    from hntes.workflow.review.preview import RouterPreview

# Stored for an exclusion on all routers; no router can have this name.
ALL_ROUTERS = "*"
SOME_HOSTS = 3

_pair = click.argument("pair", metavar="'SOURCE>DESTINATION'")
_owner = click.option("--owner", type=FREE_TEXT, required=True, help="Who is responsible.")
_reason = click.option("--reason", type=FREE_TEXT, required=True, help="Reason, one sentence.")
_from_day = click.option(
    "--from-day", type=DAY, default="yesterday", show_default=True, help="First day of flows that it applies to."
)
_dry_run = click.option("--dry-run", is_flag=True, help="Store nothing; show affected pairs, hosts and reservations.")
_scope = one_router_option("Default: all routers.", default=ALL_ROUTERS)
_side = click.option(
    "--side",
    type=click.Choice(["source", "destination", "either"]),
    default="either",
    show_default=True,
    help="Which of a pair's prefixes must overlap the excluded one.",
)


@click.group()
def pin() -> None:
    """Pins prefix pairs so that they never age out."""


@pin.command("add")
@_pair
@router_option
@_owner
@_reason
@_from_day
@click.option("--until", "expires_day", type=DAY, default=None, help="Last day. Default: until withdrawn.")
@_dry_run
@json_option
@with_context
def pin_add(
    context: Context, pair: str, router_name: str, owner: str, reason: str, from_day: date, expires_day: date | None,
    dry_run: bool, as_json: bool,
) -> None:  # fmt: skip
    """Pins a pair, so that it never ages out.

    \b
      hntes override pin add '198.18.10.0/24>203.0.113.0/24' --router r1 \\
        --owner anna --reason 'weekly copy'
    """
    from hntes.workflow.review.overrides import PinEntry, add_pin, split_pair

    if dry_run:
        from hntes.workflow.review.preview import preview_pin

        entry = PinEntry(router_name, *split_pair(pair), owner, reason, from_day, expires_day)
        _print_previews([preview_pin(context, entry)], as_json=as_json)
        return
    stored = add_pin(context, router_name, pair, owner=owner, reason=reason, from_day=from_day, expires_day=expires_day)
    until = f" to {expires_day}" if expires_day else ""
    words = f"pinned {stored.source} > {stored.destination} on {router_name} from {from_day}{until}"
    output.result(stored, words, as_json=as_json)


@pin.command("withdraw")
@_pair
@router_option
@click.option("--day", type=DAY, default="yesterday", show_default=True, help="First day without it.")
@json_option
@with_context
def pin_withdraw(context: Context, pair: str, router_name: str, day: date, as_json: bool) -> None:
    """Ends a pin; the pair then ages like any other."""
    from hntes.workflow.review.overrides import withdraw_pin

    ended = withdraw_pin(context, router_name, pair, day)
    pin_text = f"{ended[0].source} > {ended[0].destination}"
    words = f"withdrawn {counted(len(ended), 'pin')} of {pin_text} on {router_name} from {day}"
    output.result(ended, words, as_json=as_json)


@pin.command("list")
@json_option
@with_context
def pin_list(context: Context, as_json: bool) -> None:
    """Lists all pins, ended ones too."""
    from hntes.workflow.review.overrides import pins

    found = pins(context)
    if as_json:
        output.as_json(found)
        return
    output.table(
        ("router", "pair", "from", "until", "withdrawn", "owner", "reason"),
        [(p.router, f"{p.source} > {p.destination}", p.from_day, p.expires_day, p.withdrawn_day, p.owner, p.reason)
         for p in found],
        empty="no pair is pinned",
    )  # fmt: skip


@click.group()
def exclude() -> None:
    """Forbids rules for a prefix; wins over pins."""


@exclude.command("add")
@click.argument("prefix")
@_scope
@_side
@_owner
@_reason
@_from_day
@click.option("--until", "expires_day", type=DAY, required=True, help="Last day; every exclusion ends.")
@_dry_run
@json_option
@with_context
def exclude_add(
    context: Context, prefix: str, router_name: str, side: Side, owner: str, reason: str, from_day: date,
    expires_day: date, dry_run: bool, as_json: bool,
) -> None:  # fmt: skip
    """Excludes a prefix: no pair that overlaps it gets a rule while the exclusion holds."""
    from hntes.workflow.review.overrides import ExclusionEntry, add_exclusion

    if dry_run:
        from hntes.workflow.review.preview import preview_exclusion

        entry = ExclusionEntry(router_name, side, prefix, owner, reason, from_day, expires_day)
        _print_previews(preview_exclusion(context, entry), as_json=as_json)
        return
    stored = add_exclusion(
        context, router_name, side, prefix, owner=owner, reason=reason, from_day=from_day, expires_day=expires_day
    )
    words = f"excluded {stored.prefix} ({side}) on {_scope_text(router_name)} from {from_day} to {expires_day}"
    output.result(stored, words, as_json=as_json)


@exclude.command("withdraw")
@click.argument("prefix")
@_scope
@_side
@click.option("--day", type=DAY, default="yesterday", show_default=True, help="First day without it.")
@json_option
@with_context
def exclude_withdraw(context: Context, prefix: str, router_name: str, side: Side, day: date, as_json: bool) -> None:
    """Ends an exclusion early; its pairs that have not aged out get their rules back."""
    from hntes.workflow.review.overrides import withdraw_exclusion

    ended = withdraw_exclusion(context, router_name, side, prefix, day)
    exclusions = counted(len(ended), "exclusion")
    words = f"withdrawn {exclusions} of {prefix} on {_scope_text(router_name)} from {day}"
    output.result(ended, words, as_json=as_json)


@exclude.command("list")
@json_option
@with_context
def exclude_list(context: Context, as_json: bool) -> None:
    """Lists all exclusions, ended ones too."""
    from hntes.workflow.review.overrides import exclusions

    found = exclusions(context)
    if as_json:
        output.as_json(found)
        return
    output.table(
        ("router", "prefix", "side", "from", "until", "withdrawn", "owner", "reason"),
        [(_scope_text(e.scope_router), e.prefix, e.side, e.from_day, e.expires_day, e.withdrawn_day, e.owner, e.reason)
         for e in found],
        empty="nothing is excluded",
    )  # fmt: skip


@click.command()
@click.argument("port")
@click.argument("moment", type=click.DateTime(["%Y-%m-%dT%H:%MZ"]), metavar="YYYY-MM-DDTHH:MMZ")
@router_option
@_owner
@_reason
@json_option
@with_context
def minute(
    context: Context, port: str, moment: datetime, router_name: str, owner: str, reason: str, as_json: bool
) -> None:
    """Sets one minute of a port aside: it counts in no load and in no beta peak.

    For a minute of wrong or forged records, which a refusal of the gate or `hntes router queue-advice` names. It is
    recorded in the audit log, and its day is measured again; then judge again.
    """
    from hntes.workflow.review.minutes import set_minute_of_port_aside

    (router,) = context.chosen([router_name])
    measured = set_minute_of_port_aside(context, router, port, moment, owner=owner, reason=reason)
    words = (
        f"set aside {port} of {router_name} at {moment:%Y-%m-%d %H:%M} UTC; {measured.day} was measured again: run "
        f"`hntes stage judge --router {router_name}`"
    )
    output.result(measured, words, as_json=as_json)


def _print_previews(found: list[RouterPreview], *, as_json: bool) -> None:
    if as_json:
        output.as_json(found)
        return
    for one in found:
        output.line(f"{one.router}: {one.sentence}")
    output.table(
        ("router", "pair", "its rule", "alpha bytes", "hosts inside", "hosts outside"),
        [(one.router, each.pair, each.becomes, long_gigabytes(each.alpha_bytes), _hosts(each.hosts_inside),
          _hosts(each.hosts_outside)) for one in found for each in one.pairs],
    )  # fmt: skip
    hit = [(one.router, each) for one in found for each in one.reservations]
    if hit:
        output.line("reservations that stay booked and are left out of texts while it holds:")
        output.table(
            ("router", "number", "pair", "rate", "from", "until", "owner"),
            [(router, each.number, each.pair, gbps(each.rate_bps), rfc3339(each.start_s * 1000),
              rfc3339(each.end_s * 1000), each.owner) for router, each in hit],
        )  # fmt: skip
    output.line("nothing was stored (--dry-run)")


def _hosts(hosts: frozenset[str]) -> str:
    some = sorted(hosts)[:SOME_HOSTS]
    more = f", and {len(hosts) - len(some)} more" if len(hosts) > len(some) else ""
    return f"{len(hosts)}: {', '.join(some)}{more}" if hosts else "none"


def _scope_text(router_name: str) -> str:
    return "all routers" if router_name == ALL_ROUTERS else router_name
