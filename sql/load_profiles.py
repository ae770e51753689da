"""The load profile of a day on each core port: bytes of each five minutes. Works within the caller's transaction.

Packed into one row per interface and day: a page draws whole days, and nothing asks for single values.
"""

import zlib
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from sys import byteorder

from sqlalchemy import ForeignKeyConstraint

from hntes.sql.rows import MOST, fetch_by, remove, store
from hntes.sql.session import Session
from hntes.sql.table import table

BIN_MINUTES = 5
BINS = 24 * 60 // BIN_MINUTES


@dataclass(frozen=True)
class LoadProfile:
    """IP bytes that left one interface on a day, in bins of five minutes from 0:00 UTC.

    `queued_bytes` are of the pairs in force on the day, `new_bytes` of pairs that have a rule as of the day and were
    not in force, `beta_bytes` all other.
    """

    router: str
    day: date
    interface_index: int
    queued_bytes: tuple[int, ...]
    new_bytes: tuple[int, ...]
    beta_bytes: tuple[int, ...]


@dataclass(frozen=True)
class _PackedProfile:
    router: str
    day: date
    interface_index: int
    profile: bytes


LOAD_PROFILE = table(
    "load_profile", _PackedProfile,
    ForeignKeyConstraint(["router", "day"], ["load_day.router", "load_day.day"], ondelete="CASCADE"),
    key=("router", "day", "interface_index"),
    grain="One row per router, day and core port (SNMP index): its bytes of each five minutes by queue, packed.",
)  # fmt: skip


def replace_profiles(session: Session, router: str, day: date, profiles: Iterable[LoadProfile]) -> None:
    """Puts these in the place of all that the router's day had, in the transaction that has replaced its load."""
    remove(session, LOAD_PROFILE, router=router, day=day)
    store(session, LOAD_PROFILE, [_packed(each) for each in profiles])


def load_profiles(session: Session, router: str, day: date) -> tuple[LoadProfile, ...]:
    """The profiles of a router's day by interface index; none if it was not measured, or before there were any."""
    found = fetch_by(session, LOAD_PROFILE, _PackedProfile, router=router, day=day)
    return tuple(_unpacked(each) for each in sorted(found, key=lambda each: each.interface_index))


@dataclass(frozen=True)
class LoadSum:
    """A profile summed over its day; `busiest_bytes` are of the five minutes with the most traffic."""

    day: date
    interface_index: int
    queued_bytes: int
    new_bytes: int
    beta_bytes: int
    busiest_bytes: int


def load_sums(session: Session, router: str, from_day: date, until_day: date) -> tuple[LoadSum, ...]:
    """The router's profiles of these days, both ends included, summed; by day and interface index."""
    found = fetch_by(session, LOAD_PROFILE, _PackedProfile, days=(from_day, until_day), router=router)
    return tuple(_summed(each) for each in sorted(found, key=lambda each: (each.day, each.interface_index)))


def _summed(row: _PackedProfile) -> LoadSum:
    one = _unpacked(row)
    queued, new, beta = one.queued_bytes, one.new_bytes, one.beta_bytes
    busiest = max(map(sum, zip(queued, new, beta, strict=True)))
    return LoadSum(row.day, row.interface_index, sum(queued), sum(new), sum(beta), busiest)


def _packed(one: LoadProfile) -> _PackedProfile:
    series = (one.queued_bytes, one.new_bytes, one.beta_bytes)
    values = array("Q", (min(value, MOST) for each in series for value in each))
    if byteorder == "big":
        values.byteswap()
    return _PackedProfile(one.router, one.day, one.interface_index, zlib.compress(values.tobytes()))


def _unpacked(row: _PackedProfile) -> LoadProfile:
    values = array("Q", zlib.decompress(row.profile))
    if byteorder == "big":
        values.byteswap()
    queued, new, beta = (tuple(values[first : first + BINS]) for first in range(0, 3 * BINS, BINS))
    return LoadProfile(row.router, row.day, row.interface_index, queued, new, beta)
