"""Files of polled counters: what was written is read back, whatever a crash left behind."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.counters.counter_files import CounterFiles, Reading
from hntes.etl.counters.snmp import SnmpSource
from hntes.etl.counters.source import CounterSourceError

NOON_MS = 1_795_478_400_000 + 43_200_000
MINUTE_MS = 60_000


def polls(first: int, number: int) -> list[list[Reading]]:
    return [[Reading(NOON_MS + n * MINUTE_MS, 501, 1000 * n, None)] for n in range(first, first + number)]


def octets(folder: Path) -> list[tuple[int, int]]:
    found = SnmpSource(folder).read("r1", NOON_MS, NOON_MS + 86_400_000)
    return [((one.start_ms - NOON_MS) // MINUTE_MS, one.octets) for one in found]


def test_polls_become_octets_between_them_over_midnight(tmp_path: Path) -> None:
    with CounterFiles(tmp_path) as files:
        for readings in polls(718, 5):
            files.append("r1", readings)
    assert octets(tmp_path) == [(minute, 1000) for minute in range(718, 722)]
    assert sorted(path.name for path in (tmp_path / "r1").iterdir()) == ["2026-11-24.csv", "2026-11-25.csv"]


@given(cut=st.integers(1, 120))
def test_a_line_that_a_crash_cut_off_costs_its_own_poll_alone(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("counters")
    with CounterFiles(folder) as files:
        for readings in polls(0, 3):
            files.append("r1", readings)
    path = folder / "r1" / "2026-11-24.csv"
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    left = whole[:-cut].count(b"\n") - 1
    with CounterFiles(folder) as files:
        for readings in polls(3, 2):
            files.append("r1", readings)
    lines = path.read_bytes().splitlines()
    assert lines[0] == b"time,router,interface,in_octets,out_octets"
    assert len(lines) == 1 + max(left, 0) + 2
    assert all(line.count(b",") == 4 for line in lines)
    assert octets(folder)


def test_a_second_poller_of_the_folder_is_refused(tmp_path: Path) -> None:
    with CounterFiles(tmp_path), pytest.raises(CounterSourceError, match="another poller writes there"):
        CounterFiles(tmp_path)
    CounterFiles(tmp_path).__exit__()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CounterSourceError, match="file: cannot be written"):
        CounterFiles(tmp_path / "file")
