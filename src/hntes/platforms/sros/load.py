"""Processor and memory of SR OS routers.

Source: TIMETRA-SYSTEM-MIB: sgiCpuUsage, the present load of the system in per cent; sgiKbMemoryUsed, kB of memory pools
in use, and sgiKbMemoryAvailable, kB outside of pools by which they can grow. All are of the active CPM.
"""

from collections.abc import Iterator

from hntes.platforms.load import Answers, LoadObjects, Part, percents, used_shares

_SYSTEM = (1, 3, 6, 1, 4, 1, 6527, 3, 1, 2, 1, 1)


def _processor(answers: Answers) -> Iterator[Part]:
    return (part for _, part in percents(answers, "sgiCpuUsage"))


def _memory(answers: Answers) -> Iterator[Part]:
    return (part for _, part in used_shares(answers, "sgiKbMemoryUsed", "sgiKbMemoryAvailable"))


LOAD = LoadObjects(
    columns={
        "sgiCpuUsage": (*_SYSTEM, 1),
        "sgiKbMemoryUsed": (*_SYSTEM, 9),
        "sgiKbMemoryAvailable": (*_SYSTEM, 10),
    },
    cpu=_processor,
    memory=_memory,
)
