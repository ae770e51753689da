"""What others announced of transfers: of alpha flows, and in all. Works within the caller's transaction."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from sqlalchemy import select

from hntes.sql.observations import OBSERVATION
from hntes.sql.rows import capped, fetch_by, lock, remove, store
from hntes.sql.session import Session
from hntes.sql.table import table


@dataclass(frozen=True)
class AnnouncedFlowEntry:
    """An alpha flow that somebody announced, and as what; nothing of it is authenticated.

    `experiment` and `activity` are numbers of the registry of SciTags, 0 where unknown. `is_disputed`: announcements
    name different experiments; then both are 0. `announced_bytes` are those in the flow's direction, None if not
    announced, or disputed. `reference` is the transfer's or circuit's identifier in its system, "" without one.
    """

    router: str
    day: date
    flow_id: str
    source: str
    experiment: int
    activity: int
    reference: str
    announcements: int
    announced_bytes: int | None
    is_disputed: bool


@dataclass(frozen=True)
class AnnouncedSum:
    """The transfers that ended on a day by one source, experiment and activity (0: unknown), at all routers.

    `announced_bytes` are those of both directions, as their senders say.
    """

    day: date
    source: str
    experiment: int
    activity: int
    transfers: int
    announced_bytes: int


@dataclass(frozen=True)
class AnnouncedCount:
    """The messages of one source in the files of a day and of the days beside it; see `etl.announced.folder.Counts`."""

    day: date
    source: str
    files: int
    messages: int
    malformed: int
    unknown_endpoints: int
    over_limit: int
    unread_bytes: int


ANNOUNCED_FLOW = table(
    "announced_flow", AnnouncedFlowEntry, key=("router", "day", "flow_id"),
    grain="One row per router, day and alpha flow that somebody announced.",
)  # fmt: skip
ANNOUNCED_SUM = table(
    "announced_sum", AnnouncedSum, key=("day", "source", "experiment", "activity"),
    grain="One row per day, source of announcements, experiment and activity.",
)  # fmt: skip
ANNOUNCED_COUNT = table(
    "announced_count", AnnouncedCount, key=("day", "source"),
    grain="One row per day and source of announcements with files.",
)  # fmt: skip


class AnnouncedShare(NamedTuple):
    """An announced alpha flow with what NetFlow saw: hosts as texts, bytes of the day, whether it can be true."""

    entry: AnnouncedFlowEntry
    source: str
    destination: str
    flow_bytes: int
    implausible: bool


def replace_flows(session: Session, router: str, day: date, rows: Iterable[AnnouncedFlowEntry]) -> None:
    """Replaces all announced flows of the router's day."""
    lock(session, "announced_flow", router, day.isoformat())
    remove(session, ANNOUNCED_FLOW, router=router, day=day)
    store(session, ANNOUNCED_FLOW, [capped(row, ("announced_bytes",)) for row in rows])


def replace_sums(session: Session, day: date, sums: Iterable[AnnouncedSum], counts: Iterable[AnnouncedCount]) -> None:
    """Replaces what was announced of a day in all; the nights of all routers read the same files."""
    lock(session, "announced_sum", day.isoformat())
    remove(session, ANNOUNCED_SUM, day=day)
    remove(session, ANNOUNCED_COUNT, day=day)
    store(session, ANNOUNCED_SUM, [capped(row, ("announced_bytes",)) for row in sums])
    store(session, ANNOUNCED_COUNT, counts)


def sums_of_day(session: Session, day: date) -> tuple[AnnouncedSum, ...]:
    """By source, experiment and activity."""
    found = fetch_by(session, ANNOUNCED_SUM, AnnouncedSum, day=day)
    return tuple(sorted(found, key=lambda row: (row.source, row.experiment, row.activity)))


def counts_of_day(session: Session, day: date) -> tuple[AnnouncedCount, ...]:
    """By source."""
    return tuple(sorted(fetch_by(session, ANNOUNCED_COUNT, AnnouncedCount, day=day), key=lambda row: row.source))


def shares(session: Session, router: str, from_day: date, until_day: date) -> tuple[AnnouncedShare, ...]:
    """The announced alpha flows of a router from `from_day` through `until_day`, by day and flow."""
    flow, seen = ANNOUNCED_FLOW.c, OBSERVATION.c
    columns = [flow[name] for name in AnnouncedFlowEntry.__dataclass_fields__]
    same = (flow.router == seen.router) & (flow.day == seen.day) & (flow.flow_id == seen.flow_id)
    chosen = (
        select(*columns, seen.source, seen.destination, seen.flow_bytes, seen.implausible)
        .join_from(ANNOUNCED_FLOW, OBSERVATION, same)
        .where(flow.router == router, flow.day >= from_day, flow.day <= until_day)
    )
    split = len(columns)
    found = [
        AnnouncedShare(AnnouncedFlowEntry(*row[:split]), *row[split:]) for row in map(tuple, session.execute(chosen))
    ]
    return tuple(sorted(found, key=lambda share: (share.entry.day, share.entry.flow_id)))
