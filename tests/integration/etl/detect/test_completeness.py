"""A day is complete only when flow files cover it, could be read, and hold the router's flows of that day."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, insert

from hntes.etl.detect.completeness import DayRules, settle_day
from hntes.settings.model import Ageing
from hntes.sql.engine import open_database
from hntes.sql.entries import DayEntry, ExporterCount, FileEntry, FilePart, OutcomeCount, SamplingEntry
from hntes.sql.ledger import EXPORTER_COUNT, FLOW_FILE, FLOW_FILE_COUNT, FLOW_FILE_PART, replace_file
from hntes.sql.rows import store as insert_rows
from hntes.sql.session import reading, transaction

pytestmark = pytest.mark.second_database_long

FOLDER, ROUTER, DAY = Path("/flows/r1"), "r1", date(2026, 11, 20)
MIDNIGHT = 1_795_132_800_000  # 2026-11-20T00:00:00Z
DAY_S, FIVE_MINUTES_MS = 86_400, 300_000
SLOTS = DAY_S // 300
ONE, TWO = "192.0.2.1", "192.0.2.2"
LOST = ("set_aside:sampling_changed", "set_aside:faster_than_port", "set_aside:oversized_packets", "set_aside:no_time")


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
    lost = [ExporterCount(ROUTER, ONE, one.outcome, one.records, one.bytes) for one in counts if one.outcome in LOST]
    with transaction(store) as session:
        # all rows of a table at once: a day has up to 1,440 files
        insert_rows(session, FLOW_FILE, entries)
        read = [{"folder": one.folder, "path": one.path} for one in entries if one.state == "ingested" and records]
        if read:
            part = {"router": ROUTER, "day": DAY, "records": records, "bytes": records, "sha256": ""}
            session.execute(insert(FLOW_FILE_COUNT), [asdict(count) | file for count in counts for file in read])
            if lost:
                session.execute(insert(EXPORTER_COUNT), [asdict(one) | file for one in lost for file in read])
            session.execute(insert(FLOW_FILE_PART), [part | file | {"part": f"flows/{file['path']}"} for file in read])


def slots(*numbers: int, **changes: object) -> list[FileEntry]:
    return [entry(MIDNIGHT + number * FIVE_MINUTES_MS, **changes) for number in numbers]


def settled(
    store: Engine, min_coverage: float = Ageing().min_day_coverage, *, day: date = DAY, **rules: object
) -> DayEntry:
    with reading(store) as session:
        return settle_day(session, ROUTER, FOLDER, day, DayRules(min_coverage, **rules)).status


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
    # one came 100 s after another
    put(store, *slots(0, 1, 2, 3), entry(MIDNIGHT + 100_000))
    assert settled(store).covered_s == 1200


def test_the_last_file_covers_no_more_than_the_day(store: Engine) -> None:
    put(store, entry(MIDNIGHT + (DAY_S - 100) * 1000))
    assert settled(store).covered_s == 100


@pytest.mark.parametrize("rotation_s", [60, 300, 900, 3600])
def test_a_file_covers_the_stated_rotation(store: Engine, rotation_s: int) -> None:
    put(store, *[entry(MIDNIGHT + start * 1000) for start in range(0, DAY_S, rotation_s)])
    found = settled(store, 1.0, rotation_s=rotation_s)
    assert (found.complete, found.reason) == (True, "")


def test_two_files_do_not_make_a_day(store: Engine) -> None:
    """Twelve hours apart, they are no collector that rotates every twelve hours."""
    put(store, entry(MIDNIGHT), entry(MIDNIGHT + 43_200_000))
    found = settled(store)
    assert (found.covered_s, found.complete) == (600, False)


def test_five_minutes_an_hour_do_not_make_a_day(store: Engine) -> None:
    starts = [hour * 3600 + minute * 60 for hour in range(24) for minute in range(5)]
    put(store, *[entry(MIDNIGHT + start * 1000) for start in starts])
    assert settled(store, rotation_s=60).covered_s == 24 * 300
    assert not settled(store).complete


@pytest.mark.parametrize(("distance_s", "complete"), [(60, True), (900, False)])
def test_another_rotation_than_the_stated_one_is_told(store: Engine, distance_s: int, complete: bool) -> None:
    put(store, *[entry(MIDNIGHT + start * 1000) for start in range(0, DAY_S, distance_s)])
    found = settled(store)
    assert found.complete == complete
    assert f"files usually start {distance_s} s apart, but rotation_s is 300" in found.reason


AUTUMN, AUTUMN_MIDNIGHT = date(2026, 10, 25), 1_792_886_400_000


@pytest.mark.parametrize(("zone", "is_told"), [("Europe/Berlin", True), ("UTC", False)])
def test_an_hour_that_summer_time_repeats_is_missing(store: Engine, zone: str, is_told: bool) -> None:
    """The collector gave both hours the same names, so the files of one are gone: 23 of 24 hours are not complete."""
    twelve = range(12, 24)
    starts = [slot for slot in range(SLOTS) if slot not in twelve]
    put(store, *[entry(AUTUMN_MIDNIGHT + slot * FIVE_MINUTES_MS) for slot in starts])
    with transaction(store) as session:
        one = entry(AUTUMN_MIDNIGHT)
        replace_file(session, one, (), [FilePart(ROUTER, AUTUMN, "flows/autumn", 9, 9)])
    found = settled(store, day=AUTUMN, file_timezone=zone)
    assert (found.covered_s, found.complete) == (82_800, False)
    assert ("repeats at the end of DST" in found.reason) == is_told


HOUR_MS = 3_600_000


def put_hours(store: Engine, days_back: int, records: dict[str, int], silent: dict[str, set[int]]) -> None:
    """A file an hour on that day, with so many records of each exporter but in its silent hours."""
    with transaction(store) as session:
        for hour in range(24):
            one = entry(MIDNIGHT + (hour - 24 * days_back) * HOUR_MS)
            heard = {exporter: n for exporter, n in records.items() if hour not in silent.get(exporter, ())}
            parts = [FilePart(ROUTER, DAY - timedelta(days=days_back), f"flows/{one.path}", 1, 1)] if heard else []
            evidence = [SamplingEntry(exporter, 1, "assumed_unsampled", n) for exporter, n in heard.items()]
            replace_file(session, one, (), parts, evidence)


def with_history(store: Engine, records: dict[str, int], silent: dict[str, set[int]], days: int = 5) -> DayEntry:
    for back in range(1, days + 1):
        put_hours(store, back, records, {})
    put_hours(store, 0, records, silent)
    return settled(store, rotation_s=3600)


def test_one_of_several_exporters_that_falls_silent_makes_the_day_incomplete(store: Engine) -> None:
    found = with_history(store, {ONE: 500, TWO: 100}, {TWO: set(range(1, 24))})
    assert (found.covered_s, found.complete) == (DAY_S, False)
    assert found.reason == (
        f"exporter {TWO} sent nothing in 23 hours in which it usually sends 100 records or more (01:00-24:00 UTC)"
    )


def test_a_router_silent_from_the_first_hour_on_has_no_complete_day(store: Engine) -> None:
    found = with_history(store, {ONE: 500}, {ONE: set(range(1, 24))})
    assert (found.records, found.complete) == (1, False)


def test_one_silent_hour_is_too_much_at_the_default_and_a_remark_at_a_lower_limit(store: Engine) -> None:
    found = with_history(store, {ONE: 500}, {ONE: {3}})
    assert not found.complete
    lower = settled(store, 0.9, rotation_s=3600)
    assert lower.complete
    assert lower.reason == found.reason


@pytest.mark.parametrize(("usual", "days"), [(99, 5), (500, 2)])
def test_few_records_or_few_days_are_no_evidence_of_silence(store: Engine, usual: int, days: int) -> None:
    found = with_history(store, {ONE: usual}, {ONE: set(range(1, 24))}, days)
    assert (found.complete, found.reason) == (True, "")


def test_a_night_that_is_quiet_every_night_is_complete(store: Engine) -> None:
    night = {ONE: set(range(1, 6))}
    for back in range(1, 15):
        put_hours(store, back, {ONE: 500}, night)
    put_hours(store, 0, {ONE: 500}, night)
    assert settled(store, rotation_s=3600).complete


def test_exporters_of_other_routers_are_not_missed(store: Engine) -> None:
    with_history(store, {ONE: 500, TWO: 500}, {TWO: set(range(24))})
    assert not settled(store, rotation_s=3600).complete
    assert settled(store, rotation_s=3600, exporters=frozenset({ONE})).complete
    assert settled(store, rotation_s=3600, usual_records=0).complete


def put_jumps(store: Engine, jumps: int, records: int) -> None:
    put(store, *slots(*range(SLOTS)))
    with transaction(store) as session:
        one = entry(MIDNIGHT, read_records=records)
        counts = [OutcomeCount("", "noted:export_sequence_failures", jumps, 0)]
        replace_file(session, one, counts, [FilePart(ROUTER, DAY, f"flows/{one.path}", records, records)])


# 24,000 records are some 1,000 packets (the other files have one record each, 12 packets in all)
@pytest.mark.parametrize(("jumps", "complete"), [(19, True), (42, True), (43, False), (500, False), (507, True)])
def test_lost_export_packets_make_a_day_incomplete(store: Engine, jumps: int, complete: bool) -> None:
    put_jumps(store, jumps, 24_000)
    found = settled(store)
    assert found.complete == complete
    assert (f"jumped {jumps} times" in found.reason) == (jumps >= 20)
    assert ("they do not count packets" in found.reason) == (jumps == 507)


def test_a_few_jumps_of_a_small_router_are_no_loss(store: Engine) -> None:
    put_jumps(store, 19, 30)
    assert settled(store).complete


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


def put_named_off(store: Engine, off_min: int) -> None:
    """A day's files, whose names are that many minutes later than what they hold."""
    with transaction(store) as session:
        for one in slots(*range(SLOTS)):
            day = (datetime.fromtimestamp(one.file_start_ms / 1000, UTC) - timedelta(minutes=off_min)).date()
            replace_file(session, one, [], [FilePart(ROUTER, day, f"flows/{one.path}", 1, 1)])


@pytest.mark.parametrize(
    ("off_min", "misplaced", "complete"),
    [(0, 0, True), (30, 0, True), (60, 5, True), (-60, 5, True), (9 * 60, 101, False), (-8 * 60, 89, False)],
)
def test_files_named_by_another_time_zone_hold_records_that_no_night_finds(
    store: Engine, off_min: int, misplaced: int, complete: bool
) -> None:
    put_named_off(store, off_min)
    found = settled(store)
    assert found.complete == complete
    told = f"{misplaced} of {SLOTS} records end on a day whose detection does not read their file"
    assert found.reason.startswith(told) == bool(misplaced)
    assert ("correct `file_timezone`" in found.reason) == bool(misplaced)
    assert settled(store, max_record_delay_s=9 * 3600 + 300).reason == ""


@pytest.mark.parametrize(("changed", "complete"), [(1, True), (2, False)])
def test_a_day_with_many_records_of_an_unknown_sampling_factor_is_not_complete(
    store: Engine, changed: int, complete: bool
) -> None:
    """1 % is the limit: who sends in an exporter's name must not stop ageing by a single datagram."""
    put(store, *slots(*range(SLOTS)), outcomes={"kept": 100 - changed, "set_aside:sampling_changed": changed})
    found = settled(store)
    assert found.complete == complete
    assert f"{changed * SLOTS} sampling_changed" in found.reason


@pytest.mark.parametrize(("faster", "complete"), [(4, True), (5, False)])
def test_records_that_cannot_be_true_are_in_the_days_status(store: Engine, faster: int, complete: bool) -> None:
    """Up to the 4 % that a day may lack."""
    outcomes = {"kept": 100 - faster, "set_aside:faster_than_port": faster}
    put(store, *slots(*range(SLOTS)), outcomes=outcomes)
    found = settled(store)
    assert found.complete == complete
    n = faster * SLOTS
    assert found.reason == f"{n} records set aside as implausible ({n} faster_than_port)"
