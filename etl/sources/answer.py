"""Whether a flow folder answers. A child process asks: one that waits for a file server cannot be interrupted."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from hntes.etl.errors import FolderAwayError

# How long to wait for a folder before saying so.
NOTICE_S = 60.0
# Whatever comes of it, a missing folder too, is an answer: what is wrong with a folder is said where it is read.
_ASK = "import os, sys\nwith os.scandir(sys.argv[1]) as found:\n    next(found, None)\n"
# The same for many, named on standard input; each that has answered is named on standard output.
_ASK_ALL = """
import os, sys, threading

def ask(folder):
    try:
        with os.scandir(folder) as found:
            next(found, None)
    except OSError:
        pass
    os.write(1, folder + b"\\0")

for folder in sys.stdin.buffer.read().split(b"\\0"):
    threading.Thread(target=ask, args=(folder,)).start()
"""


def require_answer(folder: Path, limit_s: float, tell: Callable[[str], object] = lambda _: None) -> None:
    """Lists a flow folder in another process; returns when there is an answer, be it an error.

    Args:
        limit_s: How long the folder may take, in seconds, more than 0.
        tell: Called with one sentence after `NOTICE_S`, if that is before the limit.

    Raises:
        FolderAwayError: it has not answered within `limit_s`. The child process is killed and not waited for: the
            kernel may end it only once the file server is back.
    """
    since = datetime.now(UTC)
    asking = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _ASK, str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        if limit_s > NOTICE_S and not _ends_within(asking, NOTICE_S):
            tell(f"flow folder {folder}: no answer since {since:%H:%M:%S} UTC; waiting for up to {limit_s:.0f} s")
            limit_s -= NOTICE_S
        if not _ends_within(asking, limit_s):
            raise FolderAwayError(
                f"flow folder {folder}: no answer since {since:%Y-%m-%d %H:%M:%S} UTC, for "
                f"{(datetime.now(UTC) - since).total_seconds():.0f} s; does its file server answer?"
            )
    finally:
        _leave(asking)


def answering(folders: Sequence[Path], limit_s: float) -> list[Path]:
    """Those of the folders that answer within `limit_s` seconds, be it by an error. One child process asks them all."""
    asking = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _ASK_ALL],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        answers, _ = asking.communicate(b"\0".join(map(os.fsencode, folders)), limit_s)
    except subprocess.TimeoutExpired as late:
        answers = late.output or b""
    finally:
        _leave(asking)
    answered = set(answers.split(b"\0"))
    return [folder for folder in folders if os.fsencode(folder) in answered]


def _ends_within(process: "subprocess.Popen[bytes]", limit_s: float) -> bool:
    try:
        process.wait(limit_s)
    except subprocess.TimeoutExpired:
        return False
    return True


def _leave(process: "subprocess.Popen[bytes]") -> None:
    """Kills a process that still runs. A thread waits for its end, which may not come before the file server does."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    if process.poll() is None:
        process.kill()
        threading.Thread(target=process.wait, daemon=True, name=f"end of {process.pid}").start()
