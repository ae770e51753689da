"""Parts of a lake as a ledger would have them, read from the files themselves."""

import hashlib
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from hntes.sql.entries import LakePart

FILE_START_MS = 1_795_132_800_000  # 2026-11-20T00:00:00Z


def named(name: str, records: int = 0, byte_count: int = 0, sha256: str = "") -> LakePart:
    """A part of that name, from a flow file of 20 November 2026."""
    file = "nfcapd.202611200000"
    return LakePart("/flows", file, FILE_START_MS, "r1", date(2026, 11, 20), name, records, byte_count, sha256)


def as_written(lake: Path, names: Sequence[str]) -> list[LakePart]:
    """The parts with records, bytes and hash of the files that are there."""
    return [_as_written(lake / name, name) for name in names]


def _as_written(path: Path, name: str) -> LakePart:
    column = pq.ParquetFile(path).read(["bytes"])["bytes"]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return named(name, len(column), pc.sum(column).as_py() or 0, digest)
