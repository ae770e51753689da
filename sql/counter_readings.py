"""Readings of routers' counters. Works within the caller's transaction.

`counter_known` sums up the readings of each counter, so that a page need not go through those of years.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import and_, case, func, or_, select

from hntes.sql.errors import InvalidEntryError
from hntes.sql.rows import fetch, fetch_by, lock, remove, store
from hntes.sql.session import Session
from hntes.sql.table import table


@dataclass(frozen=True)
class CounterReadingEntry:
    """One counter at one moment. `interface` is empty where all are counted together.

    `source` and `destination` are the pair's prefixes; None where the counter is that of all pairs.
    """

    router: str
    read_ms: int
    interface: str
    counter: str
    source: str | None
    destination: str | None
    packets: int
    bytes: int


@dataclass(frozen=True)
class KnownCounter:
    """One counter of a router in all its readings. Interface and prefixes as in `CounterReadingEntry`.

    `first_matched_ms` is the first reading in which it held packets; None if there is none.
    """

    router: str
    interface: str
    counter: str
    source: str | None
    destination: str | None
    first_read_ms: int
    last_read_ms: int
    first_matched_ms: int | None


COUNTER_READING = table(
    "counter_reading", CounterReadingEntry, key=("router", "read_ms", "interface", "counter"),
    grain="One row per router, moment of reading, interface ('' for all together) and counter: what it held then.",
)  # fmt: skip
COUNTER_KNOWN = table(
    "counter_known", KnownCounter, key=("router", "interface", "counter"),
    grain="One row per router, interface and counter that was ever read: when first and last, when first above 0.",
)  # fmt: skip


@dataclass(frozen=True)
class CountersInUse:
    """The newest reading of one router: how many counters it has, and how many of them never held a packet.

    `unused_since_ms` is the first reading of the one that is known longest; None if all have held packets.
    """

    router: str
    counters: int
    never_matched: int
    unused_since_ms: int | None
    read_ms: int


def add(session: Session, entries: Iterable[CounterReadingEntry]) -> None:
    """Stores the readings of one router at one moment.

    Raises:
        InvalidEntryError: they are of several, or it was read at that moment or later already.
    """
    rows = sorted(entries, key=lambda each: (each.interface, each.counter))
    of = {(each.router, each.read_ms) for each in rows}
    if len(of) > 1:
        raise InvalidEntryError(f"counters of {len(of)} routers or moments; store those of one")
    for router, read_ms in of:
        lock(session, "counter_reading", router)
        newest_ms = newest_read_ms(session, router)
        if newest_ms is not None and newest_ms >= read_ms:
            raise InvalidEntryError(
                f"counters of router {router}: read at {read_ms} ms, not after the newest reading ({newest_ms} ms)"
            )
        store(session, COUNTER_READING, rows)
        known = known_counters(session, router)
        remove(session, COUNTER_KNOWN, router=router)
        store(session, COUNTER_KNOWN, _with_reading(known, rows))


def _with_reading(known: Sequence[KnownCounter], rows: Sequence[CounterReadingEntry]) -> list[KnownCounter]:
    """The state of each counter after these readings, which are the newest."""
    after = {(each.interface, each.counter): each for each in known}
    for row in rows:
        key = (row.interface, row.counter)
        before = after.get(key)
        if before is None:
            ends = (row.source, row.destination)
            before = KnownCounter(row.router, *key, *ends, row.read_ms, row.read_ms, None)
        matched_ms = before.first_matched_ms
        if matched_ms is None and row.packets > 0:
            matched_ms = row.read_ms
        after[key] = replace(before, last_read_ms=row.read_ms, first_matched_ms=matched_ms)
    return list(after.values())


def known_counters(session: Session, router: str) -> tuple[KnownCounter, ...]:
    """Every counter that was ever read on a router, by interface and name."""
    found = fetch_by(session, COUNTER_KNOWN, KnownCounter, router=router)
    return tuple(sorted(found, key=lambda each: (each.interface, each.counter)))


def newest_read_ms(session: Session, router: str) -> int | None:
    """The time of the last reading of a router's counters; None if never."""
    chosen = select(func.max(COUNTER_KNOWN.c.last_read_ms)).where(COUNTER_KNOWN.c.router == router)
    found: int | None = session.execute(chosen).scalar_one()
    return found


def counters_of_pair(session: Session, router: str, source: str, destination: str) -> tuple[KnownCounter, ...]:
    """The counters of a pair that were ever read on a router, and those of all pairs, by interface and name."""
    of = COUNTER_KNOWN.c
    is_meant = or_(of.source.is_(None), and_(of.source == source, of.destination == destination))
    found = fetch(session, COUNTER_KNOWN, KnownCounter, of.router == router, is_meant)
    return tuple(sorted(found, key=lambda each: (each.interface, each.counter)))


def never_matched(session: Session, router: str) -> tuple[KnownCounter, ...]:
    """Those of the newest reading that held 0 packets in every reading, the longest known first.

    Counters that the newest reading lacks are of rules that have left the router.
    """
    of = COUNTER_KNOWN.c
    is_unused = of.last_read_ms == newest_read_ms(session, router), of.first_matched_ms.is_(None)
    found = fetch(session, COUNTER_KNOWN, KnownCounter, of.router == router, *is_unused)
    return tuple(sorted(found, key=lambda each: (each.first_read_ms, each.interface, each.counter)))


def counters_in_use(session: Session) -> dict[str, CountersInUse]:
    """The newest reading of each router; routers that were never read are left out."""
    of = COUNTER_KNOWN.c
    newest = select(of.router, func.max(of.last_read_ms).label("read_ms")).group_by(of.router).subquery()
    unused_ms = case((of.first_matched_ms.is_(None), of.first_read_ms))
    chosen = (
        select(of.router, func.count(), func.count(unused_ms), func.min(unused_ms), newest.c.read_ms)
        .join(newest, (newest.c.router == of.router) & (newest.c.read_ms == of.last_read_ms))
        .group_by(of.router, newest.c.read_ms)
    )
    return {row[0]: CountersInUse(*row) for row in session.execute(chosen)}


def newest(session: Session, router: str) -> tuple[CounterReadingEntry, ...]:
    """The newest reading of each counter that was ever read on a router, by interface and counter."""
    of, known = COUNTER_READING.c, COUNTER_KNOWN.c
    of_last = (known.interface == of.interface, known.counter == of.counter, known.last_read_ms == of.read_ms)
    found = fetch(session, COUNTER_READING, CounterReadingEntry, known.router == router, of.router == router, *of_last)
    return tuple(sorted(found, key=lambda each: (each.interface, each.counter)))
