"""Alpha traffic of any period by router, or of one router by source, destination, both, named site, or AS."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

import numpy as np

from hntes.addresses import Network
from hntes.rules.columns import WIDTHS, Addresses, Mask, PairColumns, Whole
from hntes.rules.lifetime.history import PrefixLengths
from hntes.rules.lifetime.pair_search import PairSearch
from hntes.rules.lifetime.stored_history import stored_history
from hntes.rules.origin_as import Origins
from hntes.settings.model import Router
from hntes.sql import host_totals
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.review.pair_owners import Sites, sites_of

__all__ = ["GROUP_LENGTH", "GroupBy", "TrafficGroup", "TrafficGroups", "traffic_by_router", "traffic_of_router"]

GroupBy = Literal["router", "source", "destination", "pair", "site", "as"]
# What a site commonly has, by IP version.
GROUP_LENGTH = {4: 16, 6: 32}
_HOSTS = PrefixLengths((32, 32), (128, 128))
_GROUPS = PrefixLengths((16, 16), (32, 32))


@dataclass(frozen=True)
class TrafficGroup:
    """What a router, or the hosts of prefixes, had in alpha traffic: its believed bytes, on how many days.

    `search` finds its pairs ("" for a router, and between sites or AS); `flows` is None for a router.
    """

    name: str
    search: str
    alpha_bytes: int
    days: int
    flows: int | None = None


@dataclass(frozen=True)
class TrafficGroups:
    """The groups, most bytes first, and the sums of each day from `first` through `last`; flows are counted once."""

    first: date
    last: date
    groups: tuple[TrafficGroup, ...]
    by_day: tuple[int, ...]

    @property
    def alpha_bytes(self) -> int:
        return sum(self.by_day)


def traffic_by_router(context: Context, routers: Sequence[Router], first: date, last: date) -> TrafficGroups:
    """The alpha traffic of each of these routers.

    Raises:
        CommandError: the days are in the wrong order, or in the future.
    """
    _require_days(context, first, last)
    sums = [0] * ((last - first).days + 1)
    groups = []
    with reading(context.database) as session:
        for router in routers:
            found = host_totals.believed_bytes_by_day(session, router.name, first, last)
            for day, carried in found.items():
                sums[(day - first).days] += carried
            groups.append(TrafficGroup(router.name, "", sum(found.values()), sum(1 for each in found.values() if each)))
    return TrafficGroups(first, last, _ordered(groups), tuple(sums))


def traffic_of_router(
    context: Context, router: Router, first: date, last: date, by: GroupBy, search: PairSearch | None = None
) -> TrafficGroups:
    """The alpha traffic of one router by prefixes, named sites or autonomous systems of its hosts.

    With `search` only that between hosts that it finds.

    Raises:
        CommandError: as `traffic_by_router`; by AS, as `origins_of`.
    """
    _require_days(context, first, last)
    owners = _owners(context, by)
    with reading(context.database) as session:
        stored = host_totals.observation_days(session, router.name, (first, last))
    history = stored_history(stored, last, _HOSTS if search or owners else _GROUPS)
    pair, day, flows, carried, *_ = np.frombuffer(history.days.columns(), np.int64).reshape(7, -1)
    day = day - first.toordinal()
    if search is not None:
        chosen = _found(history.pairs, search)[pair]
        pair, day, flows, carried = pair[chosen], day[chosen], flows[chosen], carried[chosen]
    group_of, names = _by_owner(owners, history.pairs) if owners else _groups(history.pairs, by)
    count = (last - first).days + 1
    group = group_of[pair]
    flows_of, bytes_of = (_summed(each, group, len(names)) for each in (flows, carried))
    seen = np.zeros((len(names), count), np.bool_)
    seen[group[carried > 0], day[carried > 0]] = True
    days_of, by_day = seen.sum(axis=1), _summed(carried, day, count)
    groups = [
        TrafficGroup(*names[number], int(bytes_of[number]), int(days_of[number]), int(flows_of[number]))
        for number in np.flatnonzero(bytes_of).tolist()
    ]
    return TrafficGroups(first, last, _ordered(groups), tuple(by_day.tolist()))


def _require_days(context: Context, first: date, last: date) -> None:
    context.require_come(last)
    if last < first:
        raise CommandError(f"the last day, {last}, is before the first, {first}; swap them")


def _ordered(groups: Sequence[TrafficGroup]) -> tuple[TrafficGroup, ...]:
    return tuple(sorted(groups, key=lambda each: (-each.alpha_bytes, each.name)))


def _found(pairs: PairColumns, search: PairSearch) -> Mask:
    """Which of these pairs of hosts a search finds."""
    if search.either:
        return _within(pairs, pairs.source, search.source) | _within(pairs, pairs.destination, search.source)
    return _within(pairs, pairs.source, search.source) & _within(pairs, pairs.destination, search.destination)


def _within(pairs: PairColumns, side: Addresses, prefix: Network | None) -> Mask:
    if prefix is None:
        return np.ones(len(pairs), dtype=np.bool_)
    masked = side.masked(prefix.prefixlen, WIDTHS[prefix.version])
    wanted = Addresses.of([int(prefix.network_address)])
    found: Mask = (pairs.version == prefix.version) & (masked.hi == wanted.hi[0]) & (masked.lo == wanted.lo[0])
    return found


def _groups(pairs: PairColumns, by: GroupBy) -> tuple[Whole, list[tuple[str, str]]]:
    """The group of each pair, and the groups' names and searches."""
    sides: Mapping[GroupBy, tuple[bool, bool]] = {
        "source": (True, False), "destination": (False, True), "pair": (True, True)
    }  # fmt: skip
    has_source, has_destination = sides[by]
    columns = [pairs.version]
    for side, is_used in ((pairs.source, has_source), (pairs.destination, has_destination)):
        masked = [side.masked(GROUP_LENGTH[version], WIDTHS[version]) for version in (4, 6)]
        for half in ("hi", "lo"):
            of_four, of_six = (getattr(each, half).view(np.int64) for each in masked)
            columns.append(np.where(pairs.version == 4, of_four, of_six) if is_used else np.zeros_like(pairs.version))
    _, first, group_of = np.unique(np.stack(columns), axis=1, return_index=True, return_inverse=True)
    names = []
    for each in pairs.pairs(first):
        ends = (_wider(each.source) if has_source else "", _wider(each.destination) if has_destination else "")
        names.append((" > ".join(filter(None, ends)), ">".join(ends)))
    return group_of.reshape(-1), names


def _summed(values: Whole, place: Whole, count: int) -> Whole:
    """The sums of these values by their places. Floating point, as of `bincount`, would round what is above 2^53."""
    sums = np.zeros(count, np.int64)
    np.add.at(sums, place, values)
    return sums


def _owners(context: Context, by: GroupBy) -> Sites | Origins | None:
    """Whose hosts they are; None by prefix."""
    match by:
        case "site":
            return sites_of(context)
        case "as":
            # Reading tables of a million prefixes takes libraries that nothing else here needs.
            from hntes.workflow.reports.as_tables import origins_of

            return origins_of(context)
        case _:
            return None


def _by_owner(owners: Sites | Origins, pairs: PairColumns) -> tuple[Whole, list[tuple[str, str]]]:
    """The same by the owners of source and destination."""
    source, destination = (owners.numbers(pairs.version, side) for side in (pairs.source, pairs.destination))
    count = len(owners.names)
    found, group_of = np.unique(source * count + destination, return_inverse=True)
    names = [(f"{owners.names[one // count]} > {owners.names[one % count]}", "") for one in found.tolist()]
    return group_of.reshape(-1), names


def _wider(prefix: Network) -> str:
    return str(prefix.supernet(new_prefix=min(GROUP_LENGTH[prefix.version], prefix.prefixlen)))


def whole_days(first: date, count: int) -> tuple[date, ...]:
    """So many days from the first on."""
    return tuple(first + timedelta(days=number) for number in range(count))
