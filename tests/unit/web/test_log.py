"""The log as CSV: one line per event, and no cell that a spreadsheet would compute."""

import csv
import io

import pytest

from hntes.sql.entries import AuditEventEntry
from hntes.web.log import COLUMNS, csv_text


def event(note: str | None) -> AuditEventEntry:
    return AuditEventEntry(
        number=7, time_ms=1_795_132_800_000, kind="decide", router="r1", day=None, change_id=None,
        candidate_hash="ab" * 32, judgement_id=None, outcome="approved", content_hash=None, detail="",
        identity="web:anna", who="anna", program_version="0.1.0", note=note, previous_hash="", hash="",
    )  # fmt: skip


@pytest.mark.parametrize("note", ["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\t=1", "\uff1d1"])
def test_no_cell_is_a_formula(note: str) -> None:
    header, row = csv.reader(io.StringIO(csv_text([event(note)])))
    assert header == list(COLUMNS)
    assert row[-1] == f"'{note}"


def test_commas_and_quotes_stay_in_their_cell() -> None:
    _, row = csv.reader(io.StringIO(csv_text([event('late, he said "so"')])))
    assert row == [
        "7", "2026-11-20T00:00:00Z", "decide", "r1", "", "ab" * 32, "approved", "web:anna", "anna",
        'late, he said "so"',
    ]  # fmt: skip
