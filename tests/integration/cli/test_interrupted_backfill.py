"""Ctrl-C ends a backfill at once, with the processes that work for it."""

import os
import signal
import subprocess
import time
from pathlib import Path

from hntes.etl.locks import locked
from tests.support.installation import demo_installation

DAY = "2026-11-20"


def test_ctrl_c_does_not_wait_for_what_a_backfill_has_still_to_do(tmp_path: Path) -> None:
    site = demo_installation(tmp_path / "site")
    site.run("stage", "ingest", "--day", DAY, "--router", "r1")  # makes the folder's lock file
    (lock,) = (site.lake / ".locks").iterdir()
    command = site.command("data", "backfill", "--from", DAY, "--to", DAY, "--jobs", "1")
    with locked(lock, "the test"):  # for ten minutes the first part waits for it, and the others for that part
        running = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # a shell that starts tests in the background has them ignore it
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        try:
            (worker,) = waiting_for(lock)
            # as a terminal does: to all processes of the group
            os.killpg(running.pid, signal.SIGINT)
            said = running.communicate(timeout=30)[1]
        finally:
            running.kill()
        assert (running.returncode, said.count("\n")) == (130, 1), said
        assert "interrupted; what was finished is kept" in said
        assert not waiting_for(lock, within_s=0), f"process {worker} still works"


def waiting_for(lock: Path, within_s: float = 60.0) -> list[int]:
    """The other processes that have the file open, once there are any."""
    deadline = time.monotonic() + within_s
    while not (found := [pid for pid in other_processes() if lock in open_files(pid)]):
        if time.monotonic() > deadline:
            break
        time.sleep(0.05)
    return found


def other_processes() -> list[int]:
    return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit() and int(each.name) != os.getpid()]


def open_files(pid: int) -> set[Path]:
    """Of a process of the same user; none of one that has ended."""
    try:
        return {path.readlink() for path in Path(f"/proc/{pid}/fd").iterdir()}
    except OSError:
        return set()
