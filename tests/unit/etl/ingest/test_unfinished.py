"""The mark of a run in progress: whatever became of it, the next run reads it."""

from datetime import date
from pathlib import Path

import pytest

from hntes.etl.ingest.unfinished import Unfinished
from hntes.etl.lake.part import folder_tag

FOLDER = Path("/flows/r1")
NOON_MS = 1_795_176_000_000  # 2026-11-20T12:00:00Z
FILES = [(NOON_MS, "tag-aaaa-cccc"), (NOON_MS + 86_400_000, "tag-bbbb-cccc")]
LINES = b"2026-11-20 tag-aaaa-cccc\n2026-11-21 tag-bbbb-cccc\n"
NAMES = ["set_aside/day=2026-11-20/tag-aaaa-cccc.parquet", "set_aside/day=2026-11-21/tag-bbbb-cccc.parquet"]
# records of these files begin eight days before the first at most, and end two days after the last
SPAN = (date(2026, 11, 12), date(2026, 11, 23))


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """Where the mark is."""
    folder = tmp_path / ".unfinished"
    folder.mkdir()
    return folder / folder_tag(FOLDER)


def test_a_mark_has_the_files_of_all_killed_runs(tmp_path: Path, mark: Path) -> None:
    Unfinished(tmp_path, FOLDER).begin(FILES[:1])
    Unfinished(tmp_path, FOLDER).begin(FILES[1:])
    assert mark.read_bytes() == LINES
    found = Unfinished(tmp_path, FOLDER).leavings(["r1"])
    assert (found.days, found.aside) == (SPAN, frozenset(NAMES))


@pytest.mark.parametrize("length", range(len(LINES)))
def test_a_mark_that_a_full_disk_cut_anywhere_leaves_nothing_unswept(tmp_path: Path, mark: Path, length: int) -> None:
    """The names of whole lines are known, or nothing is and the sweep goes everywhere."""
    mark.write_bytes(LINES[:length])
    unfinished = Unfinished(tmp_path, FOLDER)
    whole = {*NAMES[: LINES[:length].count(b"\n")]}
    before = unfinished.leavings(["r1"])
    assert before.aside is None or before.aside >= whole
    unfinished.begin([(NOON_MS, "tag-dddd-cccc")])
    after = unfinished.leavings(["r1"])
    assert after.aside is None or after.aside >= whole | {"set_aside/day=2026-11-20/tag-dddd-cccc.parquet"}
    assert after.days is None or (after.days[0] <= SPAN[0] and after.days[1] >= date(2026, 11, 22))


def test_a_line_of_a_run_is_never_joined_to_one_that_was_cut(tmp_path: Path, mark: Path) -> None:
    mark.write_bytes(LINES[:-3])
    unfinished = Unfinished(tmp_path, FOLDER)
    unfinished.begin([(NOON_MS, "tag-dddd-cccc")])
    assert mark.read_bytes() == LINES[:-3] + b"\n2026-11-20 tag-dddd-cccc\n"


@pytest.mark.parametrize(
    "content",
    [b"", b"202025-11-20 tag-aaaa-cccc\n", b"\0" * 40, b"\xff\n", b"9999-12-31 tag-aaaa-cccc\n", b"\n" + LINES],
    ids=["empty", "joined", "zeros", "no UTF-8", "end of the calendar", "empty line"],
)
def test_a_mark_that_does_not_say_where_means_everywhere(tmp_path: Path, mark: Path, content: bytes) -> None:
    mark.write_bytes(content)
    found = Unfinished(tmp_path, FOLDER).leavings(["r1"])
    assert (found.days, found.aside) == (None, None)
