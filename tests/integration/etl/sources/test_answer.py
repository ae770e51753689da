"""The look at a flow folder that hangs, is missing or answers late; and a look that cannot be killed."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hntes.etl.errors import FolderAwayError
from hntes.etl.sources import answer
from hntes.etl.sources.answer import answering, require_answer
from tests.support.dead_server import can_be_dead, dead_server
from tests.support.waiting import wait_until

LIMIT_S = 1.0
# What a look with that limit may take in all on a machine with other work.
SOON_S = 10.0


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """The processes that were started; all have ended at the end of the test."""
    processes: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *given: Any, **options: Any) -> None:
            super().__init__(*given, **options)
            processes.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    yield processes
    for process in processes:
        process.wait(SOON_S)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "flows"
    found.mkdir()
    (found / "nfcapd.202611200000").touch()
    return found


needs_privilege = pytest.mark.skipif(not can_be_dead(), reason="fanotify needs CAP_SYS_ADMIN")


def test_a_folder_with_files_and_one_that_is_missing_answer(folder: Path, begun: list[object]) -> None:
    begin_s = time.monotonic()
    require_answer(folder, SOON_S)
    require_answer(folder / "none", SOON_S)  # what is wrong with it is said by those who read it
    require_answer(folder / "nfcapd.202611200000", SOON_S)
    assert time.monotonic() - begin_s < SOON_S
    assert len(begun) == 3


@needs_privilege
def test_a_folder_that_hangs_is_given_up_and_nothing_is_left(
    folder: Path, begun: list["subprocess.Popen[bytes]"]
) -> None:
    begin_s = time.monotonic()
    with dead_server(folder):
        with pytest.raises(FolderAwayError, match=rf"^flow folder {folder}: no answer since 20\S+ \S+ UTC, for 1 s;"):
            require_answer(folder, LIMIT_S)
        assert LIMIT_S <= time.monotonic() - begin_s < SOON_S
        (asking,) = begun
        # without the server
        wait_until(lambda: asking.poll() is not None, "the end of the process that asked", SOON_S)


@needs_privilege
def test_one_that_answers_late_but_in_time_is_read_and_somebody_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "NOTICE_S", 0.5)
    told: list[str] = []
    with dead_server(folder) as server:
        threading.Timer(1.5, server.back).start()
        begin_s = time.monotonic()
        require_answer(folder, SOON_S, told.append)
        assert 1.4 < time.monotonic() - begin_s < SOON_S
    assert len(told) == 1
    assert told[0].startswith(f"flow folder {folder}: no answer since ")
    assert told[0].endswith("waiting for up to 10 s")


@needs_privilege
def test_nobody_is_told_of_one_that_answers_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer, "NOTICE_S", 5.0)
    require_answer(folder, SOON_S, pytest.fail)


def test_all_of_many_folders_answer_one_look(folder: Path, begun: list[object]) -> None:
    named = folder.parent / "of a\nname that breaks lines"
    named.mkdir()
    assert answering([folder / "none", named, folder], SOON_S) == [folder / "none", named, folder]
    deep = folder.joinpath(*["n" * 200] * 15)
    many = [deep / str(number) for number in range(1000)]  # more than a command line holds
    assert answering(many, SOON_S) == many
    assert answering([], SOON_S) == []
    assert len(begun) == 3


@needs_privilege
def test_of_many_folders_those_that_hang_are_left_out(folder: Path, begun: list["subprocess.Popen[bytes]"]) -> None:
    hanging = folder.parent / "hangs"
    hanging.mkdir()
    begin_s = time.monotonic()
    with dead_server(hanging):
        assert answering([hanging, folder, folder.parent / "none"], LIMIT_S) == [folder, folder.parent / "none"]
        assert LIMIT_S <= time.monotonic() - begin_s < SOON_S
        (asking,) = begun
        wait_until(lambda: asking.poll() is not None, "the end of the process that asked", SOON_S)


def test_a_look_that_cannot_be_killed_blocks_nobody(folder: Path, tmp_path: Path) -> None:
    """As while the kernel ends no process that waits: neither the caller nor the end of its process waits for it."""
    interpreter = tmp_path / "asks"
    interpreter.write_text(f"#!/bin/sh\nwhile ! [ -e {tmp_path}/back ]; do sleep 0.1; done\ntouch {tmp_path}/ended\n")
    interpreter.chmod(0o755)
    program = (
        "import subprocess, sys\n"
        "from pathlib import Path\n"
        "from hntes.etl.errors import FolderAwayError\n"
        "from hntes.etl.sources.answer import require_answer\n"
        "subprocess.Popen.kill = lambda self: None\n"
        "sys.executable = sys.argv[2]\n"
        "try:\n"
        f"    require_answer(Path(sys.argv[1]), {LIMIT_S})\n"
        "except FolderAwayError as problem:\n"
        "    print(problem)\n"
    )
    begin_s = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder), str(interpreter)],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert time.monotonic() - begin_s < SOON_S
    assert (done.stdout.split(": ")[0], done.stderr) == (f"flow folder {folder}", "")
    assert not (tmp_path / "ended").exists()
    (tmp_path / "back").touch()
    wait_until((tmp_path / "ended").exists, "the end of the process that asked", SOON_S)


def test_a_caller_that_is_interrupted_leaves_no_look_behind(
    folder: Path, begun: list["subprocess.Popen[bytes]"], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As a task at its time limit: the exception comes while it waits."""
    interpreter = tmp_path / "asks"
    interpreter.write_text("#!/bin/sh\nexec sleep 3600\n")
    interpreter.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(interpreter))

    def interrupted(_process: object, _limit_s: float) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(answer, "_ends_within", interrupted)
    with pytest.raises(KeyboardInterrupt):
        require_answer(folder, SOON_S)
    assert begun[0].wait(SOON_S) < 0
