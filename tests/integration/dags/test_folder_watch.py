"""A task whose folder stops answering while it reads: nothing that it could raise would end it."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.dead_server import can_be_dead, dead_server

LIMIT_S = 1.0
# What it may take in all on a machine with other work.
SOON_S = 30.0
TASK = """
import logging, os, signal, sys
from pathlib import Path
from hntes.airflow.folder_watch import watched

def raises(*_):
    raise TimeoutError("the time limit of a task")

logging.basicConfig(format="%(message)s")
signal.signal(signal.SIGALRM, raises)
with watched(Path(sys.argv[1]), float(sys.argv[2])):
    print("begun", flush=True)
    sys.stdin.readline()
    signal.setitimer(signal.ITIMER_REAL, 0.7)
    try:
        print(os.listdir(sys.argv[1]))
        sys.stdin.readline()
    except TimeoutError as limit:
        print(limit)
"""


def begin(folder: Path) -> "subprocess.Popen[str]":
    task = subprocess.Popen(
        [sys.executable, "-c", TASK, str(folder), str(LIMIT_S)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert task.stdout is not None
    assert task.stdout.readline() == "begun\n"
    return task


@pytest.mark.skipif(not can_be_dead(), reason="fanotify needs CAP_SYS_ADMIN")
def test_it_is_killed_and_says_which_folder(tmp_path: Path) -> None:
    task = begin(tmp_path)
    with dead_server(tmp_path):
        said, told = task.communicate("go\n", timeout=SOON_S)
    assert (task.returncode, said) == (-signal.SIGKILL, "")
    assert told.startswith(f"flow folder {tmp_path}: no answer since ")
    assert told.endswith("does its file server answer? The task ends, to be tried again\n")


def test_one_that_answers_is_read_to_its_end(tmp_path: Path) -> None:
    task = begin(tmp_path)
    time.sleep(3 * LIMIT_S)
    said, told = task.communicate("go\n\n", timeout=SOON_S)
    assert (task.returncode, said, told) == (0, "[]\n", "")
