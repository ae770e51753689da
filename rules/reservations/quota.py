"""Quotas: foreground rates of a port that may be reserved without an operator's approval."""

from collections.abc import Iterable
from dataclasses import dataclass

from hntes.rules.reservations.reservation import Port


@dataclass(frozen=True)
class Quota:
    """Up to `rate_bps` of all reservations on a port, from `start_s` until before `end_s` (seconds since 1970, UTC)."""

    number: int
    port: Port
    rate_bps: int
    start_s: int
    end_s: int


def covering(
    quotas: Iterable[Quota], port: Port, policed_bps: int, start_s: int, end_s: int
) -> tuple[Quota, ...] | None:
    """Quotas of the port that, one after the other, allow this rate at each instant of [start_s, end_s).

    None: there is an instant at which no quota does. They do not add up: one must allow all of it.
    """
    able = sorted(
        (each for each in quotas if each.port == port and each.rate_bps >= policed_bps),
        key=lambda each: (each.start_s, each.number),
    )
    chain: list[Quota] = []
    reached_s = start_s
    while reached_s < end_s:
        begun = [each for each in able if each.start_s <= reached_s < each.end_s]
        if not begun:
            return None
        chain.append(max(begun, key=lambda each: each.end_s))
        reached_s = chain[-1].end_s
    return tuple(chain)
