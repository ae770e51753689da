"""The history of a world: what happens in which night, drawn from a seed. Each event has a seed of its own, so that it
stays the same when others are left out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from tests.support.world import traffic
from tests.support.world.places import PLATFORMS, RESERVING

# What may happen between an approval and its delivery, or after it, and how often relative to each other.
BETWEEN = {
    "exclude": 4,
    "end exclusion": 2,
    "pin": 2,
    "unpin": 2,
    "protect": 1,
    "hand edit elsewhere": 2,
    "hand edit of HNTES' part": 1,
    "undo by hand": 1,
    "damage a file": 2,
    "back up": 2,
    "restore": 1,
    "remove": 1,
    "remove a pair": 1,
    "reject": 1,
    "withdraw": 1,
    "router restarts": 1,
}
# And where there are reservations.
OF_OWNERS = {"reserve": 5, "cancel": 1, "grant a quota": 2, "revoke a quota": 1}
OF_PROCESS = ("killed at a durable write", "torn write", "full disk", "clock jump")
OF_SESSION = ("cut before", "cut after", "refused", "silent", "killed at a request")


@dataclass(frozen=True)
class Event:
    """`router`: its number, for what concerns one. `fault`: what goes wrong meanwhile, "" if nothing does."""

    night: int
    act: str
    router: int = 0
    fault: str = ""
    seed: int = 0

    def __str__(self) -> str:
        where = "" if self.act in ("night", "traffic", "back up", "restore") else f" r{self.router + 1}"
        return f"night {self.night}: {self.act}{where}" + (f" ({self.fault})" if self.fault else "")


@dataclass(frozen=True)
class History:
    """A world: its seed, its routers' platforms, how many must approve, what happens; whether rates are reserved."""

    seed: int
    platforms: tuple[str, ...]
    approvals: int
    events: tuple[Event, ...]
    reserves: bool = False


def drawn(seed: int, nights: int, platforms: tuple[str, ...] | None = None) -> History:
    """The history of a seed; its platforms, too, unless they are given."""
    draw = Random(seed)
    chosen = tuple(draw.sample(PLATFORMS, draw.choice((1, 1, 1, 2, 3))))
    approvals = draw.choice((1, 1, 2))
    platforms = platforms or chosen
    reserves = draw.random() < 0.6 and all(each in RESERVING for each in platforms)
    events = tuple(event for night in range(nights) for event in _of_night(draw, night, len(platforms), reserves))
    return History(seed, platforms, approvals, events, reserves)


def _of_night(draw: Random, night: int, routers: int, reserves: bool) -> Iterator[Event]:
    def event(act: str, router: int = 0, faults: tuple[str, ...] = (), chance: float = 0.0) -> Event:
        fault = draw.choice(faults) if faults and draw.random() < chance else ""
        return Event(night, act, router, fault, draw.getrandbits(32))

    for router in range(routers):
        yield event("traffic", router, traffic.FAULTS, 0.25)
    yield event("night", 0, OF_PROCESS, 0.25)
    for router in range(routers):
        yield from (_between(draw, event, routers) for _ in range(draw.choice((0, 0, 1))))
        if draw.random() < 0.85:
            yield event("approve", router, OF_PROCESS, 0.15)
        yield from (_between(draw, event, routers) for _ in range(draw.choice((0, 0, 1))))
        if reserves:
            yield from _of_owners(draw, event, router)
        if draw.random() < 0.85:
            yield event("deliver", router, OF_PROCESS + OF_SESSION, 0.4)
    if draw.random() < 0.5:
        yield event("settle")


def _of_owners(draw: Random, event: Callable[..., Event], router: int) -> Iterator[Event]:
    """What is asked for is approved and brought to the router for itself, too, beside the rules of the night."""
    if draw.random() < 0.5:
        act = draw.choices(tuple(OF_OWNERS), tuple(OF_OWNERS.values()))[0]
        yield event(act, router, OF_PROCESS, 0.3)
    if draw.random() < 0.7:
        yield event("approve reservations", router, OF_PROCESS, 0.15)
    if draw.random() < 0.5:
        yield event("deliver reservations", router, OF_PROCESS + OF_SESSION, 0.3)


def _between(draw: Random, event: Callable[..., Event], routers: int) -> Event:
    act = draw.choices(tuple(BETWEEN), tuple(BETWEEN.values()))[0]
    return event(act, draw.randrange(routers), OF_PROCESS + OF_SESSION, 0.3)
