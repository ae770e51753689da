"""Folders whose file server is dead: whoever opens one sleeps in the kernel, and no signal but a fatal one wakes it.

The kernel asks this process for permission (fanotify, Linux, with CAP_SYS_ADMIN), which says nothing. To open or list
such a folder is as it is with a mounted NFS folder without its server; only its own attributes can still be read.
"""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CLOSE_ON_EXEC, _CLASS_CONTENT = 0x1, 0x4
_MARK_ADD, _OPEN_PERM, _ON_DIR = 0x1, 0x10000, 0x40000000
_CURRENT_FOLDER = -100


class DeadServer:
    """Keeps folders from answering until it is back; whatever process waits then goes on."""

    def __init__(self, *folders: Path) -> None:
        """Takes the folders away.

        Raises:
            PermissionError: this process may not.
        """
        libc = ctypes.CDLL(None, use_errno=True)
        libc.fanotify_mark.argtypes = (ctypes.c_int, ctypes.c_uint, ctypes.c_uint64, ctypes.c_int, ctypes.c_char_p)
        self._asked = libc.fanotify_init(_CLOSE_ON_EXEC | _CLASS_CONTENT, os.O_RDONLY)
        if self._asked < 0:
            raise PermissionError(ctypes.get_errno(), "fanotify_init")
        for folder in folders:
            if libc.fanotify_mark(self._asked, _MARK_ADD, _OPEN_PERM | _ON_DIR, _CURRENT_FOLDER, os.fsencode(folder)):
                self.back()
                raise OSError(ctypes.get_errno(), "fanotify_mark", str(folder))

    def back(self) -> None:
        """The server answers again."""
        asked, self._asked = self._asked, -1
        if asked >= 0:
            os.close(asked)


@contextmanager
def dead_server(*folders: Path) -> Iterator[DeadServer]:
    """Folders that do not answer, until `back` or the end of the statement; see DeadServer."""
    server = DeadServer(*folders)
    try:
        yield server
    finally:
        server.back()


def can_be_dead() -> bool:
    """Whether this process may take folders away."""
    try:
        DeadServer().back()
    except PermissionError:
        return False
    return True
