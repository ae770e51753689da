"""A full disk by its name: SQLite may say "disk I/O error" or "unable to open database file"."""

import os
import sqlite3
from pathlib import Path

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext

from hntes.sql.errors import FullDiskError

# The low byte of SQLite's extended codes.
_KIND = 0xFF
# What SQLite needs for its index of the write-ahead log before it reads anything.
_LEAST_FREE_BYTES = 32 * 1024


def name_full_disk(engine: Engine, file: Path) -> None:
    """Has errors of a database of SQLite in this file raised as FullDiskError if its disk is full."""

    def meaning(context: ExceptionContext) -> FullDiskError | None:
        cause = context.original_exception
        if not isinstance(cause, sqlite3.Error) or not _is_of_full_disk(cause, file):
            return None
        return FullDiskError(
            f"database {file}: its disk is full ({cause}); make room first: if `paths.simulations` of the settings is "
            "on that disk, its files are a cache and may be deleted by hand; then run `hntes data prune`"
        )

    event.listen(engine, "handle_error", meaning, retval=True)


def _is_of_full_disk(cause: sqlite3.Error, file: Path) -> bool:
    kind = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_OK) & _KIND  # absent where the driver itself refuses
    if kind in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        return _is_full(file.parent)
    return kind == sqlite3.SQLITE_FULL


def _is_full(folder: Path) -> bool:
    try:
        disk = os.statvfs(folder)
    except OSError:
        return False
    # some file systems have no fixed number of files
    return disk.f_bavail * disk.f_frsize < _LEAST_FREE_BYTES or (disk.f_files > 0 and disk.f_favail == 0)
