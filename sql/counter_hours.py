"""Octets of interfaces by their counters and by flow records, per hour. Works within the caller's transaction."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from sqlalchemy import func, select

from hntes.sql.rows import capped, fetch_by, lock, remove, store
from hntes.sql.session import Session
from hntes.sql.table import one_of, table

Direction = Literal["in", "out"]
_COUNTERS = ("counter_octets", "flow_octets")


@dataclass(frozen=True)
class CounterHourEntry:
    """One interface (SNMP index) and direction in one hour (0..23 UTC) of a router's day, by its counters and by flows.

    Octets of layer 2 in the `minutes` for which both are known. `metered`: the interface's own meter exported
    this direction on the day, so that flows should have all of it.
    """

    router: str
    day: date
    interface_index: int
    direction: Direction
    hour: int
    counter_octets: int
    flow_octets: int
    minutes: int
    metered: bool


COUNTER_HOUR = table(
    "counter_hour", CounterHourEntry, one_of("direction", Direction),
    key=("router", "day", "interface_index", "direction", "hour"),
    grain="One row per router, day, interface (SNMP index), direction and hour that its counters cover.",
)  # fmt: skip


@dataclass(frozen=True)
class CounterDay:
    """One interface and direction on one day; as in `CounterHourEntry`."""

    router: str
    day: date
    interface_index: int
    direction: Direction
    counter_octets: int
    flow_octets: int
    minutes: int
    metered: bool

    @property
    def ratio(self) -> float | None:
        """Flow octets by counter octets; None without traffic."""
        return self.flow_octets / self.counter_octets if self.counter_octets else None


def replace_hours(session: Session, router: str, day: date, rows: Iterable[CounterHourEntry]) -> None:
    """Replaces all hours of the router's day."""
    lock(session, "counter_hour", router, day.isoformat())
    remove(session, COUNTER_HOUR, router=router, day=day)
    store(session, COUNTER_HOUR, [capped(row, _COUNTERS) for row in rows])


def counter_hours(session: Session, router: str, day: date) -> tuple[CounterHourEntry, ...]:
    """The hours of a router's day, by interface, direction and hour."""
    found = fetch_by(session, COUNTER_HOUR, CounterHourEntry, router=router, day=day)
    return tuple(sorted(found, key=lambda row: (row.interface_index, row.direction, row.hour)))


def counter_days(
    session: Session, router: str, until_day: date, from_day: date | None = None
) -> tuple[CounterDay, ...]:
    """The router's days from `from_day` (None: from the first) through `until_day`, by interface and direction."""
    found = fetch_by(session, COUNTER_HOUR, CounterHourEntry, days=(from_day or date.min, until_day), router=router)
    hours: defaultdict[tuple[date, int, Direction], list[CounterHourEntry]] = defaultdict(list)
    for row in found:
        hours[row.day, row.interface_index, row.direction].append(row)
    return tuple(_day(rows) for _, rows in sorted(hours.items()))


def _day(rows: Sequence[CounterHourEntry]) -> CounterDay:
    one = rows[0]
    return CounterDay(
        one.router, one.day, one.interface_index, one.direction, sum(row.counter_octets for row in rows),
        sum(row.flow_octets for row in rows), sum(row.minutes for row in rows), one.metered,
    )  # fmt: skip


def metered_days(session: Session, router: str, from_day: date, until_day: date) -> dict[tuple[int, Direction], int]:
    """By interface and direction, on how many of these days its own meter exported."""
    of = COUNTER_HOUR.c
    chosen = select(of.interface_index, of.direction, func.count(of.day.distinct())).where(
        of.router == router, of.day >= from_day, of.day <= until_day, of.metered
    )
    rows = session.execute(chosen.group_by(of.interface_index, of.direction))
    return {(index, direction): days for index, direction, days in rows}


def flow_ratio(days: Iterable[CounterDay | CounterHourEntry]) -> float | None:
    """Flow octets by counter octets over interfaces that meter their traffic, or over all if none does."""
    listed = list(days)
    chosen = [day for day in listed if day.metered] or listed
    counted = sum(day.counter_octets for day in chosen)
    return sum(day.flow_octets for day in chosen) / counted if counted else None
