"""A day is complete only when flow files cover it, could be read, and hold the router's flows of that day."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import Engine

from etl.detect.completeness import settle_day
from sql.engine import open_database
from sql.entries import DayEntry, FileEntry, FilePart, OutcomeCount
from sql.ledger import replace_file
from sql.session import reading, transaction

FOLDER, ROUTER, DAY = Path("/flows/r1"), "r1", date(2026, 11, 20)
MIDNIGHT = 1_795_132_800_000  # 2026-11-20T00:00:00Z
DAY_S, FIVE_MINUTES_MS = 86_400, 300_000
SLOTS = DAY_S // 300


@pytest.fixture
def store(database_url: str) -> Iterator[Engine]:
    engine = open_database(database_url)
    yield engine
    engine.dispose()


def entry(start_ms: int, **changes: object) -> FileEntry:
    plain = FileEntry(
        folder=str(FOLDER), path=f"nfcapd.{start_ms}", sha256=str(start_ms), size_bytes=1, file_start_ms=start_ms,
        ingest_hash="h", state="ingested", reason="", file_layout=2, nfdump_version="1.7.1", promised_records=1,
        read_records=1,
    )  # fmt: skip
    return replace(plain, **changes)


def put(store: Engine, *entries: FileEntry, outcomes: dict[str, int] | None = None, records: int = 1) -> None:
    """Files with one part of `records` records each, unless they are no such files."""
    counts = [OutcomeCount(ROUTER, outcome, n, n) for outcome, n in (outcomes or {"kept": records}).items()]
    with transaction(store) as session:
        for one in entries:
            parts = [FilePart(ROUTER, DAY, f"flows/{one.path}", records, records)]
            has_rows = one.state == "ingested" and records
            replace_file(session, one, counts if has_rows else (), parts if has_rows else ())


def slots(*numbers: int, **changes: object) -> list[FileEntry]:
    return [entry(MIDNIGHT + number * FIVE_MINUTES_MS, **changes) for number in numbers]


def settled(store: Engine, min_coverage: float = 0.95) -> DayEntry:
    with reading(store) as session:
        return settle_day(session, ROUTER, FOLDER, DAY, min_coverage)


def test_a_day_covered_from_end_to_end_is_complete(store: Engine) -> None:
    put(store, *slots(*range(SLOTS)))
    assert settled(store, 1.0) == DayEntry(ROUTER, DAY, DAY_S, DAY_S, SLOTS, 0, SLOTS, True, "")


def test_a_day_without_files_is_not(store: Engine) -> None:
    assert settled(store, 0.0) == DayEntry(ROUTER, DAY, DAY_S, 0, 0, 0, 0, False, "no flow file could be read")


def test_the_limit_itself_is_enough(store: Engine) -> None:
    put(store, *slots(*range(SLOTS // 2)))
    assert settled(store, 0.5).complete
    short = settled(store, 0.5001)
    assert not short.complete
    assert "43200 of 86400 s" in short.reason


def test_files_of_other_days_and_folders_cover_nothing(store: Engine) -> None:
    put(store, entry(MIDNIGHT - 1), entry(MIDNIGHT + DAY_S * 1000), entry(MIDNIGHT, folder="/flows/r2"))
    found = settled(store)
    assert (found.files, found.covered_s, found.complete) == (0, 0, False)


def test_a_file_that_could_not_be_read_covers_nothing_and_is_told(store: Engine) -> None:
    put(store, *slots(*range(1, SLOTS)))
    put(store, *slots(0, state="quarantined"))
    found = settled(store)
    assert (found.covered_s, found.quarantined_files, found.complete) == (DAY_S - 300, 1, True)
    assert found.reason == f"1 of {SLOTS} files set aside as unreadable"
    assert not settled(store, 1.0).complete


def test_a_copy_of_another_file_covers_nothing(store: Engine) -> None:
    put(store, *slots(*range(1, SLOTS)))
    put(store, *slots(0, state="duplicate", promised_records=1))
    assert settled(store).covered_s == DAY_S - 300


def test_a_copy_of_an_empty_file_covers_its_own_time(store: Engine) -> None:
    """Files of nfdump 1.6 without a record are equal byte by byte."""
    put(store, *slots(*range(1, SLOTS)))
    put(store, *slots(0, state="duplicate", promised_records=0))
    assert settled(store).covered_s == DAY_S


def test_two_files_of_one_time_cover_it_once(store: Engine) -> None:
    put(store, *slots(*range(SLOTS // 2)))
    again = [replace(one, path=f"other/{one.path}") for one in slots(*range(SLOTS // 2))]
    put(store, *again)
    assert settled(store).covered_s == DAY_S // 2


def test_files_longer_than_their_distance_are_not_counted_twice(store: Engine) -> None:
    # most files are 300 s apart; one came 100 s after another
    put(store, *slots(0, 1, 2, 3), entry(MIDNIGHT + 100_000))
    assert settled(store).covered_s == 1200


def test_the_last_file_covers_no_more_than_the_day(store: Engine) -> None:
    put(store, entry(MIDNIGHT + (DAY_S - 100) * 1000))
    assert settled(store).covered_s == 100


@pytest.mark.parametrize("rotation_s", [60, 300, 900, 3600])
def test_any_rotation_is_measured(store: Engine, rotation_s: int) -> None:
    put(store, *[entry(MIDNIGHT + start * 1000) for start in range(0, DAY_S, rotation_s)])
    assert settled(store, 1.0).complete


def test_a_router_that_sent_nothing_all_day_has_no_complete_day(store: Engine) -> None:
    """The collector goes on writing files when an exporter falls silent: a zero like that must not age any pair."""
    put(store, *slots(*range(SLOTS)), records=0)
    found = settled(store)
    assert (found.covered_s, found.records, found.complete) == (DAY_S, 0, False)
    assert found.reason == f"no flow record of this router in {SLOTS} files"


@pytest.mark.parametrize(("old", "complete"), [(SLOTS // 2, True), (SLOTS // 2 + 1, False), (SLOTS, False)])
def test_a_day_whose_records_mostly_name_another_time_is_not_complete(store: Engine, old: int, complete: bool) -> None:
    put(store, *slots(*range(old)), outcomes={"kept": 1, "noted:days_old": 1})
    put(store, *slots(*range(old, SLOTS)))
    found = settled(store)
    assert found.complete == complete
    assert ("clock" in found.reason) != complete
