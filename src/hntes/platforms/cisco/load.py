"""Processors of IOS-XR and IOS-XE routers.

Source: CISCO-PROCESS-MIB, cpmCPUTotalTable: cpmCPUTotal1minRev, how busy a processor was in the last minute, per cent.
"""

from collections.abc import Iterator

from hntes.platforms.load import Answers, Index, Part, percents

CPU_TABLE: Index = (1, 3, 6, 1, 4, 1, 9, 9, 109, 1, 1, 1, 1)
CPU_COLUMNS = {"cpmCPUTotal1minRev": (*CPU_TABLE, 7)}


def processors(answers: Answers) -> Iterator[Part]:
    """The processors of cpmCPUTotalTable."""
    return (part for _, part in percents(answers, "cpmCPUTotal1minRev"))
