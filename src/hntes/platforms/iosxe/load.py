"""Processor and memory of IOS-XE routers.

Sources: CISCO-PROCESS-MIB, cpmCPUTotalTable: kB used and free per processor, with 64 bits where the release has them;
CISCO-MEMORY-POOL-MIB, ciscoMemoryPoolTable: bytes used and free of IOS' own pools. Of these only the processor pool is
watched: lsmpi_io is full by design.
"""

from collections.abc import Iterator

from hntes.platforms.cisco.load import CPU_COLUMNS, CPU_TABLE, processors
from hntes.platforms.load import Answers, LoadObjects, Part, used_shares

_POOLS = (1, 3, 6, 1, 4, 1, 9, 9, 48, 1, 1, 1)
# ciscoMemoryPoolType, which is the index.
_PROCESSOR = (1,)


def _memory(answers: Answers) -> Iterator[Part]:
    shares = dict(used_shares(answers, "cpmCPUMemoryUsed", "cpmCPUMemoryFree"))
    shares |= dict(used_shares(answers, "cpmCPUMemoryHCUsed", "cpmCPUMemoryHCFree"))
    yield from shares.values()
    for index, part in used_shares(answers, "ciscoMemoryPoolUsed", "ciscoMemoryPoolFree"):
        if index == _PROCESSOR:
            yield part


LOAD = LoadObjects(
    columns={
        **CPU_COLUMNS,
        "cpmCPUMemoryUsed": (*CPU_TABLE, 12),
        "cpmCPUMemoryFree": (*CPU_TABLE, 13),
        "cpmCPUMemoryHCUsed": (*CPU_TABLE, 17),
        "cpmCPUMemoryHCFree": (*CPU_TABLE, 19),
        "ciscoMemoryPoolUsed": (*_POOLS, 5),
        "ciscoMemoryPoolFree": (*_POOLS, 6),
    },
    cpu=processors,
    memory=_memory,
)
