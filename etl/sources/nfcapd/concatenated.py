"""Concatenated flow files: nfdump silently reads only the first.

Only the heads of blocks are looked at. Source of the layouts: nffile.h of nfdump 1.6 (1) and 1.7 (2), nffileV3.h of
1.8 (3).
"""

import os
import struct
from pathlib import Path

from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.nfcapd.layout import MAGIC
from hntes.files import open_file

_MAGIC = struct.pack("<H", MAGIC)
_BLOCK = struct.Struct("<4xI4x")  # bytes after the head
_HEAD_1, _DATA_1 = struct.Struct("<8xI"), 276  # blocks; name and statistics follow
_HEAD_2 = struct.Struct("<18xH4xQ4xI")  # blocks of the appendix, where it begins, blocks of records


_HEAD_3 = struct.Struct("<28xIQ")  # bytes of the directory, where it begins
_FOOT_3_BYTES = 56


def glued_bytes(path: Path, layout: int) -> int:
    """The bytes after the last block of a file that was read, if another flow file begins there; else 0.

    Raises:
        UnreadableFileError: the file cannot be opened any more.
    """
    try:
        with open_file(path) as stream:
            number = stream.fileno()
            size = os.fstat(number).st_size
            head = os.pread(number, _HEAD_2.size, 0).ljust(_HEAD_2.size, b"\0")  # it was longer when the file was read
            if layout == 3:
                directory_bytes, directory = _HEAD_3.unpack_from(head)
                end = min(directory + directory_bytes + _FOOT_3_BYTES, size)
            else:
                rows = _rows_of_blocks(head, layout)
                end = max(_end(number, size, place, blocks) for place, blocks in rows)
            return size - end if os.pread(number, len(_MAGIC), end) == _MAGIC else 0
    except OSError as cause:
        raise UnreadableFileError(f"the file cannot be opened: {cause.strerror}") from cause


def _rows_of_blocks(head: bytes, layout: int) -> list[tuple[int, int]]:
    """Where they begin, and how many blocks each has."""
    if layout == 1:
        (blocks,) = _HEAD_1.unpack_from(head)
        return [(_DATA_1, blocks)]
    appendix_blocks, appendix, blocks = _HEAD_2.unpack(head)
    return [(_HEAD_2.size, blocks), (appendix, appendix_blocks)]


def _end(number: int, size: int, place: int, blocks: int) -> int:
    """Where a row of blocks ends; at the end of the file at the latest."""
    for _ in range(blocks):
        head = os.pread(number, _BLOCK.size, place) if place < size else b""
        if len(head) < _BLOCK.size:
            break
        place += _BLOCK.size + _BLOCK.unpack(head)[0]
    return min(place, size)
