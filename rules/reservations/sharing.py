"""What each background transfer gets: its floor, and a max-min fair part of what is left under the caps.

A part is defined by handing out bit by bit (per second): each to the transfer that has got least so far over its floor
and can still take one on all its ports, the lowest number first. Rounds over all of them give the same at once.

Source: Bertsekas and Gallager, "Data Networks", section 6.5.2 (max-min fair rates by filling).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from rules.reservations.reservation import Port, PortLimit, Reservation


@dataclass(frozen=True)
class Step:
    """From one edge of the calendar until before the next: the rate (bit/s) of each background transfer, by number."""

    start_s: int
    end_s: int
    rates_bps: Mapping[int, int]


def steps(
    reservations: Iterable[Reservation], limits: Mapping[Port, PortLimit], start_s: int, end_s: int
) -> tuple[Step, ...]:
    """What background transfers get from `start_s` until before `end_s`, edge by edge, where there are any."""
    within = [each for each in reservations if each.overlaps(start_s, end_s)]
    inner = {moment for each in within for moment in (each.start_s, each.end_s) if start_s < moment < end_s}
    edges = [start_s, *sorted(inner), end_s]
    found = (Step(begins, ends, shares_at(within, limits, begins)) for begins, ends in pairwise(edges))
    return tuple(step for step in found if step.rates_bps)


def shares_at(reservations: Iterable[Reservation], limits: Mapping[Port, PortLimit], moment_s: int) -> dict[int, int]:
    """What each background transfer gets at that instant, bit/s, by number.

    What stands above a cap, since the cap was lowered after it was booked, leaves nothing to share.
    """
    active = [each for each in reservations if each.is_active(moment_s)]
    background = sorted((each for each in active if each.kind == "background"), key=lambda each: each.number)
    left = {port: limits[port].cap_bps for each in background for port in each.ports}
    for each in active:
        for port in each.ports:
            if port in left:
                left[port] -= each.promised_bps
    extra = _filled(background, {port: max(bps, 0) for port, bps in left.items()})
    return {each.number: each.floor_bps + extra[each.number] for each in background}


def _filled(background: list[Reservation], left: dict[Port, int]) -> dict[int, int]:
    """What each gets over its floor; those that can take more have all got the same before each round."""
    extra = dict.fromkeys((each.number for each in background), 0)
    growing = background
    while growing := [each for each in growing if _can_take(each, extra, left)]:
        users = {port: sum(port in each.ports for each in growing) for each in growing for port in each.ports}
        rooms = [each.rate_bps - each.floor_bps - extra[each.number] for each in growing]
        equal_bps = min(*rooms, *(left[port] // count for port, count in users.items()))
        if equal_bps:
            for each in growing:
                _give(each, equal_bps, extra, left)
        else:
            # fewer bits than transfers are left on a port: one each, in the order of their numbers
            for each in growing:
                if _can_take(each, extra, left):
                    _give(each, 1, extra, left)
    return extra


def _can_take(transfer: Reservation, extra: Mapping[int, int], left: Mapping[Port, int]) -> bool:
    wants = transfer.floor_bps + extra[transfer.number] < transfer.rate_bps
    return wants and all(left[port] > 0 for port in transfer.ports)


def _give(transfer: Reservation, bps: int, extra: dict[int, int], left: dict[Port, int]) -> None:
    extra[transfer.number] += bps
    for port in transfer.ports:
        left[port] -= bps
