"""Import of reservations from documents of other systems: one booking per connection, idempotent."""

from collections.abc import Mapping
from dataclasses import dataclass

from hntes.rules.reservations.published import Direction, Published, published
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError, is_mistake
from hntes.workflow.reservations.reserve import ReservationRequest, ReservationResult, book

__all__ = ["Direction", "ImportResult", "import_published"]


@dataclass(frozen=True)
class ImportResult:
    """The result for one connection: `booked`, or the `problem` that prevented a request.

    `ignored` are the paths of document fields that HNTES does not use.
    """

    connection_id: str
    booked: ReservationResult | None
    problem: str | None
    ignored: tuple[str, ...]


def import_published(
    context: Context,
    text: str,
    direction: Direction,
    *,
    ports: tuple[str, ...],
    pairs: Mapping[str, str],
    owner: str | None,
    rtt_ms: int | None,
) -> tuple[ImportResult, ...]:
    """Books all connections of a document, in document order.

    Args:
        context: Settings and database.
        text: The document, JSON.
        direction: From a connection's first end to its second, or the reverse.
        ports: The egress ports of the path, the same for all connections.
        pairs: Pair SOURCE>DESTINATION in that direction by connection; default: the document's prefixes.
        owner: The owner; None: the one in the document.
        rtt_ms: None: the value in the settings.

    Raises:
        PublishedError: the document cannot be read.
        CommandError: a pair is given for a connection that is not in the document.
    """
    found = published(text, direction)
    known = [each.connection_id for each in found]
    if strange := sorted(pairs.keys() - set(known)):
        raise CommandError(f"connection {strange[0]!r} is not in the document; there are: {', '.join(known)}")
    return tuple(_imported(context, each, ports, pairs.get(each.connection_id), owner, rtt_ms) for each in found)


def _imported(
    context: Context, each: Published, ports: tuple[str, ...], pair: str | None, owner: str | None, rtt_ms: int | None
) -> ImportResult:
    try:
        booked = book(context, _request(each, ports, pair, owner, rtt_ms))
    except Exception as problem:
        if not is_mistake(problem):
            raise
        return ImportResult(each.connection_id, None, str(problem), each.ignored)
    return ImportResult(each.connection_id, booked, None, each.ignored)


def _request(
    each: Published, ports: tuple[str, ...], pair: str | None, owner: str | None, rtt_ms: int | None
) -> ReservationRequest:
    name, whose = each.connection_id, owner or each.owner
    if pair is None and (each.source is None or each.destination is None):
        raise CommandError(f"the document has no single prefix for each end; give --pair '{name}=SOURCE>DESTINATION'")
    if whose is None:
        raise CommandError("the document names no owner; give --owner")
    return ReservationRequest(
        pair or f"{each.source}>{each.destination}", each.rate_bps, ports, whose, each.ticket, each.start_s, each.end_s,
        rtt_ms=rtt_ms, external_id=each.external_id,
    )  # fmt: skip
