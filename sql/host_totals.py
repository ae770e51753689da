"""A router's alpha flows by day and pair of hosts, the input of its rules, in one row per day.

The totals of a day are packed into one column, since reading months of them as rows takes several seconds. They are
written in the transaction that writes the observations, so they never differ from them.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from struct import Struct
from typing import NamedTuple

from sqlalchemy import func, select

from hntes.addresses import IPV4_BYTES, packed, unpacked
from hntes.sql.entries import ObservationEntry
from hntes.sql.rows import MOST, fetch_by, remove, store
from hntes.sql.session import Session
from hntes.sql.table import table

# IP version, source, destination, bytes, fullest window in bytes, flows, borderline flows, implausible (0 or 1). The
# compiled module reads them, too.
_PACKED = {4: Struct(">B4s4sQQIIB"), 6: Struct(">B16s16sQQIIB")}


class HostTotal(NamedTuple):
    """The alpha flows between two hosts on one day: how many, their bytes, the fullest window of any.

    `weak_flows` of them are borderline and not confirmed by their senders. Those that cannot be true (`implausible`)
    have a total of their own.
    """

    source: str
    destination: str
    flows: int
    flow_bytes: int
    peak_bytes: int
    weak_flows: int = 0
    implausible: bool = False


@dataclass(frozen=True)
class ObservationDay:
    """The totals of a router's day that has alpha flows, packed, and the bytes of those that can be true."""

    router: str
    day: date
    believed_bytes: int
    totals: bytes


OBSERVATION_DAY = table(
    "observation_day", ObservationDay, key=("router", "day"),
    grain="One row per router and day with alpha flows: their believed bytes, and their totals by pair of hosts.",
)  # fmt: skip


def replace_totals(session: Session, router: str, day: date, rows: Sequence[ObservationEntry]) -> None:
    """Puts the totals of these observations in the place of those that the router's day had."""
    remove(session, OBSERVATION_DAY, router=router, day=day)
    if rows:
        store(session, OBSERVATION_DAY, [packed_day(router, day, rows)])


def packed_day(router: str, day: date, rows: Iterable[ObservationEntry]) -> ObservationDay:
    """The totals of a router's day with these observations."""
    totals = _totals_of(rows)
    believed_bytes = min(sum(total.flow_bytes for total in totals if not total.implausible), MOST)
    return ObservationDay(router, day, believed_bytes, b"".join(map(_packed, totals)))


def _totals_of(rows: Iterable[ObservationEntry]) -> list[HostTotal]:
    """The totals of one day's observations, by hosts. Sums of forged counters are as far as a column holds them."""
    found: dict[tuple[str, str, bool], HostTotal] = {}
    for row in rows:
        key = (row.source, row.destination, row.implausible)
        before = found.get(key, HostTotal(row.source, row.destination, 0, 0, 0, 0, row.implausible))
        found[key] = HostTotal(
            row.source,
            row.destination,
            before.flows + 1,
            min(before.flow_bytes + row.flow_bytes, MOST),
            max(before.peak_bytes, row.peak_bytes),
            before.weak_flows + (row.borderline and row.confirmed_bytes is None),
            row.implausible,
        )
    return [found[key] for key in sorted(found)]


def host_totals(session: Session, router: str, day: date) -> list[HostTotal]:
    """The totals of one day of a router, by hosts."""
    found = fetch_by(session, OBSERVATION_DAY, ObservationDay, router=router, day=day)
    return [total for each in found for total in _unpacked(each.totals)]


def observation_days(
    session: Session, router: str, days: tuple[date, date] = (date.min, date.max)
) -> tuple[ObservationDay, ...]:
    """A router's days with alpha flows from the first through the last of `days`, by day."""
    found = fetch_by(session, OBSERVATION_DAY, ObservationDay, days=days, router=router)
    return tuple(sorted(found, key=lambda each: each.day))


def believed_bytes_by_day(session: Session, router: str, from_day: date, until_day: date) -> dict[date, int]:
    """Bytes of a router's alpha flows that can be true, by day; days without alpha flows are left out."""
    of = OBSERVATION_DAY.c
    chosen = select(of.day, of.believed_bytes).where(of.router == router, of.day >= from_day, of.day <= until_day)
    return {row.day: row.believed_bytes for row in session.execute(chosen)}


def day_marks(session: Session, routers: Collection[str], day: date) -> tuple[tuple[str, int, int], ...]:
    """What tells one state of a day's alpha flows from another: by router, their believed bytes and packed length.

    The totals of forty routers have megabytes; neither number reads them.
    """
    of = OBSERVATION_DAY.c
    chosen = select(of.router, of.believed_bytes, func.length(of.totals)).where(of.router.in_(routers), of.day == day)
    return tuple((router, carried, length) for router, carried, length in session.execute(chosen.order_by(of.router)))


def _packed(total: HostTotal) -> bytes:
    version = 6 if ":" in total.source else 4
    source, destination = (packed(host)[-IPV4_BYTES:] if version == 4 else packed(host) for host in total[:2])
    return _PACKED[version].pack(
        version, source, destination, total.flow_bytes, total.peak_bytes, total.flows, total.weak_flows,
        total.implausible,
    )  # fmt: skip


def _unpacked(content: bytes) -> Iterator[HostTotal]:
    place = 0
    while place < len(content):
        form = _PACKED[content[place]]
        _, source, destination, flow_bytes, peak_bytes, flows, weak_flows, odd = form.unpack_from(content, place)
        yield HostTotal(unpacked(source), unpacked(destination), flows, flow_bytes, peak_bytes, weak_flows, bool(odd))
        place += form.size
