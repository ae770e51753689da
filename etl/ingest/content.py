"""The content of a flow file as a hash, and a check whether it may have changed since."""

import hashlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from hntes.files import open_file

# File systems stamp changes by a clock that ticks in some milliseconds, some in whole seconds (ext3, NFS before 4).
# Of a file that changed no longer ago than this, a later change may bear the same stamp.
_SETTLED_NS = 2_000_000_000


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
        OSError: it cannot be read.
    """
    began_ns = time.time_ns()
    with open_file(path) as stream:
        before = os.fstat(stream.fileno())
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        after = os.fstat(stream.fileno())
    # the time of status change is the kernel's own: no program sets it back as it can that of modification
    is_settled = _stamp(before) == _stamp(after) and began_ns - after.st_ctime_ns > _SETTLED_NS
    return Content(sha256, after.st_size, _stamp(after) if is_settled else None)


def _stamp(found: os.stat_result) -> tuple[int, int, int, int]:
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
