"""What the configuration in force had in its queue of each day's alpha flows. Works within the caller's transaction."""

from dataclasses import dataclass
from datetime import date

from hntes.sql.rows import capped, fetch_by, remove, store
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
    remove(session, QUEUED_DAY, QUEUED_DAY.c.router == entry.router, QUEUED_DAY.c.day == entry.day)
    store(session, QUEUED_DAY, [capped(entry, ("alpha_bytes", "queued_bytes"))])


def queued_days(session: Session, router: str, from_day: date, until_day: date) -> tuple[QueuedDay, ...]:
    """The router's days, both ends included, by day; days that were not measured are left out."""
    found = fetch_by(session, QUEUED_DAY, QueuedDay, days=(from_day, until_day), router=router)
    return tuple(sorted(found, key=lambda entry: entry.day))
