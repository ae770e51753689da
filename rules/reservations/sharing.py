"""Shares of background transfers: each gets its floor, and a max-min fair part of what is left under the caps.

A part is defined by handing out bit by bit (per second): each to the transfer that has got least so far over its floor
and can still take one on all its ports, the lowest number first. Rounds over all of them give the same at once.

Source: Bertsekas and Gallager, "Data Networks", section 6.5.2 (max-min fair rates by filling).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from hntes.rules.reservations.reservation import Port, PortLimit, Reservation


@dataclass(frozen=True)
class Step:
    """From one edge of the calendar until before the next: the rate (bit/s) of each background transfer, by number."""

    start_s: int
    end_s: int
    rates_bps: Mapping[int, int]


def steps(
    reservations: Iterable[Reservation], limits: Mapping[Port, PortLimit], start_s: int, end_s: int
) -> tuple[Step, ...]:
    """The rates of background transfers from `start_s` until before `end_s`, period by period."""
    within = [each for each in reservations if each.overlaps(start_s, end_s)]
    inner = {moment for each in within for moment in (each.start_s, each.end_s) if start_s < moment < end_s}
    edges = [start_s, *sorted(inner), end_s]
    found = (Step(begins, ends, shares_at(within, limits, begins)) for begins, ends in pairwise(edges))
    return tuple(step for step in found if step.rates_bps)


def shares_at(reservations: Iterable[Reservation], limits: Mapping[Port, PortLimit], moment_s: int) -> dict[int, int]:
    """The rate of each background transfer at that instant, bit/s, by number.

    If reservations exceed a cap that was lowered later, nothing is left to share.
    """
    active = [each for each in reservations if each.is_active(moment_s)]
    background = sorted((each for each in active if each.kind == "background"), key=lambda each: each.number)
    paths = {each.number: _path(each, limits) for each in background}
    left = {port: limits[port].cap_bps for path in paths.values() for port in path}
    for port in left:
        left[port] -= sum(each.promised_bps for each in active if each.crosses(port))
    extra = _filled(background, paths, {port: max(bps, 0) for port, bps in left.items()})
    return {
        each.number: max(each.floor_bps, _policed_bps(each.floor_bps + extra[each.number], each, limits))
        for each in background
    }


def deciding(
    transfer: Reservation, reservations: Iterable[Reservation], limits: Mapping[Port, PortLimit]
) -> tuple[Reservation, ...]:
    """The reservations on which the rates of a transfer depend while it lasts, in their order; it is one of them.

    A foreground transfer depends on itself alone. A background transfer depends on those that it shares a port with,
    directly or through others, and on the foreground transfers that cross their ports, for their promised rates.
    """
    if transfer.kind == "foreground":
        return (transfer,)
    within = [each for each in reservations if each.overlaps(transfer.start_s, transfer.end_s)]
    sharing, ports = {transfer.number}, {*_path(transfer, limits)}
    is_growing = True
    while is_growing:
        added = [
            each
            for each in within
            if each.kind == "background" and each.number not in sharing and any(map(each.crosses, ports))
        ]
        sharing.update(each.number for each in added)
        ports.update(port for each in added for port in _path(each, limits))
        is_growing = bool(added)
    return tuple(
        each
        for each in within
        if each.number in sharing or (each.kind == "foreground" and any(map(each.crosses, ports)))
    )


def _policed_bps(share_bps: int, transfer: Reservation, limits: Mapping[Port, PortLimit]) -> int:
    """The highest rate up to a share to which all routers of a transfer's path police it."""
    for port in transfer.ports:
        share_bps = limits[port].policed.rounded_down(share_bps)
    return share_bps


def _path(transfer: Reservation, limits: Mapping[Port, PortLimit]) -> tuple[Port, ...]:
    """Its ports, and all ports of its routers as one where there is a limit for that."""
    routers = sorted({port.router for port in transfer.ports})
    return (*transfer.ports, *(port for port in map(Port.all_of, routers) if port in limits))


def _filled(
    background: list[Reservation], paths: Mapping[int, tuple[Port, ...]], left: dict[Port, int]
) -> dict[int, int]:
    """The rate of each above its floor; those that can take more have equal rates before each round."""
    extra = dict.fromkeys((each.number for each in background), 0)
    growing = background
    while growing := [each for each in growing if _can_take(each, paths, extra, left)]:
        users = Counter(port for each in growing for port in paths[each.number])
        rooms = [each.rate_bps - each.floor_bps - extra[each.number] for each in growing]
        equal_bps = min(*rooms, *(left[port] // count for port, count in users.items()))
        if equal_bps:
            for each in growing:
                _give(each, paths, equal_bps, extra, left)
        else:
            # fewer bits than transfers are left on a port: one each, in the order of their numbers
            for each in growing:
                if _can_take(each, paths, extra, left):
                    _give(each, paths, 1, extra, left)
    return extra


def _can_take(
    transfer: Reservation, paths: Mapping[int, tuple[Port, ...]], extra: Mapping[int, int], left: Mapping[Port, int]
) -> bool:
    wants = transfer.floor_bps + extra[transfer.number] < transfer.rate_bps
    return wants and all(left[port] > 0 for port in paths[transfer.number])


def _give(
    transfer: Reservation,
    paths: Mapping[int, tuple[Port, ...]],
    bps: int,
    extra: dict[int, int],
    left: dict[Port, int],
) -> None:
    extra[transfer.number] += bps
    for port in paths[transfer.number]:
        left[port] -= bps
