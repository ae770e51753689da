"""A year of many routers has millions of parts: what looks at all of them has a day's in memory."""

import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import insert

from hntes.etl.ingest.part_names import part_stem
from hntes.etl.lake.folder import FolderStore
from hntes.etl.lake.store import part_name, set_aside_name
from hntes.sql import ledger
from hntes.sql.engine import open_database
from hntes.sql.entries import LakePart
from hntes.sql.ledger import FLOW_FILE, FLOW_FILE_PART
from hntes.sql.rows import values_of
from hntes.sql.session import reading, transaction
from hntes.workflow.context import opened
from hntes.workflow.reports.lake_check import check_lake
from hntes.workflow.stages.forget_folder import forget_folder
from tests.support.entries import flow_file
from tests.support.installation import Installation, installation_in

R = TypeVar("R")

FIRST = date(2026, 1, 1)
DAYS, FILES_A_DAY = 100, 288
# The parts of all days take 20 MB and more, those of one 0.3 MB; statements leave some behind until a collection.
MOST_BYTES = 12_000_000
OLD = "/flows/old"


@pytest.fixture
def site(tmp_path: Path) -> Installation:
    return installation_in(tmp_path / "site", routers=1)


def _sha256(number: int) -> str:
    return f"{number:016x}".ljust(64, "0")


def _day_ms(day: date) -> int:
    return (day - date(1970, 1, 1)).days * 86_400_000


def _fill(site: Installation, folder: str, days: int = DAYS) -> None:
    """A ledger with a part of router r1 for each file of so many days of a folder."""
    entry = values_of(flow_file(folder=folder))
    with transaction(database := open_database(site.database_url)) as session:
        for each in range(days):
            day, numbers = FIRST + timedelta(days=each), range(each * FILES_A_DAY, (each + 1) * FILES_A_DAY)
            own = [{"path": f"f{number:06d}", "sha256": _sha256(number)} for number in numbers]
            start_ms = _day_ms(day)
            files = [
                entry | one | {"file_start_ms": start_ms + 300_000 * place, "ingest_hash": "ab" * 32}
                for place, one in enumerate(own)
            ]
            session.execute(insert(FLOW_FILE), files)
            row = {"folder": folder, "router": "r1", "day": day, "records": 1, "bytes": 1}
            stems = [part_stem(Path(folder), one["sha256"], "ab" * 32) for one in own]
            parts = [row | one | {"part": part_name("r1", day, stem)} for one, stem in zip(own, stems, strict=True)]
            session.execute(insert(FLOW_FILE_PART), parts)
    database.dispose()


def _peak_bytes(work: Callable[[], R]) -> tuple[R, int]:
    tracemalloc.start()
    try:
        return work(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_verification_has_the_parts_of_a_day_in_memory(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def nearby(_: FolderStore, parts: Sequence[LakePart]) -> Iterator[Path]:
        yield Path(parts[0].part)

    monkeypatch.setattr(FolderStore, "nearby", nearby)
    with opened(site.settings) as context:
        (router,) = context.settings.routers
        check_lake(context, [router], None)  # loads modules, and prepares statements
        _fill(site, str(router.flow_folder))
        told: list[tuple[int, int]] = [(0, 0)]

        def progress(done: int, parts: int, _: str) -> None:
            told[0] = done, parts

        found, peak = _peak_bytes(lambda: check_lake(context, [router], None, progress))
    assert (found.parts, found.hashed) == (DAYS * FILES_A_DAY, DAYS * FILES_A_DAY)
    assert told == [(found.parts, found.parts)]
    assert peak < MOST_BYTES


def test_forgetting_a_folder_has_the_files_of_a_day_in_memory(site: Installation) -> None:
    _fill(site, "/flows/warm-up", 1)
    with opened(site.settings) as context:
        forget_folder(context, Path("/flows/warm-up"))
        _fill(site, OLD)
        # another folder has the contents of the first day, as after a move, and the names of its parts
        _fill(site, "/flows/copy", 1)
        done, peak = _peak_bytes(lambda: forget_folder(context, Path(OLD)))
        with reading(context.database) as session:
            assert ledger.folders(session) == ("/flows/copy",)
            assert ledger.count_files(session, "/flows/copy") == FILES_A_DAY
    assert (done.files, done.removed_parts) == (DAYS * FILES_A_DAY, 0)
    assert peak < MOST_BYTES


def test_what_was_set_aside_goes_with_its_day_unless_another_folder_needs_it(site: Installation) -> None:
    """The copy has parts of its own of its first file; of its second it has those that it had before it was moved."""
    _fill(site, OLD, 2)
    _fill(site, "/flows/copy", 1)
    second = FIRST + timedelta(days=1)
    names = {
        "own": (OLD, 0, FIRST),
        "own of the copy": ("/flows/copy", 0, FIRST),
        "borrowed": (OLD, 1, FIRST),
        "of the second day": (OLD, FILES_A_DAY, second),
        "before there were days": (OLD, FILES_A_DAY + 1, None),
        "of another content": (OLD, 999_999, second),
    }
    lying = {}
    for what, (folder, number, day) in names.items():
        path = site.lake / set_aside_name(part_stem(Path(folder), _sha256(number), "ab" * 32), day)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        lying[what] = path
    with opened(site.settings) as context:
        done = forget_folder(context, Path(OLD))
    left = {what for what, path in lying.items() if path.exists()}
    assert left == {"own of the copy", "borrowed", "of another content"}
    assert (done.files, done.removed_parts) == (2 * FILES_A_DAY, 3)
