"""Tasks for the executors in tests."""

import os
import signal
from pathlib import Path

import hntes
from hntes.etl.errors import LakeAwayError, LakeError

# What this process has asked of a store that is away.
ASKED: list[str] = []


def double(number: int) -> int:
    return 2 * number


def code_folder(_: object) -> str:
    """Where this process has the package from."""
    return str(Path(hntes.__file__).parent)


def worker_pid(_: object) -> int:
    """The worker above this process and its executor."""
    pid = os.getpid()
    while b"deploy.worker.Worker" not in Path(f"/proc/{pid}/cmdline").read_bytes():
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid


def lacking(path: str) -> None:
    raise LakeError(f"{path}: gone")


def ask_away(name: str) -> None:
    ASKED.append(name)
    raise LakeAwayError(f"{name}: no answer")


def mistaken(_: object) -> None:
    raise ZeroDivisionError("a mistake in the program")


def end_once(mark: Path) -> str:
    """Ends its process, unless the mark is there."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def end_always(_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)
