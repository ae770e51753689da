"""Places for work beside other work: what only waits leaves its own to the next, what takes too long is stopped."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Generic, TypeVar

from hntes.workflow.stage_log import warn
from hntes.workflow.stages.beside import Beside
from hntes.workflow.stages.job_budget import Machine

W = TypeVar("W")

# A folder of which no file was read for so long waits for its file server or for another process, not for a processor.
SILENT_S = 60.0
# What a folder's files, or a router's stages, of one day may take, unless the user says otherwise.
LIMIT_S = 7200.0


@dataclass
class Place(Generic[W]):
    """Work that has begun, and its name; `reads`: it reads a folder, and tells of each file.

    limit: when it is stopped, heard: when it last read a file; monotonic clock, s.
    """

    work: W
    beside: Beside
    name: str
    reads: bool
    limit: float
    heard: float
    was_told: bool = False

    @property
    def silent_from(self) -> float:
        """When it counts as one that waits; only folders do."""
        return self.heard + SILENT_S if self.reads else math.inf


@dataclass
class Places(Generic[W]):
    """All work that has begun and has not ended; each may take `limit_s` seconds. `at_once`: how much may be busy."""

    at_once: int
    limit_s: float
    _taken: dict[Connection, Place[W]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self._taken)

    def __getitem__(self, messages: Connection) -> Place[W]:
        return self._taken[messages]

    def add(self, beside: Beside, work: W, name: str, *, reads: bool) -> None:
        """Takes what has begun."""
        now = time.monotonic()
        self._taken[beside.messages] = Place(work, beside, name, reads, now + self.limit_s, now)

    def has_room(self) -> bool:
        """Whether more may begin: what only waits takes memory alone."""
        now = time.monotonic()
        working = sum(place.silent_from > now for place in self._taken.values())
        return working < self.at_once and (len(self._taken) < self.at_once or Machine.here().fits_another)

    def ready(self, *, is_more: bool) -> list[Connection]:
        """Waits for messages, for the first limit, or until work counts as silent; those that have a message.

        `is_more`: other work has no place yet.
        """
        now = time.monotonic()
        moments = [place.limit for place in self._taken.values()]
        moments += [place.silent_from for place in self._taken.values() if place.silent_from > now]
        if is_more:
            moments.append(now + SILENT_S)  # memory may be there by then
        ready = wait(list(self._taken), max(0.0, min(moments) - now))
        self._tell_of_silence()
        return [messages for messages in self._taken if messages in ready]

    def heard(self, messages: Connection) -> None:
        """That work has read a file."""
        self._taken[messages].heard = time.monotonic()

    def begins_anew(self, messages: Connection) -> None:
        """That work has done one of several days, of which each may take as long."""
        self._taken[messages].limit = time.monotonic() + self.limit_s

    def overdue(self) -> Mapping[Connection, str]:
        """Stops what has reached its limit, and says how it ended; it keeps its place until it is left."""
        now = time.monotonic()
        over = {messages: place.beside for messages, place in self._taken.items() if now >= place.limit}
        for beside in over.values():
            beside.stop()
        return {messages: beside.stopped for messages, beside in over.items()}

    def leave(self, messages: Connection) -> W:
        """The place is free; what had it."""
        messages.close()
        return self._taken.pop(messages).work

    def stop(self) -> None:
        """Stops what still runs."""
        for place in self._taken.values():
            place.beside.stop()

    def _tell_of_silence(self) -> None:
        now = time.monotonic()
        for place in self._taken.values():
            if now >= place.silent_from and not place.was_told:
                place.was_told = True
                left = f"it is given up {place.limit - now:.0f} s from now"
                warn(f"{place.name}: no file was read for {SILENT_S:.0f} s; its place is free for others, and {left}")
