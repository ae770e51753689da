"""Hashes that were taken before it was known which files are to be read are used where they are still true."""

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from hntes.etl.ingest import content, early_hashes
from hntes.etl.ingest.content import Content
from hntes.etl.ingest.early_hashes import EarlyHashes


@pytest.fixture
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as threads:
        yield threads


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """It counts as settled at once."""
    monkeypatch.setattr(content, "_SETTLED_NS", -1)
    path = tmp_path / "nfcapd.202611201815"
    path.write_bytes(b"before")
    return path


def unhashed(path: Path) -> Content:
    return Content("", path.stat().st_size)


def started() -> EarlyHashes:
    early = EarlyHashes()
    early.start()
    return early


def taken(pool: Executor, path: Path) -> EarlyHashes:
    early = started()
    early.take(pool, [(path, path.stat().st_size)])
    early.stop()
    return early


def test_a_file_that_did_not_change_has_its_hash(pool: Executor, file: Path) -> None:
    found = taken(pool, file).of(file, unhashed(file))
    assert (found.sha256, found.size_bytes) == (hashlib.sha256(b"before").hexdigest(), 6)


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_bytes(b"after!"),
        lambda path: path.write_bytes(b"longer than before"),
        lambda path: path.with_name("new").write_bytes(b"before") and path.with_name("new").replace(path),
    ],
    ids=["written", "longer", "replaced"],
)
def test_a_file_that_changed_is_hashed_where_it_is_read(
    pool: Executor, file: Path, change: Callable[[Path], object]
) -> None:
    early = taken(pool, file)
    change(file)
    assert early.of(file, unhashed(file)) == unhashed(file)


def test_a_file_that_is_gone_is_left_to_whoever_reads_it(pool: Executor, file: Path) -> None:
    early = taken(pool, file)
    asked = unhashed(file)
    file.unlink()
    assert early.of(file, asked) == asked
    early = started()
    early.take(pool, [(file, 6), (file.parent, 6)])
    assert early.of(file, asked) == asked


def test_a_file_too_young_for_its_stamp_to_tell_is_hashed_where_it_is_read(
    pool: Executor, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "_SETTLED_NS", 2_000_000_000)
    assert taken(pool, file).of(file, unhashed(file)) == unhashed(file)


def test_a_hash_that_is_there_stays(pool: Executor, file: Path) -> None:
    found = Content("0" * 64, 6)
    assert taken(pool, file).of(file, found) == found


def test_large_files_are_left_to_those_who_read_them(
    pool: Executor, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(early_hashes, "_LARGEST_BYTES", 5)
    assert taken(pool, file).of(file, unhashed(file)) == unhashed(file)


def test_nothing_is_taken_after_it_was_stopped(file: Path) -> None:
    early = started()

    class Stopping(Executor):
        """Does the first job, and stops what comes after it."""

        jobs = 0

        def submit(self, job: Callable[..., object], /, *given: object, **named: object) -> Future[object]:  # type: ignore[override]
            self.jobs += 1
            early.stop()
            done: Future[object] = Future()
            done.set_result(job(*given, **named))
            return done

    pool = Stopping()
    early.take(pool, [(file, 6), (file, 6)])
    assert pool.jobs == 1
    early.take(pool, [(file, 6)])
    assert pool.jobs == 1
    assert early.of(file, unhashed(file)).sha256


def test_it_takes_nothing_before_it_is_started(pool: Executor, file: Path) -> None:
    early = EarlyHashes()
    early.take(pool, [(file, 6)])
    assert early.of(file, unhashed(file)) == unhashed(file)
