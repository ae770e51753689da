"""Many worlds, each from its seed, and the shortest history of one that breaks.

Run: python -m tests.support.world.campaign FIRST_SEED WORLDS NIGHTS [RESULTS]

With a file of results each world is noted there as it ends, a broken one stops no other, and seeds that are noted of
the same sources are left out: a thousand worlds may run in several sittings. Without it the first world that breaks
ends the campaign and is shortened.
"""

import gc
import logging
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.memory import folder_in_memory
from tests.support.world.history import Event, History, drawn
from tests.support.world.results import Result, Results, summed, version_of_sources
from tests.support.world.run import World, happened

# A history is shortened by so many tries at most: each lets a world happen.
_TRIES = 40
# A night makes some hundred thousand objects, which are mostly gone by themselves: looking for cycles among each 700
# took a tenth of a world.
_NEW_OBJECTS = 50_000


@dataclass
class Campaign:
    """What happened in worlds that held, by kind of fault and of act; `broken` is the first that did not."""

    worlds: int = 0
    happened: Counter[str] = field(default_factory=Counter)
    acts: Counter[str] = field(default_factory=Counter)
    broken: World | None = None
    cpu_s: float = 0.0

    def __str__(self) -> str:
        counted = ", ".join(f"{name} {count}" for name, count in sorted(self.happened.items()))
        acts = ", ".join(f"{name} {count}" for name, count in sorted(self.acts.items()))
        each_s = self.cpu_s / max(1, self.worlds)
        return f"{self.worlds} worlds, {each_s:.1f} s of a processor each\nfaults: {counted}\nacts: {acts}"


def worlds(seeds: Sequence[int], nights: int, platforms: tuple[str, ...] | None = None) -> Campaign:
    """Lets the worlds of these seeds happen, until one is broken."""
    found = Campaign()
    for seed in seeds:
        begun_s = _cpu_s()
        world = of(drawn(seed, nights, platforms))
        found.worlds += 1
        found.cpu_s += _cpu_s() - begun_s
        found.happened += world.happened
        found.acts += world.acts
        if world.broken is not None:
            found.broken = world
            break
    return found


def _cpu_s() -> float:
    """What this process and its children that have ended took so far."""
    return sum(os.times()[:4])


def noted(seeds: Sequence[int], results: Results) -> list[Result]:
    """The results of these seeds: those that are known, and the others once their worlds have happened."""
    known = results.known()
    for seed in seeds:
        if seed in known:
            continue
        begun_s = _cpu_s()
        world = of(drawn(seed, results.nights))
        broken = "" if world.broken is None else f"{world.broken}"
        cpu_s = round(_cpu_s() - begun_s, 2)
        known[seed] = Result(
            results.version, seed, results.nights, cpu_s, dict(+world.happened), dict(world.acts), broken
        )
        results.add(known[seed])
    return [known[seed] for seed in seeds]


def of(history: History) -> World:
    """The world of a history, in a folder that is empty before and gone afterwards.

    It has the same name for all: what was read and compiled for one world serves the next.
    """
    folder = Path(_folder().name) / "site"
    thresholds = gc.get_threshold()
    logging.disable(logging.WARNING)  # what HNTES logs of each disturbed call is no news here
    gc.set_threshold(_NEW_OBJECTS, *thresholds[1:])
    try:
        return happened(history, folder)
    finally:
        gc.set_threshold(*thresholds)
        logging.disable(logging.NOTSET)
        shutil.rmtree(folder)


@cache
def _folder() -> TemporaryDirectory[str]:
    """Of this process, which removes it as it ends."""
    return TemporaryDirectory(dir=folder_in_memory(for_programs=False))


def shortest(world: World, tries: int = _TRIES, run: Callable[[History], World] = of) -> World:
    """A world with as few events as could be found that breaks the same invariant.

    What follows the event that broke it is left out; then events are, in ever smaller parts.
    """
    if world.broken is None:
        return world
    name, best = world.broken.name, world
    events = list(world.history.events)
    if world.after is not None:
        events = events[: events.index(world.after) + 1]
    part = max(1, len(events) // 2)
    while tries and events:
        position = 0
        while position < len(events) and tries:
            tries -= 1
            fewer = events[:position] + events[position + part :]
            found = run(replace(world.history, events=tuple(fewer)))
            if found.broken is not None and found.broken.name == name:
                events, best = fewer, found
            else:
                position += part
        if part == 1:
            break
        part = max(1, part // 2)
    return best


def told(world: World) -> str:
    """What a person needs to see it again."""
    history = world.history
    events: Sequence[Event] = history.events
    shown = "\n".join(f"  {event!r}" for event in events)
    steps = "\n".join(world.log[-40:])
    return (
        f"seed {history.seed}, {', '.join(history.platforms)}, {history.approvals} approvals"
        f"{', with reservations' if history.reserves else ''}: {world.broken}\n"
        f"after {world.after}\n{len(events)} events:\n{shown}\nlast steps:\n{steps}"
    )


def main(first: int, count: int, nights: int, file: Path | None = None) -> int:
    """Prints what happened; 1 if a world is broken."""
    if file is not None:
        results = noted(range(first, first + count), Results(file, nights, version_of_sources()))
        print(f"seeds {first} to {first + count - 1}, {nights} nights: {summed(results)}")
        return int(any(each.broken for each in results))
    found = worlds(range(first, first + count), nights)
    print(f"seeds {first} to {first + found.worlds - 1}, {nights} nights: {found}")
    if found.broken is None:
        return 0
    print(told(found.broken))
    print("shortened:", told(shortest(found.broken)))
    return 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:4]), *map(Path, sys.argv[4:5])))
