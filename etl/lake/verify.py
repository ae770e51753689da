"""Checks the records and bytes of a lake part against the ledger.

Without this check, anyone who can write to the lake could add an alpha flow that no exporter sent. A part with the same
sums but other addresses is not detected: file permissions must keep others out of the lake.
"""

from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hntes.format import counted

# Detection and measurement ask for the same parts: each is read once per process until its size, time or inode changes.
_REMEMBERED = 1 << 16


def unlike_ledger(path: Path, records: int, byte_count: int) -> str:
    """How a part differs from what the ledger has of it, in words; "" if it does not.

    Raises:
        OSError: it cannot be read.
    """
    known = path.stat()
    found = _sums(path, known.st_mtime_ns, known.st_size, known.st_ino)
    if found is None:
        return "is no Parquet file of flows"
    if found == (records, byte_count):
        return ""
    there, bytes_there = found
    return f"holds {counted(there, 'record')} with {bytes_there} bytes; {records} with {byte_count} were written"


@lru_cache(maxsize=_REMEMBERED)
def _sums(path: Path, *_: int) -> tuple[int, int] | None:
    """The records of a part and the sum of their bytes, which may exceed 64 bits; None if it cannot be read as one."""
    records = total = 0
    try:
        with pq.ParquetFile(path) as file:
            for group in range(file.metadata.num_row_groups):
                column = file.read_row_group(group, ["bytes"])["bytes"].to_numpy()
                records += len(column)
                total += int(np.sum(column >> 32)) * (1 << 32) + int(np.sum(column & 0xFFFF_FFFF))
    except (pa.ArrowException, KeyError):
        return None
    return records, total
