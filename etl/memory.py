"""How this process handles memory that it has freed."""

import ctypes
import functools

# Of mallopt(3), from glibc's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_KEPT_BYTES, _LARGEST_BYTES = 128 << 20, 32 << 20
# What reading a file of a million records touches, in pieces below the largest, all of which are kept.
_PIECES, _PIECE_BYTES = 7, 16 << 20


@functools.cache
def keep_freed_memory() -> None:
    """Lets the process keep up to 128 MB that it has freed, where its C library is glibc; elsewhere nothing happens.

    By default columns of some megabytes go back to the kernel when they are freed, and the next block's columns are
    zeroed page by page again: a tenth of the time in which a file is read.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(_M_MMAP_THRESHOLD, _LARGEST_BYTES)
    mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)


def claim_memory() -> None:
    """Keeps freed memory, and has the kernel give now what reading a large file will ask for page by page."""
    keep_freed_memory()
    pieces = [b"\1" * _PIECE_BYTES for _ in range(_PIECES)]
    del pieces
