"""The commands of reservations for announced transfers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hntes.cli import completion, output
from hntes.cli.commands.reserve_changes import CHANGE_COMMANDS
from hntes.cli.commands.reserve_quota import quota
from hntes.cli.options import FREE_TEXT, SafePath, json_option, router_option, with_context
from hntes.cli.reserve_options import LENGTH, MOMENT, RATE
from hntes.format import exact_rate, gbps, rfc3339

if TYPE_CHECKING:
    from hntes.workflow.context import Context
    from hntes.workflow.reservations.import_documents import ImportResult
    from hntes.workflow.reservations.reserve import Kind, ReservationResult, ReservationView

# Of an imported document.
MOST_BYTES = 1_000_000
_number = click.argument("number", type=click.IntRange(min=1))


@click.group()
def reserve() -> None:
    """Reserves rates for announced transfers."""


for _command in (*CHANGE_COMMANDS, quota):
    reserve.add_command(_command)


@reserve.command("add")
@click.argument("pair", metavar="'SOURCE>DESTINATION'")
@click.option("--rate", "rate_bps", type=RATE, required=True, help="Bits per second, such as 3G or 400M.")
@click.option("--port", "ports", multiple=True, required=True, metavar="ROUTER:INTERFACE",
              help="An egress port of the path; repeat it for each.", shell_complete=completion.ports)  # fmt: skip
@click.option("--start", "start_s", type=MOMENT, default=None, help="Such as 2026-11-24T10:00Z. Default: now.")
@click.option("--end", "end_s", type=MOMENT, default=None, help="End time; or use --for.")
@click.option("--for", "length_s", type=LENGTH, default=None, help="Duration: 90s, 30min, 2h, 7d.")
@click.option("--background-floor", "floor_bps", type=RATE, default=None,
              help="Background transfer: this rate guaranteed, up to --rate if free.")  # fmt: skip
@click.option("--rtt-ms", type=click.IntRange(1, 2000), default=None,
              help="Maximum RTT of the path without queueing. Default: reservations.rtt_ms.")  # fmt: skip
@click.option("--owner", type=FREE_TEXT, required=True, help="Who is responsible.")
@click.option("--ticket", type=FREE_TEXT, default="", help="Ticket of the agreement.")
@click.option("--id", "external_id", type=FREE_TEXT, default=None,
              help="The owner's own ID: adding it again changes nothing.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Store nothing; only report whether it fits.")
@json_option
@with_context
def add(
    context: Context, pair: str, rate_bps: int, ports: tuple[str, ...], start_s: int | None, end_s: int | None,
    length_s: int | None, floor_bps: int | None, rtt_ms: int | None, owner: str, ticket: str, external_id: str | None,
    dry_run: bool, as_json: bool,
) -> None:  # fmt: skip
    """Reserves a rate for a prefix pair on the egress ports of its path.

    \b
      hntes reserve add '198.18.10.0/24>203.0.113.0/24' --rate 3G --for 2h \\
        --port r1:et-0/0/1 --owner anna

    A reservation that does not fit is refused with exit status 4; the message names the port, the interval, the
    conflicting reservations, and the earliest later start that fits.
    """
    from hntes.workflow.errors import REFUSED
    from hntes.workflow.reservations.reserve import ReservationRequest, book

    kind: Kind = "foreground" if floor_bps is None else "background"
    wanted = ReservationRequest(
        pair, rate_bps, ports, owner, ticket, start_s, end_s, length_s, kind, floor_bps or 0, rtt_ms, external_id
    )
    found = book(context, wanted, is_trial=dry_run)
    if as_json:
        output.as_json(found)
    else:
        _say(found, dry_run)
    if found.refusal is not None:
        raise click.exceptions.Exit(REFUSED)


@reserve.command("list")
@click.option("--all", "with_past", is_flag=True, help="Include past and cancelled ones.")
@click.option("--owner", type=FREE_TEXT, default=None, help="Only theirs.")
@json_option
@with_context
def listing(context: Context, with_past: bool, owner: str | None, as_json: bool) -> None:
    """Lists active and future reservations."""
    from hntes.workflow.reservations.calendar import lost_ports, over_cap
    from hntes.workflow.reservations.reserve import listing as reservations

    found = reservations(context, owner=owner, with_past=with_past)
    if as_json:
        output.as_json(found)
        return
    output.table(
        ("number", "state", "pair", "kind", "rate", "from", "until", "ports", "owner", "ticket"),
        [(e.number, e.state, f"{e.source} > {e.destination}", e.kind, gbps(e.rate_bps), e.start, e.end,
          " ".join(e.ports), e.owner, e.ticket) for e in found],
        empty="no reservations",
    )  # fmt: skip
    for each in over_cap(context):
        output.note(
            f"port {each.port}: {exact_rate(each.most_bps)} are reserved, above the cap of "
            f"{exact_rate(each.limit.cap_bps)}: raise it, or cancel reservations"
        )
    for lost in lost_ports(context):
        output.note(str(lost))


@reserve.command("show")
@_number
@json_option
@with_context
def show(context: Context, number: int, as_json: bool) -> None:
    """Shows one reservation: its rates, and the settings for the sending host."""
    from hntes.workflow.reservations.details import reservation_details
    from hntes.workflow.reservations.reserve import reservation

    found, details = reservation(context, number), reservation_details(context, number)
    problem = None if details.problem is None else str(details.problem)
    if as_json:
        known = {"sheet": details.sheet, "shares": details.shares, "path": details.path}
        output.as_json({"reservation": found, **known, "problem": problem})
        return
    output.line(f"reservation {found.number}, {found.state}, of {found.owner}{_ticket(found)}: {_words(found)}")
    for status in details.path or ():
        output.line(f"  on {status.router}: {status.state}: {status.explanation}")
    for step in details.shares or ():
        rate = gbps(step.rates_bps[number])
        output.line(f"  gets {rate} from {rfc3339(step.start_s * 1000)} to {rfc3339(step.end_s * 1000)}")
    if problem is not None:
        output.note(problem)
    if details.sheet is not None:
        output.line()
        output.line(details.sheet.rstrip("\n"))


@reserve.command("measured")
@click.option("--days", type=click.IntRange(1, 92), default=7, show_default=True, help="Days up to now.")
@json_option
@with_context
def measured(context: Context, days: int, as_json: bool) -> None:
    """Compares promised with measured rates of past and active reservations.

    Measured are the alpha flows of the pair on each router of the path, on days whose night has run: the mean rate over
    the reserved time, and the fullest window of any flow. Traffic below the threshold of alpha flows is not known by
    pair.
    """
    from hntes.workflow.reservations.measured import measured_days
    from hntes.workflow.reservations.measured_words import HEAD, left_out_words, measured_rows

    found = measured_days(context, days)
    if as_json:
        output.as_json(found)
        return
    output.table(HEAD, measured_rows(found), empty=f"no reservation from {found.first} to {found.last}")
    if said := left_out_words(found):
        output.note(said)


@reserve.command("due")
@router_option
@click.option("--start", "start_s", type=MOMENT, default=None, help="Start. Default: now.")
@click.option("--for", "length_s", type=LENGTH, default="1d", show_default=True, help="Period: 2h, 7d.")
@json_option
@with_context
def due(context: Context, router_name: str, start_s: int | None, length_s: int, as_json: bool) -> None:
    """Lists a router's policers by time, with the state of their configuration.

    Each pair's rate and bucket size are shown. Then lists configuration that is due on the router but missing.
    """
    from hntes.workflow.reservations.calendar import timetable
    from hntes.workflow.reservations.reservation_status import late_reservations, text_state

    found = timetable(context, router_name, start_s, length_s)
    router = context.settings.router(router_name)
    late = late_reservations(context, router)
    states = {stretch.start_s: text_state(context, router, stretch.start_s) for stretch in found}
    if as_json:
        output.as_json({"stretches": found, "texts": states, "late": late})
        return
    output.table(
        ("from", "until", "name", "pair", "rate", "burst", "text"),
        [(rfc3339(stretch.start_s * 1000), rfc3339(stretch.end_s * 1000), each.name,
          f"{each.source} > {each.destination}", gbps(each.rate_bps), f"{each.burst_bytes} bytes",
          states[stretch.start_s])
         for stretch in found for each in stretch.reserved],
        empty=f"router {router_name} has no policers due",
    )  # fmt: skip
    for each in late:
        output.note(f"LATE: {each}")


@reserve.command("cancel")
@_number
@click.option("--reason", type=FREE_TEXT, required=True, help="Reason, one sentence.")
@json_option
@with_context
def cancel(context: Context, number: int, reason: str, as_json: bool) -> None:
    """Cancels an active or future reservation."""
    from hntes.workflow.reservations.reserve import cancel as cancel_reservation

    found = cancel_reservation(context, number, reason)
    output.result(found, f"cancelled reservation {found.number}: {_words(found)}", as_json=as_json)


@reserve.command("import")
@click.argument("document", type=SafePath(exists=True, dir_okay=False, path_type=Path))
@click.option("--port", "ports", multiple=True, required=True, metavar="ROUTER:INTERFACE",
              help="An egress port of the path; repeat it for each.", shell_complete=completion.ports)  # fmt: skip
@click.option("--pair", "pairs", multiple=True, metavar="'CONNECTION=SOURCE>DESTINATION'",
              help="Prefix pair of a connection; needed if the document has no prefixes.")  # fmt: skip
@click.option("--reverse", is_flag=True, help="Reserve the direction from each connection's second end to its first.")
@click.option("--owner", type=FREE_TEXT, default=None, help="Default: the owner in the document.")
@click.option("--rtt-ms", type=click.IntRange(1, 2000), default=None, help="As for `reserve add`.")
@json_option
@with_context
def import_(
    context: Context, document: Path, ports: tuple[str, ...], pairs: tuple[str, ...], reverse: bool, owner: str | None,
    rtt_ms: int | None, as_json: bool,
) -> None:  # fmt: skip
    """Imports reservations from a JSON document of OSCARS or SENSE.

    What was imported before is not reserved again. One direction per call, since each has its own egress ports. Ignored
    fields are listed. Exit status 3: a connection was refused or could not be imported.
    """
    from hntes.workflow.errors import FINISHED_WITH_PROBLEMS
    from hntes.workflow.reservations.import_documents import import_published

    found = import_published(
        context, _text_of(document), "reverse" if reverse else "forward",
        ports=ports, pairs=dict(map(_named_pair, pairs)), owner=owner, rtt_ms=rtt_ms,
    )  # fmt: skip
    if as_json:
        output.as_json(found)
    else:
        for each in found:
            _say_imported(each)
    if any(each.booked is None or each.booked.refusal is not None for each in found):
        raise click.exceptions.Exit(FINISHED_WITH_PROBLEMS)


def _text_of(document: Path) -> str:
    from hntes.workflow.errors import CommandError

    content = document.read_bytes()
    if len(content) > MOST_BYTES:
        raise CommandError(f"{document}: longer than {MOST_BYTES} bytes; split it")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise CommandError(f"{document}: not UTF-8 text") from None


def _named_pair(text: str) -> tuple[str, str]:
    from hntes.workflow.errors import CommandError

    name, sign, pair = text.partition("=")
    if not (name and sign and pair):
        raise CommandError(f"--pair {text!r}: write CONNECTION=SOURCE>DESTINATION")
    return name, pair


def _say_imported(found: ImportResult) -> None:
    output.line(f"connection {found.connection_id}")
    if found.booked is not None:
        _say(found.booked, dry_run=False)
    else:
        output.line(f"not imported: {found.problem}")
    if found.ignored:
        output.line(f"  ignored fields: {', '.join(found.ignored)}")


def _say(found: ReservationResult, dry_run: bool) -> None:
    if found.refusal is not None:
        output.line(f"refused: {_words(found.reservation)}")
        for sentence in found.refusal.sentences:
            output.line(f"  {sentence}")
    elif dry_run and found.is_new:
        output.line(f"fits: {_words(found.reservation)}")
        output.line("nothing was stored (--dry-run)")
    else:
        word = "reserved" if found.is_new else "reserved already"
        output.line(f"{word}: {found.reservation.number}: {_words(found.reservation)}")


def _words(found: ReservationView) -> str:
    floor = f", at least {gbps(found.floor_bps)}" if found.kind == "background" else ""
    return (
        f"{found.source} > {found.destination} {found.kind} {gbps(found.rate_bps)}{floor} from {found.start} to "
        f"{found.end} on {' '.join(found.ports)}"
    )


def _ticket(found: ReservationView) -> str:
    return f", ticket {found.ticket}" if found.ticket else ""
