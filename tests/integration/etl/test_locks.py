"""The lock: one holder at a time, freed when its holder leaves or dies."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from hntes.etl.locks import LockedError, locked

ROOT = Path(__file__).resolve().parents[3]
HOLDER = """
import sys, time
from pathlib import Path
from hntes.etl.locks import locked
with locked(Path(sys.argv[1]), "the other"):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def holder(path: Path, seconds: float) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), str(seconds)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_lock_is_taken_and_given_back(tmp_path: Path) -> None:
    for _ in range(2):
        with locked(tmp_path / "sub" / "lock", "work", wait_s=0):
            pass


def test_a_second_holder_in_this_process_is_refused(tmp_path: Path) -> None:
    with locked(tmp_path / "lock", "work"), pytest.raises(LockedError), locked(tmp_path / "lock", "work", wait_s=0):
        pass


def test_a_lock_is_given_back_when_the_work_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), locked(tmp_path / "lock", "work"):
        raise ZeroDivisionError
    with locked(tmp_path / "lock", "work", wait_s=0):
        pass


def test_another_process_is_waited_for_and_then_named(tmp_path: Path) -> None:
    with holder(tmp_path / "lock", 60) as process:
        begin = time.monotonic()
        with pytest.raises(LockedError, match="ingest of x") as caught, locked(tmp_path / "lock", "ingest of x", 0.5):
            pass
        assert time.monotonic() - begin >= 0.5
        assert "try again later" in str(caught.value)
        process.kill()


def test_a_waiting_process_goes_on_when_the_other_has_finished(tmp_path: Path) -> None:
    with holder(tmp_path / "lock", 0.5) as process:
        with locked(tmp_path / "lock", "work", wait_s=30):
            pass
        assert process.wait(timeout=60) == 0


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    with holder(tmp_path / "lock", 60) as process:
        process.kill()
        process.wait(timeout=60)
        with locked(tmp_path / "lock", "work", wait_s=60):
            pass


def test_locks_of_different_names_do_not_meet(tmp_path: Path) -> None:
    with locked(tmp_path / "a", "work"), locked(tmp_path / "b", "work", wait_s=0):
        pass
