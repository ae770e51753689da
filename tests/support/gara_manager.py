"""GARA's requests of `papers/gara/setup.toml`, put to the manager: admitted one by one, shared at edges.

`python -m tests.support.gara_manager >papers/gara/granted.toml` writes its answers.
"""

import sys

from hntes.papers.gara.manager import BACKGROUND, Granted, Step, requests
from hntes.papers.gara.setup import setup
from hntes.rules.reservations.admission import refusal
from hntes.rules.reservations.in_force import timetable
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation
from hntes.rules.reservations.sharing import steps
from tests.support.reservations import background, reservation

SLOW_LINK = Port("core", "edge2")
HORIZON_S = 3600


def limits() -> dict[Port, PortLimit]:
    """The channel, as the cap of the slow link."""
    stated = setup()
    cap_pct = round(100 * stated.manager.channel_bps / stated.link_bps)
    return {SLOW_LINK: PortLimit(round(stated.link_bps), cap_pct, stated.manager.premium_weight_pct)}


def booked() -> dict[str, Reservation]:
    """All requests, each admitted beside those before it.

    Raises:
        AssertionError: one of them is refused.
    """
    assumed = setup().assumed
    found: dict[str, Reservation] = {}
    for number, (name, asked) in enumerate(requests(assumed).items(), 1):
        path = {"ports": (SLOW_LINK,), "rtt_ms": assumed.manager.rtt_ms}
        when = {"start_s": asked.start_s, "end_s": asked.end_s}
        floor_bps = assumed.manager.background.floor_bps
        made = (
            background(number, floor_bps, asked.rate_bps, **path, **when)
            if name == BACKGROUND
            else reservation(number, rate_bps=asked.rate_bps, **path, **when)
        )
        refused = refusal(made, list(found.values()), limits(), HORIZON_S)
        assert refused is None, refused
        found[name] = made
    return found


def answered() -> Granted:
    """What background gets from edge to edge, and the largest bucket that each transfer has."""
    there = booked()
    duration_s = setup().assumed.manager.duration_s
    number = there[BACKGROUND].number
    stretches = timetable(there.values(), limits(), SLOW_LINK.router, 0, duration_s)
    buckets: dict[str, int] = {}
    for name, each in there.items():
        sizes = [one.burst_bytes for at in stretches for one in at.reserved if one.name == f"reservation-{each.number}"]
        buckets[name] = max(sizes)
    shared = steps(there.values(), limits(), 0, duration_s)
    return Granted(tuple(Step(step.start_s, step.end_s, step.rates_bps[number]) for step in shared), buckets)


def as_toml(answer: Granted) -> str:
    """The answers as a file."""
    lines = [
        "# What the manager of rules/reservations answers to the requests of setup.toml; made by",
        "# `python -m tests.support.gara_manager`, and asked again by a test.",
        "steps = [",
        *(f"    {{ {', '.join(f'{key} = {value}' for key, value in vars(step).items())} }}," for step in answer.steps),
        "]",
        "",
        "# The largest that each transfer has, bytes.",
        "[buckets_bytes]",
        *(f"{name} = {size}" for name, size in answer.buckets_bytes.items()),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(as_toml(answered()))
