"""Measured loads of egress interfaces: written a router's day at a time. Works within the caller's transaction."""

from collections.abc import Iterable
from datetime import date

from sqlalchemy import ForeignKeyConstraint

from hntes.sql.entries import InterfaceLoadEntry, LoadDayEntry
from hntes.sql.errors import InvalidEntryError
from hntes.sql.rows import capped, fetch_by, lock, remove, store
from hntes.sql.session import Session
from hntes.sql.table import table

_COUNTERS = (
    *("beta_bytes", "alpha_bytes", "beta_peak_wire_bytes", "beta_peak_sd_bytes", "beta_p50_wire_bytes"),
    *("beta_p95_wire_bytes", "beta_p99_wire_bytes", "beta_p999_wire_bytes", "alpha_peak_wire_bytes"),
)


LOAD_DAY = table(
    "load_day", LoadDayEntry, key=("router", "day"),
    grain="One row per router and day whose load was measured, with or without traffic.",
)  # fmt: skip
INTERFACE_LOAD = table(
    "interface_load", InterfaceLoadEntry,
    ForeignKeyConstraint(["router", "day"], ["load_day.router", "load_day.day"], ondelete="CASCADE"),
    key=("router", "day", "interface_index"),
    grain="One row per router, day and egress interface (SNMP index; 0: unknown): its beta and alpha load.",
)  # fmt: skip


def replace_load(session: Session, measured: LoadDayEntry, loads: Iterable[InterfaceLoadEntry]) -> None:
    """Puts this measurement in the place of all that the router's day had.

    Raises:
        InvalidEntryError: a load is of another router or day.
    """
    rows = sorted(loads, key=lambda entry: entry.interface_index)
    for row in rows:
        if (row.router, row.day) != (measured.router, measured.day):
            raise InvalidEntryError(
                f"the load of interface index {row.interface_index} is of router {row.router} on {row.day}, not of "
                f"{measured.router} on {measured.day}, which is being replaced; replace each day by its own loads"
            )
    lock(session, "interface_load", measured.router, measured.day.isoformat())
    remove(session, INTERFACE_LOAD, router=measured.router, day=measured.day)
    remove(session, LOAD_DAY, router=measured.router, day=measured.day)
    store(session, LOAD_DAY, [capped(measured, ("repeated_bytes",))])
    store(session, INTERFACE_LOAD, [capped(row, _COUNTERS) for row in rows])


def load_days(session: Session, router: str, from_day: date, until_day: date) -> tuple[LoadDayEntry, ...]:
    """The router's measured days, both ends included, by day."""
    found = fetch_by(session, LOAD_DAY, LoadDayEntry, days=(from_day, until_day), router=router)
    return tuple(sorted(found, key=lambda entry: entry.day))


def interface_loads(session: Session, router: str, from_day: date, until_day: date) -> tuple[InterfaceLoadEntry, ...]:
    """The router's loads of these days, both ends included, by day and interface index."""
    found = fetch_by(session, INTERFACE_LOAD, InterfaceLoadEntry, days=(from_day, until_day), router=router)
    return tuple(sorted(found, key=lambda entry: (entry.day, entry.interface_index)))
