"""Alpha observations: written a router's day at a time, read as a history. Works within the caller's transaction."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from sqlalchemy import case, func, or_, select, tuple_
from sqlalchemy.orm import Session

from sql.entries import DailyTotal, ObservationEntry
from sql.errors import InvalidEntryError
from sql.models import Observation
from sql.rows import fetch, lock, remove, store


@dataclass(frozen=True)
class RuleCount:
    """How many of a router's observations one detection rule made, and from which day to which."""

    threshold_bytes: int
    window_s: int
    rule: str
    flow_key: str
    flows: int
    first_day: date
    last_day: date


class SeenFlow(NamedTuple):
    """What a replay needs of an observation; the fields are those of `ObservationEntry`."""

    day: date
    flow_id: str
    source: str
    destination: str
    flow_bytes: int
    burst_bytes: int
    peak_bytes: int
    peak_sd_bytes: int | None
    borderline: bool
    implausible: bool


def replace_day(session: Session, router: str, day: date, observations: Iterable[ObservationEntry]) -> None:
    """Puts these observations in the place of all that the router's day had.

    Raises:
        InvalidEntryError: an observation is of another router or day.
    """
    rows = sorted(observations, key=lambda entry: entry.flow_id)
    for row in rows:
        if (row.router, row.day) != (router, day):
            raise InvalidEntryError(
                f"observation {row.flow_id} is of router {row.router} on {row.day}, not of {router} on {day}, "
                "which is being replaced; replace each router's day by its own observations"
            )
    lock(session, "observation", router, day.isoformat())
    remove(session, Observation, Observation.router == router, Observation.day == day)
    store(session, Observation, rows)


def history(
    session: Session, router: str, until_day: date, from_day: date | None = None
) -> tuple[ObservationEntry, ...]:
    """A router's observations from `from_day` (None: from the first) through `until_day`, by day and flow id."""
    where = [Observation.router == router, Observation.day <= until_day]
    if from_day is not None:
        where.append(Observation.day >= from_day)
    found = fetch(session, Observation, ObservationEntry, *where)
    return tuple(sorted(found, key=lambda entry: (entry.day, entry.flow_id)))


def seen_flows(session: Session, router: str, until_day: date, from_day: date | None = None) -> tuple[SeenFlow, ...]:
    """The same for a replay, in no order: a third of the columns, several times quicker over years."""
    columns = [Observation.__table__.c[name] for name in SeenFlow._fields]
    chosen = select(*columns).where(Observation.router == router, Observation.day <= until_day)
    if from_day is not None:
        chosen = chosen.where(Observation.day >= from_day)
    return tuple(map(SeenFlow._make, session.execute(chosen)))


def daily_totals(
    session: Session, router: str, until_day: date, from_day: date | None = None
) -> tuple[DailyTotal, ...]:
    """A router's observations through `until_day`, added up by day and pair of hosts, by day, source and destination.

    All that the life of rules needs of years of history, many times quicker than the observations themselves. Flows
    that cannot be true count between hosts only that were seen otherwise, too, whenever: of forged ones there may be
    any number.
    """
    key = (Observation.day, Observation.source, Observation.destination, Observation.implausible)
    weak = func.sum(case((Observation.borderline, 1), else_=0))
    sums = (func.count(), func.sum(Observation.flow_bytes), func.max(Observation.peak_bytes), weak)
    hosts = (Observation.source, Observation.destination)
    seen = select(*hosts).where(Observation.router == router, Observation.implausible.is_(False))
    chosen = select(*key, *sums).where(
        Observation.router == router,
        Observation.day <= until_day,
        or_(Observation.implausible.is_(False), tuple_(*hosts).in_(seen)),
    )
    if from_day is not None:
        chosen = chosen.where(Observation.day >= from_day)
    chosen = chosen.group_by(*key)
    # PostgreSQL adds up 64-bit integers as numeric
    rows = session.execute(chosen)
    totals = (DailyTotal(d, s, t, n, int(octets), peak, int(weak), odd) for d, s, t, odd, n, octets, peak, weak in rows)
    return tuple(sorted(totals, key=lambda total: (total.day, total.source, total.destination, total.implausible)))


def believed_hosts(session: Session, router: str) -> frozenset[tuple[str, str]]:
    """Sources and destinations between which the router carried an alpha flow that can be true, on any day."""
    hosts = select(Observation.source, Observation.destination).distinct()
    rows = session.execute(hosts.where(Observation.router == router, Observation.implausible.is_(False)))
    return frozenset((source, destination) for source, destination in rows)


def rule_counts(session: Session, router: str, from_day: date, until_day: date) -> tuple[RuleCount, ...]:
    """The detection rules that made a router's observations from `from_day` through `until_day`, in their order."""
    rule = (Observation.threshold_bytes, Observation.window_s, Observation.rule, Observation.flow_key)
    counts = (func.count(), func.min(Observation.day), func.max(Observation.day))
    of_router = (Observation.router == router, Observation.day >= from_day, Observation.day <= until_day)
    rows = session.execute(select(*rule, *counts).where(*of_router).group_by(*rule))
    return tuple(sorted((RuleCount(*row) for row in rows), key=lambda found: (found.first_day, str(found))))
