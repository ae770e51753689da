"""How many jobs this machine can work on at once."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from hntes.workflow.stage_log import warn
from hntes.workflow.stages import control_groups

# A router of 50 million records takes up to 450 MB (docs/reference/benchmarks.md).
MEMORY_PER_JOB_MIB = 512
_MEMORY = Path("/proc/meminfo")


@dataclass(frozen=True)
class Machine:
    """What this process may use: processors, and memory that nothing else needs now; None where that is not known."""

    processors: int
    memory_mib: int | None

    @classmethod
    def here(cls) -> Self:
        """Of this machine, as far as the control groups of this process go: of its container and its systemd unit."""
        available = [each for each in (_available_mib(), _group_mib()) if each is not None]
        return cls(_processors(), min(available, default=None))

    @property
    def fits_another(self) -> bool:
        """Whether memory is left for one more job."""
        return self.memory_mib is None or self.memory_mib >= MEMORY_PER_JOB_MIB


def jobs_within(machine: Machine, wanted: int, *, is_cluster: bool = False) -> int:
    """So many jobs, or as many as there are processors, and as fit into memory; at least one.

    Where a cluster does the work (`is_cluster`), its processors count, and those of this machine do not.
    """
    jobs = wanted
    if machine.processors < wanted and not is_cluster:
        warn(f"{machine.processors} of {wanted} jobs at once: each keeps one of this machine's processors busy")
        jobs = machine.processors
    if machine.memory_mib is None:
        return jobs
    fitting = max(1, machine.memory_mib // MEMORY_PER_JOB_MIB)
    if fitting < jobs:
        warn(f"memory for {fitting} of {jobs} jobs: {machine.memory_mib} MiB are free, each takes up to 512 MiB")
    return min(jobs, fitting)


def _processors() -> int:
    mine, granted = len(os.sched_getaffinity(0)), control_groups.processors()
    return mine if granted is None else min(mine, granted)


def _available_mib() -> int | None:
    for line in control_groups.kernel_text(_MEMORY).splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) >> 10
    return None


def _group_mib() -> int | None:
    left_bytes = control_groups.free_memory_bytes()
    return None if left_bytes is None else left_bytes >> 20
