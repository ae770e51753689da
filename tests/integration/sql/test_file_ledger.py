"""The ingest ledger: a file's rows are replaced as a whole and found by start, day and folder."""

from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.exc import IntegrityError

from hntes.sql import ledger
from hntes.sql.entries import FactorSeen, FilePart, LakePart, OutcomeCount, SamplingEntry
from hntes.sql.exporter_counts import unclaimed_exporters
from hntes.sql.forgotten_files import Forgotten, forget_files, oldest_start_ms
from hntes.sql.ledger import FLOW_FILE
from hntes.sql.schema import METADATA
from hntes.sql.session import reading, transaction
from hntes.sql.simulated_runs import SIMULATED_RUN
from tests.support.entries import flow_file

DAY = date(2026, 3, 1)
FILE = flow_file()
COUNTS = (OutcomeCount("", "unclaimed:198.51.100.1", 1, 10), OutcomeCount("r1", "kept", 2, 2**62))
PARTS = (FilePart("r1", DAY, "router=r1/day=2026-03-01/a.parquet", 2, 2**62, "ef" * 32),)
EVIDENCE = (
    SamplingEntry("192.0.2.1", 1, "assumed_unsampled", 1),
    SamplingEntry("192.0.2.1", 100, "collector", 1),
    SamplingEntry("192.0.2.1", 1000, "collector", 1),
)


def test_what_is_put_is_found(store: Engine) -> None:
    with transaction(store) as session:
        assert ledger.get_stored_file(session, "/flows", FILE.path) is None
        assert ledger.replace_file(session, FILE, reversed(COUNTS), PARTS, reversed(EVIDENCE)) == ()
    with reading(store) as session:
        assert ledger.get_file(session, "/flows", FILE.path) == FILE
        assert ledger.get_stored_file(session, "/flows", FILE.path) == ledger.StoredFile(FILE, COUNTS, PARTS, EVIDENCE)


def test_a_changed_file_replaces_all_its_rows_and_no_others(store: Engine) -> None:
    other = replace(FILE, folder="/elsewhere")
    changed = replace(FILE, sha256="cd" * 32)
    part = FilePart("r2", DAY, "router=r2/day=2026-03-01/b.parquet", 1, 1)
    with transaction(store) as session:
        ledger.replace_file(session, FILE, COUNTS, PARTS, EVIDENCE)
        ledger.replace_file(session, other, COUNTS, PARTS, EVIDENCE)
        assert ledger.replace_file(session, changed, parts=[part]) == PARTS
    with reading(store) as session:
        assert ledger.get_stored_file(session, "/flows", FILE.path) == ledger.StoredFile(changed, (), (part,), ())
        assert ledger.get_stored_file(session, "/elsewhere", FILE.path) == ledger.StoredFile(
            other, COUNTS, PARTS, EVIDENCE
        )


def test_a_part_file_that_is_named_again_is_not_reported_as_left_over(store: Engine) -> None:
    with transaction(store) as session:
        ledger.replace_file(session, FILE, parts=PARTS)
        assert ledger.replace_file(session, FILE, parts=PARTS) == ()


def test_a_forgotten_file_leaves_no_rows_in_any_table(store: Engine) -> None:
    with transaction(store) as session:
        ledger.replace_file(session, FILE, COUNTS, PARTS, EVIDENCE)
        assert ledger.forget_file(session, "/flows", FILE.path) == PARTS
        assert ledger.forget_file(session, "/flows", "never seen") == ()
    with reading(store) as session:
        # A new database of the tests vouches for the simulations that they share.
        for table in set(METADATA.sorted_tables) - {SIMULATED_RUN}:
            assert session.execute(select(func.count()).select_from(table)).scalar() == 0


def test_a_moved_folder_keeps_all_rows_and_a_forgotten_one_none(store: Engine) -> None:
    other = replace(FILE, folder="/elsewhere")
    with transaction(store) as session:
        for entry in (FILE, other):
            ledger.replace_file(session, entry, COUNTS, PARTS, EVIDENCE)
        assert ledger.folders(session) == ("/elsewhere", "/flows")
        ledger.move_folder(session, "/flows", "/moved")
        assert ledger.get_stored_file(session, "/flows", FILE.path) is None
        stored = ledger.StoredFile(replace(FILE, folder="/moved"), COUNTS, PARTS, EVIDENCE)
        assert ledger.get_stored_file(session, "/moved", FILE.path) == stored
        assert len(ledger.parts_between(session, "r1", 0, 2**62)) == 2
        assert [part.folder for part in ledger.parts_between(session, "r1", 0, 2**62, "/moved")] == ["/moved"]
        assert [part.folder for part in ledger.parts_of_day(session, "r1", DAY, "/elsewhere")] == ["/elsewhere"]
        start_ms = FILE.file_start_ms
        assert oldest_start_ms(session, "/moved") == start_ms
        assert forget_files(session, "/moved", start_ms + 1, 2**62) == Forgotten((), ())
        forgotten = forget_files(session, "/moved", start_ms, start_ms + 1)
        assert forgotten == Forgotten((replace(FILE, folder="/moved"),), (PARTS[0].part,))
        assert oldest_start_ms(session, "/moved") is None
        assert ledger.folders(session) == ("/elsewhere",)
        assert ledger.named_parts(session, forgotten.parts) == forgotten.parts
        elsewhere = ledger.StoredFile(other, COUNTS, PARTS, EVIDENCE)
        assert ledger.get_stored_file(session, "/elsewhere", FILE.path) == elsewhere
        assert ledger.parts_by_day(session, "r1", "/elsewhere") == {DAY: 1}
        assert ledger.parts_by_day(session, "r1", "/moved") == {}


def test_parts_are_found_by_the_start_of_their_file_and_by_day(store: Engine) -> None:
    with transaction(store) as session:
        for start_ms in (3000, 1000, 2000):
            entry = replace(FILE, path=f"f{start_ms}", file_start_ms=start_ms)
            day, sha256 = (DAY, "ef" * 32) if start_ms < 3000 else (date(2026, 3, 2), "")
            parts = [FilePart(r, day, f"{r}-{start_ms}", 1, 1, sha256) for r in ("r1", "r2")]
            ledger.replace_file(session, entry, parts=parts)
    with reading(store) as session:
        found = ledger.parts_between(session, "r1", 1000, 3000)
        assert found == (
            LakePart("/flows", "f1000", 1000, "r1", DAY, "r1-1000", 1, 1, "ef" * 32),
            LakePart("/flows", "f2000", 2000, "r1", DAY, "r1-2000", 1, 1, "ef" * 32),
        )
        assert ledger.parts_of_day(session, "r1", DAY) == found
        assert [p.part for p in ledger.parts_of_day(session, "r2", date(2026, 3, 2))] == ["r2-3000"]


def test_parts_that_are_older_than_the_hash_are_counted(store: Engine) -> None:
    with transaction(store) as session:
        assert ledger.parts_without_hash(session) == (0, None)
        for number, sha256 in enumerate(("", "", "ef" * 32)):
            part = FilePart("r1", date(2026, 3, 1 + number), f"part-{number}", 1, 1, sha256)
            ledger.replace_file(session, replace(FILE, path=f"f{number}"), parts=[part])
        assert ledger.parts_without_hash(session) == (2, date(2026, 3, 2))
        assert ledger.parts_without_hash(session, date(2026, 3, 2)) == (1, date(2026, 3, 2))
        assert ledger.parts_without_hash(session, date(2026, 3, 3)) == (0, None)


def test_a_folders_files_and_counts(store: Engine) -> None:
    with transaction(store) as session:
        for start_ms in (3000, 2000, 1000):
            entry = replace(FILE, path=f"f{start_ms}", file_start_ms=start_ms)
            ledger.replace_file(session, entry, COUNTS, (), EVIDENCE)
        ledger.replace_file(session, replace(FILE, folder="/elsewhere"), COUNTS, (), EVIDENCE)
    with reading(store) as session:
        assert [f.path for f in ledger.files_of_folder(session, "/flows")] == ["f1000", "f2000", "f3000"]
        assert [f.path for f in ledger.files_of_folder(session, "/flows", 2000, 3000)] == ["f2000"]
        assert ledger.counts_of_folder(session, "/flows", 1000, 3000) == (
            OutcomeCount("", "unclaimed:198.51.100.1", 2, 20),
            OutcomeCount("r1", "kept", 4, 2**63),
        )
        assert unclaimed_exporters(session, "/flows", 2000, 3001) == (("198.51.100.1", 2),)
        assert unclaimed_exporters(session, "/flows", 2001, 3000) == ()
        assert [ledger.count_files(session, each) for each in ("/flows", "/elsewhere", "/none")] == [3, 1, 0]


def test_an_unknown_state_is_refused_by_the_database(store: Engine) -> None:
    with pytest.raises(IntegrityError, match="ck_flow_file_state"), transaction(store) as session:
        ledger.replace_file(session, replace(FILE, state="maybe"))


def test_rows_of_an_unknown_file_are_refused_by_the_database(store: Engine) -> None:
    values = {"folder": "/flows", "path": "unknown", "router": "", "outcome": "kept", "records": 1, "bytes": 1}
    with pytest.raises(IntegrityError), transaction(store) as session:
        session.execute(METADATA.tables["flow_file_count"].insert(), [values])


def test_counters_are_wide_enough(store: Engine) -> None:
    with transaction(store) as session:
        ledger.replace_file(session, replace(FILE, size_bytes=2**63 - 1))
        assert session.execute(select(FLOW_FILE.c.size_bytes)).scalar() == 2**63 - 1


def test_files_are_found_by_path_and_content_whatever_their_number(store: Engine) -> None:
    hashes = [f"{number:064x}" for number in range(1100)]  # more than one question takes
    with transaction(store) as session:
        for number, sha256 in enumerate(hashes):
            entry = replace(FILE, path=f"f{number:04}", sha256=sha256)
            ledger.replace_file(session, entry, COUNTS, [FilePart("r1", DAY, f"part-{number}", 1, 1)])
        ledger.replace_file(session, replace(FILE, folder="/elsewhere", path="f0001", sha256=hashes[1]))
    paths = [f"f{number:04}" for number in range(1100)]
    with reading(store) as session:
        assert [one.path for one in ledger.files_at(session, "/flows", [*paths[::2], "gone"])] == paths[::2]
        found = ledger.files_of_content(session, "/flows", hashes[1::2])
        assert [(one.folder, one.path) for one in found] == [("/flows", path) for path in paths[1::2]]
        parts = ledger.part_names_of_files(session, "/flows", reversed(paths))
        assert parts == tuple((path, f"part-{number}") for number, path in enumerate(paths))
        assert ledger.named_parts(session, ["part-7", "left", "part-1099"]) == ("part-1099", "part-7")
        counts = ledger.counts_of_files(session, "/flows", paths)
        stored = ledger.get_stored_file(session, "/flows", paths[-1])
        assert stored is not None
        assert counts.keys() == set(paths)
        assert counts[paths[-1]] == stored.counts


def test_copies_without_an_owner_are_those_of_their_folder(store: Engine) -> None:
    with transaction(store) as session:
        for folder, path, sha256, state in (
            ("/flows", "owner", "a" * 64, "ingested"), ("/flows", "copy", "a" * 64, "duplicate"),
            ("/flows", "orphan", "b" * 64, "duplicate"), ("/elsewhere", "other", "b" * 64, "ingested"),
            ("/elsewhere", "alone", "a" * 64, "duplicate"), ("/flows", "damaged", "c" * 64, "quarantined"),
            ("/flows", "its copy", "c" * 64, "duplicate"),
        ):  # fmt: skip
            ledger.replace_file(session, replace(FILE, folder=folder, path=path, sha256=sha256, state=state))
    with reading(store) as session:
        assert [one.path for one in ledger.copies_without_owner(session, "/flows")] == ["orphan"]
        assert [one.path for one in ledger.copies_without_owner(session, "/elsewhere")] == ["alone"]


def test_factors_are_known_since_the_first_file_that_has_them(store: Engine) -> None:
    hundred, thousand = (
        SamplingEntry("192.0.2.1", 100, "collector", 1),
        SamplingEntry("192.0.2.1", 1000, "collector", 1),
    )
    with transaction(store) as session:
        for start_ms, evidence in ((3000, [hundred]), (1000, [thousand]), (2000, [hundred, thousand])):
            ledger.replace_file(session, replace(FILE, path=f"f{start_ms}", file_start_ms=start_ms), evidence=evidence)
        ledger.replace_file(session, replace(FILE, folder="/elsewhere", file_start_ms=500), evidence=[hundred])
        assert ledger.factors_of_folder(session, "/flows") == (
            FactorSeen("192.0.2.1", 100, "collector", 2000),
            FactorSeen("192.0.2.1", 1000, "collector", 1000),
        )
        # its name is of another time, as in another time zone
        ledger.replace_file(session, replace(FILE, path="f2000", file_start_ms=5000), evidence=[hundred])
        ledger.move_folder(session, "/flows", "/moved")
        assert ledger.factors_of_folder(session, "/moved") == (
            FactorSeen("192.0.2.1", 100, "collector", 3000),
            FactorSeen("192.0.2.1", 1000, "collector", 1000),
        )
        assert ledger.factors_of_folder(session, "/flows") == ()


def test_files_before_a_time_and_the_newest_of_them(store: Engine) -> None:
    with transaction(store) as session:
        for start_ms, state in ((1000, "quarantined"), (2000, "ingested"), (3000, "quarantined")):
            ledger.replace_file(session, replace(FILE, path=f"f{start_ms}", file_start_ms=start_ms, state=state))
        ledger.replace_file(session, replace(FILE, folder="/elsewhere", file_start_ms=1500))
        assert [ledger.files_before(session, "/flows", each) for each in (1000, 3000, 9000)] == [0, 2, 3]
        assert ledger.files_before(session, "/flows", 9000, "quarantined") == 2
        assert [ledger.newest_start_ms(session, "/flows", each) for each in (1000, 3000, 9000)] == [None, 2000, 3000]
        # of those that were read, in this folder
        assert ledger.oldest_read_ms(session, "/flows") == 2000
        assert ledger.oldest_read_ms(session, "/nowhere") is None
        aside = ledger.files_of_folder(session, "/flows", state="quarantined")
        assert [one.path for one in aside] == ["f1000", "f3000"]
        assert (ledger.knows_folder(session, "/flows"), ledger.knows_folder(session, "/other")) == (True, False)


def test_the_contents_that_were_read_come_as_they_are_taken(store: Engine) -> None:
    other = replace(FILE, folder="/elsewhere")
    with transaction(store) as session:
        for entry in (FILE, other, replace(FILE, path="never opened", state="quarantined")):
            ledger.replace_file(session, entry)
        wanted = {ledger.ReadContent(each.folder, each.sha256, each.ingest_hash) for each in (FILE, other)}
        # in a transaction that writes, as when a folder is forgotten, and in one that only reads
        assert set(ledger.read_contents(session)) == wanted
    with reading(store) as session:
        found = ledger.read_contents(session, "/elsewhere")
        assert next(found).folder == "/elsewhere"
        assert list(found) == []
