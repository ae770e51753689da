"""How long one booking takes while a book grows to 1,000 random reservations over 30 days on 10 ports: the law alone,
and through the database (SQLite, each booking a transaction with its audit event).

A first booking, which loads modules and makes statements, is not counted. What is loaded by then is left out of the
search for garbage: a full one takes 60 ms, once in some hundred bookings of a process that stays.

Run: .venv/bin/python -m benchmarks.reservations. The target is below 50 ms for each.
"""

import gc
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from hntes.rules.pairs import PrefixPair
from hntes.rules.reservations.admission import refusal
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation
from hntes.workflow.context import opened
from hntes.workflow.reservations.reserve import Wanted, book, present_s

COUNT, PORTS, DAY_S = 1000, 10, 86_400
SEED = 19
_ROUTER = """
[[routers]]
name = "r{number}"
platform = "junos"
flow_folder = "flows/r{number}"
[[routers.interfaces]]
name = "et-0/0/1"
role = "both"
rate_bps = 100_000_000_000
"""


class Took(NamedTuple):
    """Seconds of both clocks."""

    wall_s: float
    processor_s: float


def main() -> None:
    """Print two lines for each way, by the wall's clock and by the processor's, which other work does not slow."""
    for what, measured in (("admission alone", _pure), ("through the database", _booked)):
        times = measured()
        print(f"{what}: {COUNT} admitted, {len(times) - COUNT} refused")
        print(_line("wall", [each.wall_s for each in times]))
        print(_line("processor", [each.processor_s for each in times]))


def _pure() -> list[Took]:
    limits = {Port(f"r{number}", "et-0/0/1"): PortLimit(10**11, 33) for number in range(PORTS)}
    booked: list[Reservation] = []
    times = []
    _keep_loaded()
    for wanted in _asked(0):
        asked = _as_reservation(wanted, len(booked) + 1)
        began = _now()
        answer = refusal(asked, booked, limits, 60 * DAY_S)
        times.append(_since(began))
        if answer is None:
            booked.append(asked)
        if len(booked) == COUNT:
            break
    return times


def _booked() -> list[Took]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hntes.toml"
        text = f'[database]\nurl = "sqlite:///{folder}/hntes.db"\n[reservations]\n'
        path.write_text(text + "".join(_ROUTER.format(number=number) for number in range(PORTS)), encoding="utf-8")
        times, admitted = [], 0
        with opened(path) as context:
            requests = _asked(present_s() + 600)
            book(context, requests[0], is_trial=True)
            _keep_loaded()
            for wanted in requests:
                began = _now()
                answer = book(context, wanted)
                times.append(_since(began))
                admitted += answer.refusal is None
                if admitted == COUNT:
                    break
    return times


def _keep_loaded() -> None:
    """As `hntes web` does: a collection of what was loaded, 60 ms, would be one booking's."""
    gc.collect()
    gc.freeze()


def _asked(begins_s: int) -> Sequence[Wanted]:
    """The same requests every time: more than are admitted."""
    chance = random.Random(SEED)
    found = []
    for number in range(4 * COUNT):
        rate_bps = chance.randint(10**8, 2 * 10**10)
        is_background = chance.random() < 0.3
        start_s = begins_s + chance.randrange(29 * DAY_S)
        path = chance.sample(range(PORTS), chance.randint(1, 3))
        found.append(
            Wanted(
                f"198.{18 + number // 65_536}.{number // 256 % 256}.{number % 256}/32>203.0.113.0/24",
                rate_bps,
                tuple(f"r{each}:et-0/0/1" for each in path),
                "anna",
                "T-1",
                start_s,
                None,
                chance.randint(600, DAY_S),
                "background" if is_background else "foreground",
                rate_bps // 10 if is_background else 0,
            )
        )
    return found


def _as_reservation(wanted: Wanted, number: int) -> Reservation:
    assert wanted.start_s is not None and wanted.length_s is not None  # noqa: PT018 - made so above
    return Reservation(
        number, wanted.owner, wanted.ticket, PrefixPair.parse(wanted.pair), wanted.rate_bps, wanted.start_s,
        wanted.start_s + wanted.length_s, wanted.kind, wanted.floor_bps, "advance", 100,
        tuple(map(Port.parse, wanted.ports)),
    )  # fmt: skip


def _now() -> Took:
    return Took(time.perf_counter(), time.process_time())


def _since(began: Took) -> Took:
    return Took(time.perf_counter() - began.wall_s, time.process_time() - began.processor_s)


def _line(clock: str, times_s: list[float]) -> str:
    ordered = [1000 * each for each in sorted(times_s)]
    last = [1000 * each for each in sorted(times_s[-100:])]
    late_ms = ordered[len(ordered) * 99 // 100]
    return (
        f"  {clock}: median {ordered[len(ordered) // 2]:.1f} ms, 99th percentile {late_ms:.1f} ms, "
        f"longest {ordered[-1]:.1f} ms; median of the last 100 {last[50]:.1f} ms"
    )


if __name__ == "__main__":
    main()
