"""The commands of `hntes reserve quota`: rates that may be reserved on a port without manual approval."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

import click

from hntes.cli import completion, output
from hntes.cli.options import FREE_TEXT, json_option, with_context
from hntes.cli.reserve_options import MOMENT, RATE
from hntes.format import gbps

if TYPE_CHECKING:
    from hntes.workflow.context import Context
    from hntes.workflow.reservations.quotas import QuotaView

_number = click.argument("number", type=click.IntRange(min=1))
_who = click.option(
    "--who", type=FREE_TEXT, default=None, help="Who grants or revokes. Default: the user of this machine."
)


@click.group()
def quota() -> None:
    """Manages quotas: reservations up to a rate on a port are approved without an operator."""


@quota.command("add")
@click.option("--port", required=True, metavar="ROUTER:INTERFACE", help="An egress port.",
              shell_complete=completion.ports)  # fmt: skip
@click.option("--rate", "rate_bps", type=RATE, required=True, help="Limit of all reservations on it, such as 3G.")
@click.option("--from", "start_s", type=MOMENT, default=None, help="Such as 2026-11-24T10:00Z. Default: now.")
@click.option("--until", "end_s", type=MOMENT, required=True, help="Until then.")
@click.option("--reason", type=FREE_TEXT, required=True, help="Reason, one sentence.")
@_who
@json_option
@with_context
def add(
    context: Context, port: str, rate_bps: int, start_s: int | None, end_s: int, reason: str, who: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Grants a quota on a port.

    Scheduled changes are approved as long as what they police on the port, background transfers with their shares,
    stays within it. With [review] approvals = 2 it waits for a second approver (`hntes reserve quota second`).
    """
    from hntes.workflow.reservations.quotas import add_quota

    found = add_quota(context, port, rate_bps, start_s, end_s, who or getpass.getuser(), reason)
    if as_json:
        output.as_json(found)
    else:
        output.line(f"granted: {_words(found)}")


@quota.command("list")
@click.option("--all", "with_past", is_flag=True, help="Include past and revoked ones.")
@json_option
@with_context
def listing(context: Context, with_past: bool, as_json: bool) -> None:
    """Lists the quotas."""
    from hntes.workflow.reservations.quotas import list_quotas

    found = list_quotas(context, with_past=with_past)
    if as_json:
        output.as_json(found)
        return
    output.table(
        ("number", "state", "port", "rate", "from", "until", "by", "reason"),
        [(e.number, e.state, e.port, gbps(e.rate_bps), e.start, e.end, e.granted_by, e.reason) for e in found],
        empty="no quotas: an operator approves each scheduled change",
    )  # fmt: skip


@quota.command("second")
@_number
@_who
@json_option
@with_context
def second(context: Context, number: int, who: str | None, as_json: bool) -> None:
    """Grants a quota as the second approver, where two approvals are required."""
    from hntes.workflow.reservations.quotas import second_quota

    found = second_quota(context, number, who or getpass.getuser())
    output.result(found, f"granted: {_words(found)}", as_json=as_json)


@quota.command("revoke")
@_number
@click.option("--reason", type=FREE_TEXT, required=True, help="Reason, one sentence.")
@_who
@json_option
@with_context
def revoke(context: Context, number: int, reason: str, who: str | None, as_json: bool) -> None:
    """Revokes a quota. Its past approvals remain valid; `hntes reserve changes` lists them."""
    from hntes.workflow.reservations.quotas import revoke_quota

    found = revoke_quota(context, number, who or getpass.getuser(), reason)
    output.result(found, f"revoked: {_words(found)}", as_json=as_json)


def _words(found: QuotaView) -> str:
    rate = gbps(found.rate_bps)
    return f"quota {found.number}, {found.state}: {rate} on {found.port} from {found.start} to {found.end}"
