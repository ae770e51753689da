"""Random calendars of one router, walked edge by edge on an emulated one: what it polices is what is reserved then."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hntes.platforms.render import render
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from hntes.rules.qos.reserved import with_reserved
from hntes.rules.reservations.admission import refusal
from hntes.rules.reservations.intervals import Interval, intervals
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation
from hntes.rules.reservations.sharing import shares_at
from tests.support.benches import bench_of
from tests.support.devices.farm import Farm
from tests.support.pushes import Bench
from tests.support.pushes_lines import LinesBench
from tests.support.qos_models import PAIRS, PLANS, PORTS, router
from tests.support.reservations import random_reservation

MBIT = 10**6
HORIZON_S = 200
_NUMBER, _BITS = r"premium-reservation-(?P<number>\d+)", r"(?P<rate>\d+)"
_CLASS = rf"class hntes-{_NUMBER}\n(?:(?! class).*\n)*?\s*police"
# What a reservation's meter is in the words of each platform; a unit that is not said is that of _UNIT.
_RATE = {
    "junos": rf"policer hntes-{_NUMBER} \{{\s+if-exceeding \{{\s+bandwidth-limit {_BITS}(?P<unit>k|m|g|);",
    "iosxe": rf"{_CLASS} cir {_BITS}(?P<unit>)",
    "iosxr": rf"{_CLASS} rate {_BITS} (?P<unit>bps|kbps|mbps|gbps)",
    "sros": rf"\bpir {_BITS}(?P<unit>)\n(?:(?! *entry ).*\n)*? *description {_NUMBER}\n",
    "eos": rf"match {_NUMBER} ipv[46]\n(?:(?! *match ).*\n)*? *police rate {_BITS} (?P<unit>kbps) ",
}
_UNIT = {"sros": "kbps"}
_FACTORS = {"": 1, "bps": 1, "k": 10**3, "kbps": 10**3, "m": 10**6, "mbps": 10**6, "g": 10**9, "gbps": 10**9}


@dataclass(frozen=True)
class Walk:
    """How many edges a calendar had, and at how many of them the router's configuration changed."""

    edges: int
    changes: int


def walked(farm: Farm, folder: Path, seed: int, platform: str) -> Walk:
    """Pushes the text of each edge over that of the one before, as a delivery does, and asks the router each time.

    It must police exactly what is reserved then, at its rate, keep the pairs' rules, and in the end hold what it held
    before anything was reserved.
    """
    chance = random.Random(seed)
    base = build_model(router(platform), PLANS["premium"], PAIRS)
    booked, limits = _booked(chance, platform)
    texts = intervals(booked, limits, "wr", 0, HORIZON_S)
    models = [with_reserved(base, each.reserved, None) for each in texts]
    on = _bench(farm, folder, platform, models, base)
    try:
        changes = _walked(on, platform, booked, limits, texts)
    finally:
        on.served.stop()
    return Walk(len(texts), changes)


def _walked(
    on: Bench, platform: str, booked: list[Reservation], limits: dict[Port, PortLimit], texts: Sequence[Interval]
) -> int:
    """At how many edges the router's configuration changed."""
    assert on.push(before="before", after="base").outcome == "done"
    plain, last, changes = _held(on), "base", 0
    for number, edge in enumerate(texts):
        name = str(number)
        pushed = on.push(before=last, after=name)
        assert pushed.outcome in ("done", "held"), (number, pushed)
        changes += pushed.outcome == "done"
        assert policed(on.shown(), platform) == _wanted(booked, limits, edge.start_s), number
        last = name
    assert texts[-1].reserved == ()
    assert _held(on) == plain
    return changes


def policed(shown: str, platform: str) -> dict[int, int]:
    """What a router's configuration polices, bit/s by reservation, read from its lines."""
    return {
        int(found["number"]): int(found["rate"]) * _FACTORS[found["unit"] or _UNIT.get(platform, "")]
        for found in re.finditer(_RATE[platform], shown)
    }


def _held(on: Bench) -> object:
    """What the router holds, whatever the order in which it was typed."""
    return on.statements(on.router.running) if isinstance(on, LinesBench) else on.shown()


def _wanted(booked: list[Reservation], limits: dict[Port, PortLimit], second: int) -> dict[int, int]:
    shares = shares_at(booked, limits, second)
    active = [each for each in booked if each.start_s <= second < each.end_s]
    return {each.number: shares[each.number] if each.kind == "background" else each.rate_bps for each in active}


def _booked(chance: random.Random, platform: str) -> tuple[list[Reservation], dict[Port, PortLimit]]:
    """Some reservations that fit beside each other, on the two ports with queues; rates are whole Mb/s."""
    ports = [Port("wr", name) for name in PORTS[platform][1:]]
    limits = {ports[0]: PortLimit(10**10, 33, 40), ports[1]: PortLimit(10**9, 33, 40)}
    limits[Port.all_of("wr")] = PortLimit(10**9, 33, 40)
    booked: list[Reservation] = []
    for number in range(1, 12):
        drawn = random_reservation(chance, number, ports, 60, 30, 180)
        wanted = replace(drawn, rate_bps=drawn.rate_bps * MBIT, floor_bps=drawn.floor_bps * MBIT)
        if refusal(wanted, booked, limits, HORIZON_S) is None:
            booked.append(wanted)
    return booked, limits


def _bench(farm: Farm, folder: Path, platform: str, models: list[RouterModel], base: RouterModel) -> Bench:
    on = bench_of(platform, folder, farm)
    on.texts = on.texts | {"base": render(base)} | {str(n): render(each) for n, each in enumerate(models)}  # type: ignore[misc]
    return on
