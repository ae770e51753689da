"""A folder in memory for what tests write, where it has room: the disk is slow at files that are made and deleted."""

import os
import shutil
from pathlib import Path

_FOLDER = Path("/dev/shm")  # noqa: S108 (only folders of their own are made in it)
# All of a run's files are 0.4 GB, five PostgreSQL servers less than 1; a container's usual 64 MiB are no room.
_ROOM_BYTES = 4 << 30


def folder_in_memory(*, for_programs: bool) -> Path | None:
    """Where temporary folders may be made in memory; None if nowhere. Programs cannot be run everywhere."""
    if not os.access(_FOLDER, os.W_OK) or shutil.disk_usage(_FOLDER).free < _ROOM_BYTES:
        return None
    return None if for_programs and os.statvfs(_FOLDER).f_flag & os.ST_NOEXEC else _FOLDER
