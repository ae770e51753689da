"""The table of cells: words of tolerance and verdict, and the same numbers in every format."""

import csv
import io
import json
import math

import pytest

from hntes.papers.cells import CellVerdict, PublishedCell, assess
from hntes.papers.reproduction.reproduce import SkippedCell
from hntes.papers.reproduction.rows import (
    HEADER,
    CellRow,
    cells_of_row,
    closing_lines,
    counts,
    number,
    row_of,
    to_arrow,
    to_csv,
    to_json,
)


def _cell(kind: str = "arithmetic", within: float = 0.02, published: float | None = 10.0) -> PublishedCell:
    return PublishedCell(
        "hntes", "3", "2-queues", "udp-1", "tcp_gbps", kind, within, published, cause="hosts were slower"
    )


def _row(simulated: float, cell: PublishedCell | None = None) -> CellRow:
    return row_of(assess(cell or _cell(), simulated, simulated - 1, simulated + 1), "packet")


@pytest.mark.parametrize(
    ("kind", "within", "words"),
    [
        ("arithmetic", 0.025, "±2.5 %"),
        ("transient", 0.15, "±15 %"),
        ("factor", 1.5, "within a factor of 1.5"),
        ("reordering", 4.0, "within a factor of 4"),
        ("points", 1.0, "±1 percentage point"),
        ("points", 2.0, "±2 percentage points"),
        ("exact", 0.0, "exactly"),
        ("at_most", 2.6, "at most 2.6"),
        ("absolute", 0.03, "±0.03"),
        ("reported", 0.0, "not judged"),
        ("predicted", 0.0, "not judged"),
    ],
)
def test_tolerance_in_words(kind: str, within: float, words: str) -> None:
    assert _row(10.0, _cell(kind, within)).tolerance == words


@pytest.mark.parametrize(
    ("kind", "within", "published", "simulated", "word"),
    [
        ("transient", 0.25, 8.0, 10.0, "reproduced"),
        ("transient", 0.25, 8.0, math.nextafter(10.0, 11), "missed"),
        ("transient", 0.25, 8.0, 6.0, "reproduced"),
        ("transient", 0.25, 8.0, math.nextafter(6.0, 5), "missed"),
        ("factor", 2.0, 8.0, 16.0, "reproduced"),
        ("factor", 2.0, 8.0, math.nextafter(16.0, 17), "missed"),
        ("factor", 2.0, 8.0, 4.0, "reproduced"),
        ("factor", 2.0, 8.0, math.nextafter(4.0, 3), "missed"),
        ("points", 2.0, 39.0, 41.0, "reproduced"),
        ("points", 2.0, 39.0, math.nextafter(41.0, 42), "missed"),
        ("exact", 0.0, 0.0, 0.0, "reproduced"),
        ("exact", 0.0, 0.0, 5e-324, "missed"),
        ("at_most", 0.5, 0.3, 0.5, "reproduced"),
        ("at_most", 0.5, 0.3, math.nextafter(0.5, 1), "missed"),
        ("factor", 2.0, 0.0, 0.0, "missed"),
    ],
)
def test_verdicts_at_the_very_edge(kind: str, within: float, published: float, simulated: float, word: str) -> None:
    assert _row(simulated, _cell(kind, within, published)).verdict == word


def test_nan_is_missed_and_has_no_number() -> None:
    row = _row(math.nan)
    assert row.verdict == "missed"
    assert row.simulated is row.ratio is None


def test_a_paper_ends_with_a_line_that_names_the_causes_of_its_misses() -> None:
    other = PublishedCell("gara", "car", "x", "", "mbps", "predicted", 0.0, None)
    rows = [_row(10.0), _row(11.0), _row(12.0), _row(12.0, _cell("reported")), _row(1.0, other)]
    assert closing_lines(rows) == [
        "hntes: 3 cells judged, 1 reproduced, 2 missed (2: hosts were slower), 0 predicted, 1 reported",
        "gara: 0 cells judged, 0 reproduced, 0 missed, 1 predicted",
    ]
    assert closing_lines([]) == []


def test_a_miss_and_a_reported_value_have_a_cause_and_nothing_else() -> None:
    assert _row(10.0).cause == ""
    assert _row(11.0).cause == "hosts were slower"
    assert _row(10.0, _cell("reported")).cause == "hosts were slower"
    assert _row(10.0, _cell("predicted")).cause == ""


def test_where_the_engine_does_not_apply_nothing_is_judged() -> None:
    row = row_of(SkippedCell(_cell(), "packets change their queue"), "fluid")
    assert row.verdict == "not applicable"
    assert row.cause == "fluid engine does not apply: packets change their queue"
    assert (row.simulated, row.lowest, row.highest, row.ratio, row.published) == (None, None, None, None, 10.0)


def test_every_verdict_is_counted() -> None:
    rows = [_row(10.0), _row(10.1), _row(11.0), _row(1.0, _cell("predicted", 0, None))]
    rows.append(row_of(SkippedCell(_cell(), "why"), "fluid"))
    assert counts(rows) == {"reproduced": 2, "missed": 1, "reported": 0, "predicted": 1, "not applicable": 1}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (0.0, "0"),
        (9.384123, "9.384"),
        (51924370.0, "51924370"),
        (99999.0, "99999"),
        (999.96, "1000"),
        (0.000123, "0.000123"),
    ],
)
def test_numbers_for_people(value: float | None, text: str) -> None:
    assert number(value) == text


def test_all_formats_hold_the_same_rows() -> None:
    verdict = CellVerdict(_cell(published=1 / 3), 2 / 3, 0.1, 0.7, 2.0, "missed")
    rows = [row_of(verdict, "packet"), row_of(SkippedCell(_cell(), 'a "comma", a | bar'), "fluid")]
    assert [CellRow(**row) for row in json.loads(to_json(rows))] == rows
    assert [CellRow(**row) for row in to_arrow(rows).to_pylist()] == rows
    first, second = csv.DictReader(io.StringIO(to_csv(rows)))
    assert float(first["published"]) == 1 / 3
    assert first["verdict"] == "missed"
    assert second["simulated"] == ""
    assert second["cause"] == 'fluid engine does not apply: a "comma", a | bar'
    assert len(cells_of_row(rows[0])) == len(HEADER)


def test_extremes_are_shown_where_seeds_differ() -> None:
    shown = dict(zip(HEADER, cells_of_row(_row(10.0)), strict=True))
    assert shown["seeds"] == "9 to 11"
    assert cells_of_row(row_of(CellVerdict(_cell(), 9.38401, 9.38399, 9.38402, 1.0, "missed"), "packet"))[7] == ""
