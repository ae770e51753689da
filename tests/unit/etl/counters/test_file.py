"""Interface counters from files: times, deltas, and files that are none."""

import os
from pathlib import Path

import pytest

from hntes.etl.counters import file
from hntes.etl.counters.file import SOURCE
from hntes.etl.counters.source import CounterSourceError
from hntes.settings.counters import Counters

HEAD = "time,router,interface,in_octets,out_octets\n"
TO_MS = 2_000_000_000_000


def read(path: Path, content: str, **section: object) -> list[tuple[int, int, str, int]]:
    path.write_text(content)
    settings = Counters.model_validate({"source": "file", "file": {"path": path, **section}})
    found = SOURCE.configured(settings).read("r1", 1_700_000_000_000, TO_MS)
    return [(one.start_ms, one.end_ms, one.direction, one.octets) for one in found]


@pytest.mark.parametrize("form", ["1764064800", "1764064800.0", "2025-11-25T10:00:00Z", "2025-11-25T11:00:00+01:00",
                                  "2025-11-25 10:00:00"])  # fmt: skip
def test_times_are_iso_or_seconds(tmp_path: Path, form: str) -> None:
    rows = f"{HEAD}{form},r1,1,5,6\n1764064860,r1,1,15,26\n"
    assert read(tmp_path / "c.csv", rows) == [
        (1_764_064_800_000, 1_764_064_860_000, "in", 10), (1_764_064_800_000, 1_764_064_860_000, "out", 20),
    ]  # fmt: skip


def test_deltas_are_octets_since_the_row_before(tmp_path: Path) -> None:
    rows = HEAD + "1764064800,r1,1,5,6\n1764064860,r1,1,15,26\n1764065000,r1,1,2,3\n"
    assert [octets for *_, octets in read(tmp_path / "c.csv", rows, values="deltas")] == [15, 2, 26, 3]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not a table of interface counters"),
        ("time,router\n", "with the columns time, router, interface, in_octets, out_octets"),
        (f"{HEAD}1764064800,r1,1,-5,6\n", "not a table"),
        (f"{HEAD}1764064800,r1,1,18446744073709551616,6\n", "not a table"),
        (f"{HEAD}yesterday,r1,1,5,6\n", "'yesterday' is no time; write 2026-11-24T10:00:00Z"),
        (f"{HEAD}nan,r1,1,5,6\n", "'nan' is no time"),
        (f"{HEAD}inf,r1,1,5,6\n", "'inf' is no time"),
    ],
)
def test_what_is_no_counter_file_is_refused_by_its_name(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(CounterSourceError, match=said) as caught:
        read(tmp_path / "c.csv", content)
    assert "c.csv" in str(caught.value)


def test_a_pipe_is_not_waited_for_and_a_file_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    settings = Counters.model_validate({"source": "file", "file": {"path": tmp_path / "pipe.csv"}})
    with pytest.raises(CounterSourceError, match=r"pipe\.csv: no such file"):
        SOURCE.configured(settings).read("r1", 0, TO_MS)
    monkeypatch.setattr(file, "MAX_BYTES", 40)
    with pytest.raises(CounterSourceError, match=r"c\.csv: larger than .*write a file per day, with {day} in its name"):
        read(tmp_path / "c.csv", f"{HEAD}1764064800,r1,1,5,6\n")


def test_empty_cells_are_failed_polls(tmp_path: Path) -> None:
    rows = HEAD + "1764064800,r1,1,5,6\n1764064860,r1,1,,26\n1764064920,r1,1,7,27\n"
    assert read(tmp_path / "c.csv", rows) == [
        (1_764_064_800_000, 1_764_064_920_000, "in", 2), (1_764_064_800_000, 1_764_064_860_000, "out", 20),
        (1_764_064_860_000, 1_764_064_920_000, "out", 1),
    ]  # fmt: skip


def test_the_section_of_the_source_is_needed() -> None:
    with pytest.raises(ValueError, match=r"needs the section \[counters.file\]"):
        Counters(source="file")
