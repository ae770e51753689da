"""Verifies a lake part against the ledger before its rows are used.

Without it, anyone who can write to the lake could add an alpha flow that no exporter sent, and a failing disk could
remove one. Ingest keeps the SHA-256 of what it wrote; parts that are older than the hash are compared by their records
and bytes alone, which an exchange of addresses leaves as they are.

A part in a folder is hashed once per process, before its first reading, and not in the pass that uses it: that reads
single columns, and never sees all of a part's bytes. The stages of a router's night share a process, and find the part
in the page cache. Hashing takes about as long as summing the column of bytes (0.1 and 0.08 CPU s for 4 million
records). Whoever could replace a part between hashing and reading must be kept out by file permissions. A lake
that is no folder is copied whole for each piece of work, and hashed on the way.
"""

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hntes.etl.days import day_of_ms
from hntes.etl.errors import ChangedPartError, GonePartError
from hntes.etl.lake.scratch import in_scratch
from hntes.files import open_file
from hntes.format import counted
from hntes.sql.entries import LakePart

# Until size, inode, or time of change differ. Nobody but the kernel sets the latter (st_ctime).
_REMEMBERED = 1 << 16
# Each is a request to an object store; most parts are smaller.
_PIECE = 16 << 20


def verify_part(lake: Path, part: LakePart) -> None:
    """Verifies a part in a folder.

    Raises:
        ChangedPartError: it is not what was written.
        GonePartError: it is gone.
        OSError: it cannot be read.
    """
    path = lake / part.part
    try:
        known = path.stat()
    except FileNotFoundError as cause:
        raise GonePartError.of(path) from cause
    facts = (path, known.st_size, known.st_ino, known.st_ctime_ns)
    if part.sha256:
        _compare_hash(path, part, _sha256(*facts))
    else:
        _compare_sums(path, part, _sums(*facts))


def copy_verified(read: Callable[[int], bytes], copy: Path, part: LakePart, name: object) -> None:
    """Copies a part, of which `read` gives the next bytes, and verifies it on the way; `name` is where it comes from.

    Raises:
        ChangedPartError: it is not what was written.
        ScratchError: there is no room for the copy.
    """
    digest = hashlib.sha256()
    with in_scratch(copy), copy.open("wb") as target:
        while content := read(_PIECE):
            digest.update(content)
            target.write(content)
    if part.sha256:
        _compare_hash(name, part, digest.hexdigest())
    else:
        _compare_sums(name, part, _read_sums(copy))


def _compare_hash(name: object, part: LakePart, found: str) -> None:
    if found != part.sha256:
        raise _changed(name, part, f"has the SHA-256 {found}; {part.sha256} was written")


def _compare_sums(name: object, part: LakePart, found: tuple[int, int] | None) -> None:
    if found is None:
        raise _changed(name, part, "is no Parquet file of flows")
    records, byte_count = found
    if found != (part.records, part.bytes):
        there = counted(records, "record")
        what = f"holds {there} with {byte_count} bytes; {part.records} with {part.bytes} were written"
        raise _changed(name, part, what)


def _changed(name: object, part: LakePart, what: str) -> ChangedPartError:
    return ChangedPartError(
        f"{part.router} {part.day}: {name} {what}: it was damaged or edited, find out by whom; then delete it and read "
        f"its flow file {part.folder}/{part.path} again with "
        f"`hntes stage ingest --day {day_of_ms(part.file_start_ms)} --router {part.router}`"
    )


@lru_cache(maxsize=_REMEMBERED)
def _sha256(path: Path, *_: int) -> str:
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@lru_cache(maxsize=_REMEMBERED)
def _sums(path: Path, *_: int) -> tuple[int, int] | None:
    return _read_sums(path)


def _read_sums(path: Path) -> tuple[int, int] | None:
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
