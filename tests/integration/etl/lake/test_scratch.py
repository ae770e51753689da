"""What killed work leaves in TMPDIR: nothing of a part that is written, and copies of parts until the next work."""

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hntes.etl.errors import ScratchError
from hntes.etl.lake.store import Store, store_of
from hntes.etl.lake.url import LakeUrl, S3Options
from hntes.workflow.errors import is_temporary
from tests.support.fake_s3 import BUCKET, fake_s3
from tests.support.installation import ROOT
from tests.support.lake_parts import named
from tests.support.small_disk import SIZE_MIB, can_mount, small_disk

# Copies no parts, puts a file beside them, and works on until it is killed.
WORK = """
import pathlib, sys, time
from hntes.etl.lake.store import store_of
from hntes.etl.lake.url import LakeUrl
with store_of(LakeUrl(sys.argv[1], pathlib.Path(sys.argv[2]))).nearby([]) as folder:
    (folder / "flows").mkdir()
    (folder / "flows" / "part.parquet").write_bytes(bytes(1000))
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """TMPDIR."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_of(LakeUrl(f"file://{tmp_path}/lake", tmp_path / "state"))


@contextmanager
def working(tmp_path: Path) -> Iterator[tuple[Path, "subprocess.Popen[str]"]]:
    command = [sys.executable, "-c", WORK, f"file://{tmp_path}/lake", str(tmp_path / "state")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert process.stdout is not None
        yield Path(process.stdout.readline().strip()), process
    finally:
        process.kill()
        process.communicate()


def test_copies_of_killed_work_are_removed_by_the_next_and_those_of_others_at_work_stay(
    place: Path, store: Store, tmp_path: Path
) -> None:
    with working(tmp_path) as (killed, process), working(tmp_path) as (kept, _):
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert {killed.parent, kept.parent} == {place}
        assert killed.exists()
        with store.nearby([]) as mine:
            assert not killed.exists()
            assert (kept / "flows" / "part.parquet").exists()
            with store.nearby([]):  # of a thread beside
                assert mine.exists()
    with store.nearby([]):
        pass
    assert list(place.iterdir()) == []


def test_work_that_begins_and_ends_side_by_side_takes_no_folder_from_another(place: Path, store: Store) -> None:
    def work(number: int) -> bool:
        with store.nearby([]) as folder:
            (folder / "part").write_text(str(number))
            return (folder / "part").read_text() == str(number) and len(list(folder.iterdir())) == 1

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(400)))
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("step", [(os, "open"), (fcntl, "flock")], ids=["before it is open", "before it is locked"])
def test_a_folder_that_another_process_sweeps_before_it_is_locked_is_made_again(
    place: Path, store: Store, monkeypatch: pytest.MonkeyPatch, step: tuple[Any, str]
) -> None:
    module, name = step
    plain = getattr(module, name)
    swept: list[Path] = []

    def late(*arguments: Any, **named: Any) -> Any:
        for folder in [] if swept else place.iterdir():
            folder.rmdir()
            swept.append(folder)
        return plain(*arguments, **named)

    monkeypatch.setattr(module, name, late)
    with store.nearby([]) as folder:
        assert len(swept) == 1
        assert list(place.iterdir()) == [folder]


def test_other_files_and_links_in_the_folder_for_temporary_files_stay(
    place: Path, store: Store, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    (place / "hntes-parts-link").symlink_to(tmp_path / "mine")
    (place / "hntes-parts-file").touch()
    (place / "other").mkdir()
    with store.nearby([]):
        pass
    assert {path.name for path in place.iterdir()} == {"hntes-parts-link", "hntes-parts-file", "other"}
    assert (tmp_path / "mine" / "file").exists()


def test_a_part_that_is_written_has_no_name_that_a_kill_could_leave(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "hntes")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not a secret")
    with fake_s3() as bucket:
        store = store_of(LakeUrl(f"s3://{BUCKET}/lake", tmp_path, S3Options(bucket.endpoint, tls=False)))
        with store.writing("flows/part.parquet") as stream:
            stream.write(b"content")
            assert list(place.iterdir()) == []
        assert bucket.objects == {"lake/flows/part.parquet": b"content"}


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """TMPDIR without room."""
    if not can_mount():
        pytest.skip("mount needs CAP_SYS_ADMIN")
    with small_disk() as folder:
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        yield folder


def test_copies_for_which_there_is_no_room_name_the_folder_and_its_variable(store: Store, full: Path) -> None:
    part = named("flows/router=r1/day=2026-11-20/part.parquet")
    with store.writing(part.part) as stream:
        stream.write(bytes(SIZE_MIB << 21))
    with pytest.raises(ScratchError, match=told(full)) as found, store.nearby([part]):
        pass
    assert part.part in str(found.value)
    assert not is_temporary(found.value)


def test_an_object_for_which_there_is_no_room_names_the_folder_and_its_variable(
    tmp_path: Path, full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "hntes")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not a secret")
    with fake_s3() as bucket:
        store = store_of(LakeUrl(f"s3://{BUCKET}/lake", tmp_path, S3Options(bucket.endpoint, tls=False)))
        with pytest.raises(ScratchError, match=told(full)) as found, store.writing("part.parquet") as stream:
            stream.write(bytes(SIZE_MIB << 21))
        assert f"s3://{BUCKET}/lake/part.parquet" in str(found.value)
        assert store.missing(["part.parquet"]) == {"part.parquet"}
    assert not is_temporary(found.value)


def told(folder: Path) -> str:
    return f"No space left on device; make room in the folder for temporary files, {folder}, or .* TMPDIR"
