"""A disk of a few megabytes that can be filled, in memory (mount, Linux, with CAP_SYS_ADMIN)."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SIZE_MIB = 8


@contextmanager
def small_disk() -> Iterator[Path]:
    """Its folder, until the end of the statement.

    Raises:
        subprocess.CalledProcessError: this process may not mount.
    """
    with tempfile.TemporaryDirectory(prefix="hntes-disk-") as folder:
        command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MIB}m", "tmpfs", folder]
        subprocess.run(command, check=True, capture_output=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


def fill(disk: Path) -> None:
    """Takes all of its free space."""
    handle = os.open(disk / "filled", os.O_CREAT | os.O_WRONLY)
    with suppress(OSError):
        while True:
            os.write(handle, bytes(4096))
    os.close(handle)


def can_mount() -> bool:
    """Whether this process may have such a disk."""
    try:
        with small_disk():
            return True
    except (OSError, subprocess.CalledProcessError):
        return False
