"""What keeps a flow folder from being read: somebody has to mend it, or it may pass by itself."""

import errno
import os
import stat
from pathlib import Path

from hntes.etl.errors import EtlError, FlowFolderError, FolderAwayError, MissingFolderError

_MISSING = (errno.ENOENT, errno.ENOTDIR)
_WRONG_PATH = (errno.ELOOP, errno.ENAMETOOLONG)
_NOT_ALLOWED = (errno.EACCES, errno.EPERM)


def require_folder(folder: Path) -> None:
    """Asks the file system for a flow folder; does not look into it.

    Raises:
        FlowFolderError: it is missing, or may not be looked at.
        FolderAwayError: its file system says something else, such as a stale file handle or an input/output error.
    """
    try:
        mode = folder.stat().st_mode
    except OSError as cause:
        raise folder_error(folder, cause.errno or 0) from cause
    if not stat.S_ISDIR(mode):
        raise folder_error(folder, errno.ENOTDIR)


def folder_error(folder: Path, code: int) -> EtlError:
    """The error that the file system's error of that number means for a flow folder."""
    settings = "correct `flow_folder` in the settings"
    if code in _MISSING:
        return MissingFolderError(f"{folder}: no such flow folder; {settings}")
    reason = f"{folder}: this flow folder cannot be read: {os.strerror(code)}"
    if code in _WRONG_PATH:
        return FlowFolderError(f"{reason}; {settings}")
    if code in _NOT_ALLOWED:
        return FlowFolderError(f"{reason}; let the user that runs HNTES read it, and enter the folders above it")
    return FolderAwayError(f"{reason}; look at its mount, its file server or its disk")
