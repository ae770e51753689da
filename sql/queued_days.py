"""What the configuration in force had in its queue of each day's alpha flows. Works within the caller's transaction."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from sqlalchemy import func, select

from hntes.sql.rows import capped, fetch_by, halves_summed, remove, store, whole_sum
from hntes.sql.session import Session
from hntes.sql.table import table


@dataclass(frozen=True)
class QueuedDay:
    """The believed alpha flows of a router's day and the pairs in force on it (approved for an earlier day).

    `alpha_bytes` are of all of them, `queued_bytes` of those between hosts of these pairs, each flow once.
    """

    router: str
    day: date
    pairs_in_force: int
    alpha_bytes: int
    queued_bytes: int


QUEUED_DAY = table(
    "queued_day", QueuedDay, key=("router", "day"),
    grain="One row per router and measured day: bytes of its alpha flows, and of those that pairs in force match.",
)  # fmt: skip


def replace_queued_day(session: Session, entry: QueuedDay) -> None:
    """Puts this in the place of what the router's day had, in the transaction that has replaced its load."""
    remove(session, QUEUED_DAY, router=entry.router, day=entry.day)
    store(session, QUEUED_DAY, [capped(entry, ("alpha_bytes", "queued_bytes"))])


def queued_days(session: Session, router: str, from_day: date, until_day: date) -> tuple[QueuedDay, ...]:
    """The router's days, both ends included, by day; days that were not measured are left out."""
    found = fetch_by(session, QUEUED_DAY, QueuedDay, days=(from_day, until_day), router=router)
    return tuple(sorted(found, key=lambda entry: entry.day))


@dataclass(frozen=True)
class QueuedSum:
    """The same of a day summed over the routers that were measured on it."""

    day: date
    routers: int
    alpha_bytes: int
    queued_bytes: int


def queued_sums(
    session: Session, routers: Collection[str], from_day: date, until_day: date
) -> tuple[QueuedSum, ...]:  # fmt: skip
    """The days of these routers, both ends included, by day; those on which none was measured are left out."""
    of = QUEUED_DAY.c
    sums = select(of.day, func.count(), *halves_summed(of.alpha_bytes), *halves_summed(of.queued_bytes))
    chosen = sums.where(of.router.in_(routers), of.day >= from_day, of.day <= until_day)
    rows = session.execute(chosen.group_by(of.day).order_by(of.day))
    return tuple(
        QueuedSum(day, routers, whole_sum(*halves[:2]), whole_sum(*halves[2:])) for day, routers, *halves in rows
    )
