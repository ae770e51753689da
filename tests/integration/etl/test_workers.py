"""Workers end with the process that they work for, and a worker that ends early costs no file."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from hntes.etl.errors import WorkerEndedError
from hntes.etl.ingest.content import content_of
from hntes.etl.ingest.readers import LocalReader, ReadTask
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.probe import REFERENCE_FILE, probe
from hntes.etl.sources.nfcapd.source import NfcapdSource
from tests.support.flow_folder import program

POOL = r"""
import os, sys, time
from hntes.etl.workers import worker_pool

def work(depth):
    os.write(1, f"{depth} {os.getpid()}\n".encode())  # in one piece: workers share the pipe
    if depth:
        with worker_pool(1) as pool:
            list(pool.map(work, [depth - 1]))
    time.sleep(600)

if __name__ == "__main__":
    with worker_pool(2) as pool:
        list(pool.map(work, [int(sys.argv[1])] * 2))
"""


SLOW = r"""
import os, time
open("loading", "w").write(str(os.getpid()))
while not os.path.exists("go on"):
    time.sleep(0.01)
"""
INTERRUPTED = r"""
import os
from hntes.etl.workers import worker_pool

if __name__ == "__main__":
    with worker_pool(2, ("hntes.etl.workers", "slow_to_load")) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
"""


@pytest.fixture
def parent(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator["subprocess.Popen[str]"]:
    """A process with two workers, which may have one each; they print their numbers and sleep."""
    script = tmp_path / "pool.py"
    script.write_text(POOL)
    command = [sys.executable, str(script), str(request.param)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        yield process
        process.kill()


def pids(process: "subprocess.Popen[str]", count: int) -> list[int]:
    """The numbers of so many workers; those that have workers of their own, which may begin at any time, first."""
    assert process.stdout is not None
    lines = sorted((process.stdout.readline().split() for _ in range(count)), reverse=True)
    return [int(pid) for _depth, pid in lines]


def ended(pid: int, within_s: float = 60) -> bool:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        state = ""
        with suppress(FileNotFoundError, ProcessLookupError):
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state in ("", "Z"):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("parent", [0], indirect=True)
def test_workers_end_with_a_killed_process_and_so_does_their_server(parent: "subprocess.Popen[str]") -> None:
    workers = pids(parent, 2)
    server = int(Path(f"/proc/{workers[0]}/stat").read_text().rpartition(")")[2].split()[1])
    assert server != parent.pid
    parent.kill()
    assert all(map(ended, [*workers, server]))


@pytest.mark.parametrize("parent", [0], indirect=True)
def test_workers_end_with_a_killed_server_and_nothing_waits_for_them(parent: "subprocess.Popen[str]") -> None:
    workers = pids(parent, 2)
    os.kill(int(Path(f"/proc/{workers[0]}/stat").read_text().rpartition(")")[2].split()[1]), signal.SIGKILL)
    assert all(map(ended, workers))
    assert parent.wait(60) != 0


@pytest.mark.parametrize("parent", [1], indirect=True)
def test_the_workers_of_a_killed_worker_end(parent: "subprocess.Popen[str]") -> None:
    first, second, *theirs = pids(parent, 4)
    for pid in (first, second):
        os.kill(pid, signal.SIGKILL)
    assert all(map(ended, theirs))
    assert parent.wait(60) != 0


def test_ctrl_c_means_nothing_to_a_server_that_loads(tmp_path: Path) -> None:
    (tmp_path / "slow_to_load.py").write_text(SLOW)
    (tmp_path / "begun.py").write_text(INTERRUPTED)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    command = [sys.executable, "begun.py"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment, cwd=tmp_path) as process:
        loading = tmp_path / "loading"
        while process.poll() is None and not (loading.exists() and loading.read_text()):
            time.sleep(0.01)
        os.kill(int(loading.read_text()), signal.SIGINT)
        (tmp_path / "go on").touch()
        said, complained = process.communicate(timeout=60)
    assert (said.strip().isdigit(), complained) == (True, "")


def tasks(folder: Path, nfdump: str, count: int = 4, is_native: bool = False) -> list[ReadTask]:
    content = content_of(REFERENCE_FILE)
    found = probe("nfdump")
    source = NfcapdSource(type(found)(nfdump, found.version, found.output, found.limits), is_native)
    return [
        ReadTask(REFERENCE_FILE, content, source, folder / "lake", f"stem{number}", (RouterExporters("r1"),), 300_000)
        for number in range(count)
    ]


def test_a_worker_that_is_killed_costs_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hntes.etl.ingest.readers._SMALL_BYTES", 0)
    kills = program(
        tmp_path / "nfdump", f"if mkdir {tmp_path}/once 2>/dev/null; then kill -9 $PPID; fi", 'exec $REAL "$@"'
    )
    found = list(LocalReader(2).read(tasks(tmp_path, kills)))
    assert (tmp_path / "once").is_dir()
    assert [(one.reason, one.read_records, one.warnings) for one in found] == [("", 45, ())] * 4


def test_a_file_that_always_costs_its_worker_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hntes.etl.ingest.readers._SMALL_BYTES", 0)
    kills = program(tmp_path / "nfdump", "kill -9 $PPID")
    with pytest.raises(WorkerEndedError, match=f"{REFERENCE_FILE.name}: each process that read it was killed"):
        list(LocalReader(2).read(tasks(tmp_path, kills)))


def test_where_the_native_reader_costs_its_worker_nfdump_reads_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hntes.etl.ingest.readers._SMALL_BYTES", 0)
    monkeypatch.setattr("hntes.etl.ingest.readers.run_task", _killed_natively)
    found = list(LocalReader(2).read(tasks(tmp_path, "nfdump", 2, is_native=True)))
    assert [(one.reason, one.read_records) for one in found] == [("", 45)] * 2
    assert all(one.warnings[0].startswith("read by nfdump: the native reader's process was killed") for one in found)


def _killed_natively(task: ReadTask) -> object:
    from hntes.etl.ingest.readers import run_task

    if task.source.isolated():
        os.kill(os.getpid(), signal.SIGKILL)
    return run_task(task)
