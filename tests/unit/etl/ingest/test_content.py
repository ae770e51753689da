"""A flow file's content by hash, and what the stamp beside it says after the file changed."""

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hntes.etl.errors import UnreadableFileError
from hntes.etl.ingest.content import Content, content_of
from hntes.etl.sources.nfcapd.layout import file_layout

BYTES = b"flows" * 1000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "nfcapd.202611201815"
    path.write_bytes(BYTES)
    return path


@pytest.fixture
def settled(file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As a file is that was written some seconds ago."""
    now_ns = time.time_ns() + 10**10
    monkeypatch.setattr("hntes.etl.ingest.content.time.time_ns", lambda: now_ns)
    return file


def test_the_hash_is_of_all_bytes(file: Path) -> None:
    found = content_of(file)
    assert (found.sha256, found.size_bytes) == (hashlib.sha256(BYTES).hexdigest(), len(BYTES))


def test_a_file_that_was_just_written_is_never_taken_for_unchanged(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written_ns = file.stat().st_ctime_ns
    # up to two seconds after, which a busy machine may let pass by itself
    monkeypatch.setattr("hntes.etl.ingest.content.time.time_ns", lambda: written_ns + 2 * 10**9)
    assert not content_of(file).is_still_in(file)


def test_an_old_file_is_known_to_be_unchanged(settled: Path) -> None:
    assert content_of(settled).is_still_in(settled)


def append(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b"x")


def overwrite_and_set_times_back(path: Path) -> None:
    before = path.stat()
    path.write_bytes(BYTES[::-1])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def replace_by_another(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(BYTES)
    other.rename(path)


@pytest.mark.parametrize("change", [append, overwrite_and_set_times_back, replace_by_another])
def test_a_changed_file_is_not_known_to_be_unchanged(settled: Path, change: Callable[[Path], None]) -> None:
    before = content_of(settled)
    time.sleep(0.02)  # beyond a tick of the kernel's clock, as seconds are that a file has to be old
    change(settled)
    assert not before.is_still_in(settled)


def test_a_file_that_is_gone_cannot_be_looked_at(settled: Path) -> None:
    before = content_of(settled)
    settled.unlink()
    with pytest.raises(FileNotFoundError):
        before.is_still_in(settled)


def test_without_a_stamp_nothing_is_certain(file: Path) -> None:
    assert not Content(hashlib.sha256(BYTES).hexdigest(), len(BYTES)).is_still_in(file)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
@pytest.mark.parametrize("read", [content_of, file_layout])
def test_a_pipe_that_took_a_files_place_is_not_waited_for(
    tmp_path: Path, read: Callable[[Path], object], make: Callable[[Path], None]
) -> None:
    path = tmp_path / "nfcapd.202611201815"
    make(path)
    with pytest.raises((OSError, UnreadableFileError), match="not a regular file but a folder, pipe"):
        read(path)
