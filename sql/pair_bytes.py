"""The bytes of alpha flows between the hosts of prefix pairs, by day. Works within the caller's transaction."""

from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from ipaddress import ip_address
from typing import Any

from sqlalchemy import Select, TextClause, bindparam, select, text
from sqlalchemy.orm import Session

from hntes.addresses import Network
from hntes.sql.observations import OBSERVATION, text_behind, text_head

_ENDS = ("source", "destination")
# Behind the texts of all addresses, by bytes.
_LAST = "~"
# All pairs at once: asked for one by one they cost a page half of its time. ~>=~ and ~<~ compare by bytes, as the index
# on sources does, whatever the database's collation. OFFSET 0 has that index asked for each pair, also where the table
# was not analyzed yet; else all of a router's month may be gone through for each.
_OF_MANY: TextClause = text(
    """
    SELECT wanted.number, seen.day, seen.source, seen.destination, seen.flow_bytes
    FROM unnest(CAST(:source AS text[]), CAST(:source_end AS text[]), CAST(:destination AS text[]),
                CAST(:destination_end AS text[]))
        WITH ORDINALITY AS wanted (source, source_end, destination, destination_end, number)
    CROSS JOIN LATERAL (
        SELECT day, source, destination, flow_bytes
        FROM observation
        WHERE router = :router AND day BETWEEN :first AND :last AND NOT implausible
            AND source ~>=~ wanted.source AND source ~<~ wanted.source_end
            AND destination ~>=~ wanted.destination AND destination ~<~ wanted.destination_end
        OFFSET 0
    ) AS seen
    """
)


def believed_bytes_by_pair(
    session: Session, router: str, pairs: Sequence[tuple[Network, Network]], days: tuple[date, date]
) -> list[dict[date, int]]:
    """Bytes of a router's observations that can be true, from the first through the last of `days`.

    For each source and destination prefix the bytes by day; days without any are left out.
    """
    found: list[dict[date, int]] = [{} for _ in pairs]
    held: dict[tuple[int, str, str], bool] = {}  # the same few hosts on each of thirty days
    for number, day, one, other, flow_bytes in _rows(session, router, pairs, days):
        key = (number, one, other)
        if key not in held:
            source, destination = pairs[number]
            held[key] = ip_address(one) in source and ip_address(other) in destination
        if held[key]:
            found[number][day] = found[number].get(day, 0) + flow_bytes
    return found


def _rows(
    session: Session, router: str, pairs: Sequence[tuple[Network, Network]], days: tuple[date, date]
) -> Iterator[tuple[int, date, str, str, int]]:
    """The number of the pair, day, hosts and bytes of all rows that may be meant: texts begin as a prefix's do."""
    given = {"router": router, "first": days[0], "last": days[1]}
    heads = [(text_head(source), text_head(destination)) for source, destination in pairs]
    if session.get_bind().dialect.name == "postgresql":
        wanted: dict[str, list[str]] = {}
        for place, end in enumerate(_ENDS):
            wanted[end] = [both[place] for both in heads]
            wanted[f"{end}_end"] = [text_behind(head) if head else _LAST for head in wanted[end]]
        for row in session.connection().execute(_OF_MANY, given | wanted):
            yield (row[0] - 1, *row[1:])
        return
    for number, both in enumerate(heads):
        chosen = _of_one(*map(bool, both))
        values = dict(given)
        for end, head in zip(_ENDS, both, strict=True):
            values |= {end: head, f"{end}_end": text_behind(head)} if head else {}
        for found in session.connection().execute(chosen, values):
            yield (number, *found)


@lru_cache
def _of_one(has_source: bool, has_destination: bool) -> Select[Any]:
    """The statement for one pair, made once: making it takes longer than answering it."""
    of = OBSERVATION.c
    where = [of.router == bindparam("router"), of.day >= bindparam("first"), of.day <= bindparam("last")]
    for end, has_head in zip(_ENDS, (has_source, has_destination), strict=True):
        if has_head:
            where += [of[end] >= bindparam(end), of[end] < bindparam(f"{end}_end")]
    return select(of.day, of.source, of.destination, of.flow_bytes).where(*where, of.implausible.is_(False))
