"""The largest memory of a process."""

import math
import re
from pathlib import Path


def peak_mb() -> float:
    """Of this process alone: what getrusage says begins with the memory of the process that started it."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(found[1]) / 1024 if found else math.nan
