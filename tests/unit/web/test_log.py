"""The log as CSV: one line per event, and no cell that a spreadsheet would compute."""

import csv
import io

import pytest

from hntes.sql.entries import AuditEventEntry
from hntes.web.log import COLUMNS, csv_text


def event(note: str | None) -> AuditEventEntry:
    return AuditEventEntry(
        7, 1_795_132_800_000, "decide", "r1", None, "ab" * 32, None, "approved", "web:anna", "anna", "0.1.0", note,
        "", "",
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
