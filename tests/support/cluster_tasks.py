"""Tasks for the executors in tests."""

import os
import signal
from pathlib import Path

import hntes
from hntes.etl.errors import LakeError


def double(number: int) -> int:
    return 2 * number


def code_folder(_: object) -> str:
    """Where this process has the package from."""
    return str(Path(hntes.__file__).parent)


def lacking(path: str) -> None:
    raise LakeError(f"{path}: gone")


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
