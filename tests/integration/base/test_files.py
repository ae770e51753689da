"""A file is old or new, never half of either: after an error, after a kill, and among several writers."""

import errno
import os
import resource
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hntes import files

OLD, NEW = b"old" * 1000, b"newer" * 1000
ROOT = Path(__file__).parents[3]


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "kept" / "file.conf"
    path.parent.mkdir()
    path.write_bytes(OLD)
    return path


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_new_content_takes_the_place_of_the_old(target: Path) -> None:
    files.write_bytes(target, NEW)
    assert target.read_bytes() == NEW
    assert _names(target.parent) == ["file.conf"]


def test_text_keeps_its_line_ends(tmp_path: Path) -> None:
    files.write_text(tmp_path / "a", "ä\r\nb\n")
    assert (tmp_path / "a").read_bytes() == "ä\r\nb\n".encode()


def test_missing_folders_are_created(tmp_path: Path) -> None:
    files.write_bytes(tmp_path / "a" / "b" / "c", NEW)
    assert (tmp_path / "a" / "b" / "c").read_bytes() == NEW


def test_file_and_folders_are_synced_in_the_order_that_survives_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []

    def sync(handle: int) -> None:
        steps.append(f"sync {Path(f'/proc/self/fd/{handle}').readlink().name.split('.')[-1]}")

    real_replace = Path.replace

    def replace(self: Path, other: Path) -> Path:
        steps.append("replace")
        return real_replace(self, other)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", replace)
    files.write_bytes(tmp_path / "folder" / "file", NEW)
    assert steps == [f"sync {tmp_path.name}", "sync tmp", "replace", "sync folder"]


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_a_file_has_the_permissions_of_any_new_one(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        files.write_bytes(tmp_path / "a", NEW)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o444])
def test_permissions_that_are_asked_for_hold_whatever_the_umask(tmp_path: Path, mode: int) -> None:
    before = os.umask(0o077)
    try:
        files.write_bytes(tmp_path / "a", NEW, mode=mode)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


def test_equal_text_is_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "a"
    files.write_changed_text(path, "same")
    os.utime(path, (1, 1))
    files.write_changed_text(path, "same")
    assert path.stat().st_mtime == 1
    files.write_changed_text(path, "other")
    assert path.read_text() == "other"


def _fail_at(monkeypatch: pytest.MonkeyPatch, number: int) -> Callable[[], int]:
    """Makes the n-th call of the file system fail; returns how many calls there were."""
    calls = 0

    def wrapped(real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            nonlocal calls
            calls += 1
            if calls == number:
                raise OSError(28, "No space left on device", str(args[0]))
            return real(*args, **kwargs)

        return call

    for owner, name in [
        (os, "open"), (os, "fsync"), (Path, "write_bytes"), (Path, "chmod"), (Path, "replace"),
    ]:  # fmt: skip
        monkeypatch.setattr(owner, name, wrapped(getattr(owner, name)))
    return lambda: calls


# create, write, chmod, open and sync the file, replace, open and sync the folder
STEPS = 8


@pytest.mark.parametrize("number", range(1, STEPS + 1))
def test_an_error_at_any_step_leaves_old_or_new(target: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    with monkeypatch.context() as patched:
        _fail_at(patched, number)
        with pytest.raises(OSError, match="No space left"):
            files.write_bytes(target, NEW, mode=0o644)
    assert target.read_bytes() == (OLD if number <= 6 else NEW)
    assert _names(target.parent) == ["file.conf"]


def test_a_write_that_the_kernel_refuses_names_the_file(target: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(OLD), before[1]))
    try:
        with pytest.raises(OSError, match=os.strerror(errno.EFBIG)) as refused:
            files.write_bytes(target, OLD * 2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert refused.value.filename == str(target)
    assert target.read_bytes() == OLD


@pytest.mark.parametrize(("number", "passes"), [(errno.EINVAL, True), (errno.EIO, False)])
def test_only_a_file_system_that_cannot_sync_folders_is_forgiven(
    target: Path, monkeypatch: pytest.MonkeyPatch, number: int, passes: bool
) -> None:
    real = os.fsync

    def sync(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(number, os.strerror(number))
        real(handle)

    monkeypatch.setattr(os, "fsync", sync)
    if passes:
        files.write_bytes(target, NEW)
    else:
        with pytest.raises(OSError, match=os.strerror(number)):
            files.write_bytes(target, NEW)
    assert target.read_bytes() == NEW


def test_these_are_all_steps(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        calls = _fail_at(patched, 0)
        files.write_bytes(target, NEW, mode=0o644)
    assert calls() == STEPS


def test_an_error_of_the_caller_leaves_the_old_file(target: Path) -> None:
    def half() -> None:
        with files.replacing(target) as temporary:
            temporary.write_bytes(NEW[:7])
            raise ValueError

    with pytest.raises(ValueError):
        half()
    assert target.read_bytes() == OLD
    assert _names(target.parent) == ["file.conf"]


KILLED = """
import os, sys
from pathlib import Path
from hntes import files

target, number, calls = Path(sys.argv[1]), int(sys.argv[2]), 0

def dying(real):
    def call(*args, **kwargs):
        global calls
        calls += 1
        if calls == number:
            os._exit(9)
        return real(*args, **kwargs)
    return call

os.fsync, Path.replace, Path.write_bytes = dying(os.fsync), dying(Path.replace), dying(Path.write_bytes)
files.write_bytes(target, b"newer" * 1000)
"""


@pytest.mark.parametrize(("number", "left"), [(1, OLD), (2, OLD), (3, OLD), (4, NEW), (5, NEW)])
def test_a_kill_at_any_step_leaves_old_or_new_and_at_most_a_leftover(target: Path, number: int, left: bytes) -> None:
    process = subprocess.run([sys.executable, "-c", KILLED, str(target), str(number)], cwd=ROOT, check=False)
    assert process.returncode == (9 if number <= 4 else 0)
    assert target.read_bytes() == left
    leftovers = [path for path in target.parent.iterdir() if path != target]
    assert len(leftovers) == (1 if number <= 3 else 0)
    assert all(files.is_temporary(path) for path in leftovers)
    assert files.sweep_leftovers(target.parent) == 0, "it may belong to a process at work"
    for path in leftovers:
        os.utime(path, (0, 0))
    assert files.sweep_leftovers(target.parent) == len(leftovers)
    assert _names(target.parent) == ["file.conf"]


def test_a_sweep_touches_nothing_else(tmp_path: Path) -> None:
    names = ["file.conf", ".hidden", ".file.tmp", "x.0123456789abcdef.tmp", ".x.0123456789ABCDEF.tmp", "deeper"]
    (tmp_path / "deeper").mkdir()
    for name in [*names[:-1], "deeper/.x.0123456789abcdef.tmp"]:
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0))
    assert files.sweep_leftovers(tmp_path) == 0
    assert _names(tmp_path) == sorted(names)
    assert files.sweep_leftovers(tmp_path / "missing") == 0


def test_the_next_write_removes_old_leftovers_of_the_same_file(target: Path) -> None:
    names = {name: target.with_name(files.temporary_name(name)) for name in ("file.conf", "other.conf")}
    for path in names.values():
        path.touch()
        os.utime(path, (0, 0))
    young = target.with_name(files.temporary_name(target.name))
    young.touch()
    files.write_bytes(target, NEW)
    assert set(target.parent.iterdir()) == {target, young, names["other.conf"]}


def test_a_writer_that_loses_its_file_to_a_sweep_fails_and_leaves_the_old(target: Path) -> None:
    def slow() -> None:
        with files.replacing(target) as temporary:
            temporary.write_bytes(NEW)
            assert files.sweep_leftovers(target.parent, older_than_s=-1) == 1

    with pytest.raises(FileNotFoundError):
        slow()
    assert target.read_bytes() == OLD


# Until somebody has seen the files of both, however the processes get their turns.
WRITER = """
import itertools, sys
from pathlib import Path
from hntes import files

target, mine, enough = Path(sys.argv[1]), sys.argv[2].encode() * 50_000, Path(sys.argv[3])
for written in itertools.count():
    if written >= 200 and enough.exists():
        break
    files.write_bytes(target, mine)
"""


def test_two_processes_write_the_same_file(target: Path, tmp_path: Path) -> None:
    enough = tmp_path / "enough"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(target), letter, enough], cwd=ROOT, stderr=subprocess.PIPE)
        for letter in "ab"
    ]
    new = {b"a" * 50_000, b"b" * 50_000}
    seen = set()
    try:
        while any(writer.poll() is None for writer in writers):
            content = target.read_bytes()
            assert content in {OLD, *new}
            seen.add(content)
            if seen >= new or any(writer.poll() for writer in writers):
                enough.touch()
            time.sleep(0.001)
    finally:
        for writer in writers:
            writer.kill()
        said = [writer.communicate()[1] for writer in writers]
    assert said == [b"", b""]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen >= new
    assert _names(target.parent) == ["file.conf"]
