"""Processor and memory of IOS-XR routers.

Source: CISCO-ENHANCED-MEMPOOL-MIB, cempMemPoolTable: bytes used and free per pool, with 64 bits where the release has
them. Pools of other types than processorMemory are full by design (the image, what is reserved).
"""

from collections.abc import Iterator

from hntes.platforms.cisco.load import CPU_COLUMNS, processors
from hntes.platforms.load import Answers, LoadObjects, Part, used_shares

_POOLS = (1, 3, 6, 1, 4, 1, 9, 9, 221, 1, 1, 1, 1)
_PROCESSOR_MEMORY = "2"


def _memory(answers: Answers) -> Iterator[Part]:
    shares = dict(used_shares(answers, "cempMemPoolUsed", "cempMemPoolFree"))
    shares |= dict(used_shares(answers, "cempMemPoolHCUsed", "cempMemPoolHCFree"))
    types = answers["cempMemPoolType"]
    return (part for index, part in shares.items() if types.get(index) == _PROCESSOR_MEMORY)


LOAD = LoadObjects(
    columns={
        **CPU_COLUMNS,
        "cempMemPoolType": (*_POOLS, 2),
        "cempMemPoolUsed": (*_POOLS, 7),
        "cempMemPoolFree": (*_POOLS, 8),
        "cempMemPoolHCUsed": (*_POOLS, 18),
        "cempMemPoolHCFree": (*_POOLS, 20),
    },
    cpu=processors,
    memory=_memory,
)
