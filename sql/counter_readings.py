"""What routers' counters held when they were read. Works within the caller's transaction."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from sql.errors import InvalidEntryError
from sql.models import CounterReading
from sql.rows import fetch, lock, store


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
        newest = session.execute(
            select(func.max(CounterReading.read_ms)).where(CounterReading.router == router)
        ).scalar_one()
        if newest is not None and newest >= read_ms:
            raise InvalidEntryError(
                f"counters of router {router}: read at {read_ms} ms, not after the newest reading ({newest} ms)"
            )
    store(session, CounterReading, rows)


def newest(session: Session, router: str) -> tuple[CounterReadingEntry, ...]:
    """The newest reading of each counter that was ever read on a router, by interface and counter."""
    of = CounterReading
    last = (
        select(of.interface, of.counter, func.max(of.read_ms).label("read_ms"))
        .where(of.router == router)
        .group_by(of.interface, of.counter)
        .subquery()
    )
    is_last = (
        select(last.c.read_ms)
        .where(last.c.interface == of.interface, last.c.counter == of.counter, last.c.read_ms == of.read_ms)
        .exists()
    )
    found = fetch(session, of, CounterReadingEntry, of.router == router, is_last)
    return tuple(sorted(found, key=lambda each: (each.interface, each.counter)))


def matched(session: Session, router: str) -> frozenset[tuple[str, str]]:
    """The counters, by interface and name, that held more than 0 packets in any reading."""
    of = CounterReading
    chosen = select(of.interface, of.counter).where(of.router == router, of.packets > 0).distinct()
    return frozenset((row.interface, row.counter) for row in session.execute(chosen))


def never_matched(session: Session, router: str) -> int | None:
    """Of the counters in a router's newest reading, those that held 0 packets in every reading; None: never read."""
    found = newest(session, router)
    if not found:
        return None
    last_ms = max(each.read_ms for each in found)
    seen = matched(session, router)
    return sum(each.read_ms == last_ms and (each.interface, each.counter) not in seen for each in found)
