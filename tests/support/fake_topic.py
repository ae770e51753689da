"""A topic in memory, and what a folder has of it."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from hntes.etl.fetch.errors import OffsetGoneError
from hntes.etl.fetch.topic import Bounds, Message
from hntes.etl.sources.rows.lines import lines


class FakeTopic:
    """Messages by partition; `low` are the first ones that are still there."""

    def __init__(self, incarnation: str = "1") -> None:
        self.cluster, self.incarnation = "c1", incarnation
        self.sent: dict[int, list[Message]] = {0: []}
        self.low: dict[int, int] = {}
        self._next: dict[int, int] = {}

    def send(self, value: bytes | None, time_ms: int | None, partition: int = 0) -> None:
        sent = self.sent.setdefault(partition, [])
        sent.append(Message(partition, len(sent), time_ms, value))

    def partitions(self) -> frozenset[int]:
        return frozenset(self.sent)

    def bounds(self) -> dict[int, Bounds]:
        return {one: Bounds(self.low.get(one, 0), len(sent)) for one, sent in self.sent.items()}

    def read_from(self, offsets: Mapping[int, int]) -> None:
        self._next = dict(offsets)

    def take(self, most: int, wait_s: float) -> list[Message]:  # noqa: ARG002 - it waits for nothing
        taken: list[Message] = []
        for partition, offset in self._next.items():
            if not self.low.get(partition, 0) <= offset <= len(self.sent[partition]):
                raise OffsetGoneError(f"partition {partition}")
            found = self.sent[partition][offset : offset + most - len(taken)]
            taken += found
            self._next[partition] += len(found)
        return taken

    def behind(self, offsets: Mapping[int, int]) -> int:
        return sum(len(self.sent[one]) - offset for one, offset in offsets.items())

    def close(self) -> None:
        pass


def stored(folder: Path) -> dict[str, list[str]]:
    """The lines of each finished file, by name."""
    return {
        path.name: [line.decode() for _, line in lines(path) if line is not None]
        for path in sorted(folder.glob("[!.]*"))
    }


def identifiers(folder: Path) -> Counter[int]:
    """The field `id` of all rows, each as often as it is there."""
    rows = (json.loads(line) for file in stored(folder).values() for line in file)
    return Counter(row["id"] for row in rows if isinstance(row, dict))
