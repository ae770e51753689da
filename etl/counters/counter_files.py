"""Files of polled counters: one per router and UTC day, appended to poll by poll."""

import fcntl
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from hntes.etl.counters.source import CounterSourceError

# More than a line can have; what follows the last line break is no line.
_LONGEST_LINE = 4096
_HEAD = "time,router,interface,in_octets,out_octets\n"


@dataclass(frozen=True)
class Reading:
    """The octets of an interface, by its SNMP ifIndex, at one moment (epoch ms); None where it has no such counter."""

    time_ms: int
    interface: int
    in_octets: int | None
    out_octets: int | None


class CounterFiles:
    """The folder of one poller; a second one is refused.

    Raises:
        CounterSourceError: it cannot be written, or another poller does.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder / ".poller", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as cause:
            raise CounterSourceError(f"{folder}: cannot be written ({cause.strerror})") from cause
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as cause:
            os.close(self._lock)
            raise CounterSourceError(f"{folder}: another poller writes there") from cause

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    def append(self, router: str, readings: Iterable[Reading]) -> None:
        """Adds a poll of a router. What a crash cut off of an earlier one is removed first.

        Raises:
            CounterSourceError: it cannot be written.
        """
        by_day: dict[str, list[str]] = {}
        for one in readings:
            moment = datetime.fromtimestamp(one.time_ms / 1000, UTC)
            text = f"{moment:%Y-%m-%dT%H:%M:%S}.{one.time_ms % 1000:03}Z"
            octets = ("" if value is None else str(value) for value in (one.in_octets, one.out_octets))
            by_day.setdefault(f"{moment:%Y-%m-%d}", []).append(",".join((text, router, str(one.interface), *octets)))
        try:
            for day, lines in by_day.items():
                _append(self.folder / router / f"{day}.csv", "".join(f"{line}\n" for line in lines))
        except OSError as cause:
            raise CounterSourceError(f"{self.folder}: {cause.strerror or cause}") from cause


def _append(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("ab+") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - _LONGEST_LINE))
        tail = file.read()
        end -= len(tail) - (tail.rfind(b"\n") + 1)
        file.truncate(end)
        file.write((text if end else _HEAD + text).encode("ascii"))
