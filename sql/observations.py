"""Alpha observations: written a router's day at a time, read as a history. Works within the caller's transaction."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date
from ipaddress import ip_address
from typing import Any, NamedTuple

from sqlalchemy import CheckConstraint, ColumnElement, Index, case, func, or_, select

from hntes.addresses import Network
from hntes.sql.entries import DetectionRule, Doubt, FlowKey, ObservationEntry
from hntes.sql.errors import InvalidEntryError
from hntes.sql.host_totals import replace_totals
from hntes.sql.rows import capped, fetch, halves_summed, lock, remove, store, whole_sum
from hntes.sql.session import Session
from hntes.sql.table import one_of, table

_COUNTERS = ("flow_bytes", "burst_bytes", "peak_bytes", "peak_sd_bytes", "confirmed_bytes")


@dataclass(frozen=True)
class RuleCount:
    """The number and span of days of a router's observations by one detection rule."""

    threshold_bytes: int
    window_s: int
    rule: str
    flow_key: str
    flows: int
    first_day: date
    last_day: date


class SeenFlow(NamedTuple):
    """The fields of an observation for a replay, as in `ObservationEntry`."""

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
    confirmed_bytes: int | None = None


OBSERVATION = table(
    "observation", ObservationEntry, one_of("flow_key", FlowKey),
    CheckConstraint("ip_version IN (4, 6)", name="ip_version"), one_of("rule", DetectionRule),
    one_of("doubt", Doubt),
    # On PostgreSQL the migration has it for patterns, whatever the collation. To name that dialect's options here would
    # load the dialect, a tenth of what a command loads for its database.
    Index(None, "router", "source", "day"),
    key=("router", "day", "flow_id"),
    grain="One row per router, day and alpha flow. `flow_id` is derived from the flow's content.",
)  # fmt: skip


def replace_day(session: Session, router: str, day: date, observations: Iterable[ObservationEntry]) -> None:
    """Replaces all observations of the router's day.

    Raises:
        InvalidEntryError: an observation is of another router or day.
    """
    rows = sorted((capped(entry, _COUNTERS) for entry in observations), key=lambda entry: entry.flow_id)
    for row in rows:
        if (row.router, row.day) != (router, day):
            raise InvalidEntryError(
                f"observation {row.flow_id} is of router {row.router} on {row.day}, not of {router} on {day}, "
                "which is being replaced; replace each router's day by its own observations"
            )
    lock(session, "observation", router, day.isoformat())
    remove(session, OBSERVATION, router=router, day=day)
    store(session, OBSERVATION, rows)
    replace_totals(session, router, day, rows)


def history(
    session: Session, router: str, until_day: date, from_day: date | None = None
) -> tuple[ObservationEntry, ...]:
    """A router's observations from `from_day` (None: from the first) through `until_day`, by day and flow id."""
    where = [OBSERVATION.c.router == router, OBSERVATION.c.day <= until_day]
    if from_day is not None:
        where.append(OBSERVATION.c.day >= from_day)
    found = fetch(session, OBSERVATION, ObservationEntry, *where)
    return tuple(sorted(found, key=lambda entry: (entry.day, entry.flow_id)))


def seen_flows(session: Session, router: str, until_day: date, from_day: date | None = None) -> tuple[SeenFlow, ...]:
    """The same for a replay, in no order: a third of the columns, several times quicker over years."""
    columns = [OBSERVATION.c[name] for name in SeenFlow._fields]
    chosen = select(*columns).where(OBSERVATION.c.router == router, OBSERVATION.c.day <= until_day)
    if from_day is not None:
        chosen = chosen.where(OBSERVATION.c.day >= from_day)
    return tuple(map(SeenFlow._make, session.execute(chosen)))


class HostFlows(NamedTuple):
    """The plausible alpha flows between two hosts over some days: their number, each counted once, and total bytes."""

    source: str
    destination: str
    flows: int
    flow_bytes: int


def host_flows(session: Session, router: str, from_day: date, until_day: date) -> tuple[HostFlows, ...]:
    """The totals per pair of hosts from `from_day` through `until_day`, in no order."""
    of = OBSERVATION.c
    hosts = (of.source, of.destination)
    chosen = select(*hosts, func.count(of.flow_id.distinct()), *halves_summed(of.flow_bytes)).where(
        of.router == router, of.day >= from_day, of.day <= until_day, of.implausible.is_(False)
    )
    rows = session.execute(chosen.group_by(*hosts))
    return tuple(HostFlows(source, destination, flows, whole_sum(*sums)) for source, destination, flows, *sums in rows)


class LargeFlow(NamedTuple):
    """A plausible alpha flow of one day; `first_ms` is when it began."""

    source: str
    destination: str
    first_ms: int
    flow_bytes: int


def largest_flows(session: Session, router: str, day: date, most: int) -> tuple[LargeFlow, ...]:
    """The plausible alpha flows of a router's day with the most bytes, the largest first."""
    of = OBSERVATION.c
    chosen = select(*(of[name] for name in LargeFlow._fields)).where(
        of.router == router, of.day == day, of.implausible.is_(False)
    )
    rows = session.execute(chosen.order_by(of.flow_bytes.desc(), of.flow_id).limit(most))
    return tuple(map(LargeFlow._make, rows))


def largest_of_routers(
    session: Session, routers: Collection[str], day: date, most: int
) -> tuple[int, dict[str, tuple[LargeFlow, ...]]]:
    """The number of plausible alpha flows of these routers on a day, and the largest by router, `most` in all."""
    of = OBSERVATION.c
    believed = (of.router.in_(routers), of.day == day, of.implausible.is_(False))
    count = session.execute(select(func.count()).where(*believed)).scalar_one()
    chosen = select(of.router, *(of[name] for name in LargeFlow._fields)).where(*believed)
    found: dict[str, list[LargeFlow]] = {}
    for router, *fields in session.execute(chosen.order_by(of.flow_bytes.desc(), of.router, of.flow_id).limit(most)):
        found.setdefault(router, []).append(LargeFlow(*fields))
    return int(count), {router: tuple(flows) for router, flows in found.items()}


def first_day(session: Session, router: str, from_day: date, until_day: date) -> date | None:
    """The first day from `from_day` through `until_day` with an observation, believed or not."""
    of = OBSERVATION.c
    chosen = select(func.min(of.day)).where(of.router == router, of.day >= from_day, of.day <= until_day)
    found: date | None = session.execute(chosen).scalar_one()
    return found


@dataclass(frozen=True)
class DaySums:
    """The alpha flows of a router's day: their number, the implausible ones, and total bytes."""

    flows: int
    implausible_flows: int
    flow_bytes: int


def day_sums(session: Session, router: str, day: date) -> DaySums:
    """The totals of a day's observations."""
    of = OBSERVATION.c
    odd = func.coalesce(func.sum(case((of.implausible, 1), else_=0)), 0)
    sums = select(func.count(), odd, *halves_summed(of.flow_bytes))
    flows, implausible, *halves = session.execute(sums.where(of.router == router, of.day == day)).one()
    return DaySums(int(flows), int(implausible), whole_sum(*halves))


def between(
    session: Session, router: str, source: Network, destination: Network, days: tuple[date, date]
) -> tuple[ObservationEntry, ...]:
    """A router's observations between hosts of two prefixes, of the days from the first through the last of `days`."""
    found = fetch(session, OBSERVATION, ObservationEntry, *_may_be_between(session, router, source, destination, days))
    inside = [e for e in found if ip_address(e.source) in source and ip_address(e.destination) in destination]
    return tuple(sorted(inside, key=lambda entry: (entry.day, entry.flow_id)))


def _may_be_between(
    session: Session, router: str, source: Network, destination: Network, days: tuple[date, date]
) -> tuple[ColumnElement[bool], ...]:
    return (
        OBSERVATION.c.router == router,
        *_may_be_in(session, OBSERVATION.c.source, source),
        *_may_be_in(session, OBSERVATION.c.destination, destination),
        OBSERVATION.c.day >= days[0],
        OBSERVATION.c.day <= days[1],
    )


def _may_be_in(session: Session, column: ColumnElement[str], prefix: Network) -> tuple[ColumnElement[bool], ...]:
    """A condition on an address as text that all hosts of the prefix fulfil, and by which an index finds them."""
    head = text_head(prefix)
    if not head:
        return ()
    return _begins_with(session.dialect.name, column, head, text_behind(head))


def _begins_with(dialect: str, column: Any, head: Any, behind: Any) -> tuple[ColumnElement[bool], ...]:
    if dialect == "postgresql":
        return (column.startswith(head),)  # texts are ordered by the database's collation, whatever that is
    return column >= head, column < behind


def text_behind(head: str) -> str:
    """The first text, by code points, after all that begin so."""
    return head[:-1] + chr(ord(head[-1]) + 1)


def text_head(prefix: Network) -> str:
    """What the canonical texts (RFC 5952) of all hosts of a prefix begin with; "" if nothing is common to all.

    Example:
        >>> from ipaddress import ip_network
        >>> text_head(ip_network("198.18.0.0/15")), text_head(ip_network("2001:db8:0:7::/64"))
        ('198.', '2001:db8:')
    """
    if prefix.version == 4:
        parts = str(prefix.network_address).split(".")[: prefix.prefixlen // 8]
        return "".join(f"{part}." for part in parts[:3])
    parts = [f"{int(part, 16):x}" for part in prefix.network_address.exploded.split(":")[: prefix.prefixlen // 16]]
    # from the first group of zeros on, some of the texts may be shortened
    whole = parts[: parts.index("0")] if "0" in parts else parts
    return "".join(f"{part}:" for part in whole[:7])


def believed_hosts(session: Session, router: str) -> frozenset[tuple[str, str]]:
    """Sources and destinations between which the router carried an alpha flow that can be true, on any day."""
    hosts = select(OBSERVATION.c.source, OBSERVATION.c.destination).distinct()
    rows = session.execute(hosts.where(OBSERVATION.c.router == router, OBSERVATION.c.implausible.is_(False)))
    return frozenset((source, destination) for source, destination in rows)


def rule_counts(
    session: Session, router: str, from_day: date, until_day: date, other_than: tuple[int, int, str, str] | None = None
) -> tuple[RuleCount, ...]:
    """The detection rules that made a router's observations from `from_day` through `until_day`, in their order.

    `other_than` is one to be passed over: threshold, window, rule and flow key.
    """
    rule = (OBSERVATION.c.threshold_bytes, OBSERVATION.c.window_s, OBSERVATION.c.rule, OBSERVATION.c.flow_key)
    others = (
        () if other_than is None else (or_(*(column != value for column, value in zip(rule, other_than, strict=True))),)
    )
    counts = (func.count(), func.min(OBSERVATION.c.day), func.max(OBSERVATION.c.day))
    of_router = (OBSERVATION.c.router == router, OBSERVATION.c.day >= from_day, OBSERVATION.c.day <= until_day)
    rows = session.execute(select(*rule, *counts).where(*of_router, *others).group_by(*rule))
    return tuple(sorted((RuleCount(*row) for row in rows), key=lambda found: (found.first_day, str(found))))
