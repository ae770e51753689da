"""The content of a flow file as a hash, and a check whether it may have changed since."""

import errno
import hashlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from hntes.files import open_file

# File systems stamp changes by a clock that ticks in some milliseconds, some in whole seconds (ext3, NFS before 4).
# Of a file that changed no longer ago than this, a later change may bear the same stamp.
_SETTLED_NS = 2_000_000_000
# A hole takes no disk and reads as zeros: a file of a few kilobytes can have hours of them. Collectors leave none.
_MOST_HOLES_BYTES = 64 * 2**20
_BLOCK_BYTES = 512  # of st_blocks (POSIX.1-2017, sys/stat.h)


@dataclass(frozen=True)
class Content:
    """The SHA-256 of a file's bytes in hex, and their number.

    stamp: what `os.stat` said of the file while they were read: inode, size, and times of modification and of status
    change in ns. None if the file was too young, or changed meanwhile, for an equal stamp to mean equal bytes.
    """

    sha256: str
    size_bytes: int
    stamp: tuple[int, int, int, int] | None = None

    def is_still_in(self, path: Path) -> bool:
        """Whether the file holds the same bytes by its stamp; False where that cannot tell.

        A program that writes through a mapping of the file, begun more than two seconds before, is not noticed:
        the kernel moves the time of change with the first such write only. No collector does that, and the next run
        finds another hash and reads the file again.

        Raises:
            OSError: the file is gone, or cannot be looked at.
        """
        return self.stamp is not None and self.stamp == _stamp(path.stat())


def content_of(path: Path) -> Content:
    """Reads a file once and returns its content.

    Raises:
        OSError: it cannot be read, or has holes of more than 64 MiB.
    """
    began_ns = time.time_ns()
    with open_file(path) as stream:
        before = os.fstat(stream.fileno())
        _refuse_holes(stream.fileno(), before)
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        after = os.fstat(stream.fileno())
    # the time of status change is the kernel's own: no program sets it back as it can that of modification
    is_settled = _stamp(before) == _stamp(after) and began_ns - after.st_ctime_ns > _SETTLED_NS
    return Content(sha256, after.st_size, _stamp(after) if is_settled else None)


def _refuse_holes(file: int, found: os.stat_result) -> None:
    if found.st_size - found.st_blocks * _BLOCK_BYTES <= _MOST_HOLES_BYTES:
        return
    # a file system that compresses has few blocks as well, and no holes
    holes, place = 0, 0
    while place < found.st_size and holes <= _MOST_HOLES_BYTES:
        hole = os.lseek(file, place, os.SEEK_HOLE)
        if hole >= found.st_size:
            break
        place = _next_data(file, hole, found.st_size)
        holes += place - hole
    os.lseek(file, 0, os.SEEK_SET)
    if holes > _MOST_HOLES_BYTES:
        raise OSError(
            errno.EFBIG, f"more than {_MOST_HOLES_BYTES // 2**20} MiB of it are holes, which no collector leaves"
        )


def _next_data(file: int, hole: int, end: int) -> int:
    try:
        return os.lseek(file, hole, os.SEEK_DATA)
    except OSError as problem:
        if problem.errno != errno.ENXIO:
            raise
        return end  # nothing but the hole is left


def _stamp(found: os.stat_result) -> tuple[int, int, int, int]:
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
