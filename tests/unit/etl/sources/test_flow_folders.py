"""Folders into which collectors write, whatever they make below them by date and by source."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.sources.flow_folders import files_by_part, flow_folders, sources_in_several
from hntes.etl.sources.scan import FolderFile, Scan
from tests.support.nfcapd import scan_folder

NAME = "nfcapd.202611271325"
# nfcapd -S 0 to 8 on 2026-11-27 (a Friday in week 47, day 331), and what scripts make of them
LAYOUTS = (
    "", "2026/11/27", "2026/11/27/13", "2026/47/5", "2026/47/5/13", "2026/331", "2026/331/13", "2026-11-27",
    "2026-11-27/13", "2026/11", "2026-11", "202611", "20261127", "2026/2026-11-27", "2026/2026-11/2026-11-27",
)  # fmt: skip
# 1970, as the drawn times are
PLACES = ("", "1970/01/02/", "1970/01/02/13/", "1970/01/03/", "4711/1970/01/02/", "4711/", "west/19700104/", "1970/12/")
SOURCES = ("r1", "127-0-0-21", "4711", "10", "27", "2001-470--1", "as-64496", "20261130")


def put(top: Path, *folders: str) -> Path:
    for folder in folders:
        (top / folder).mkdir(parents=True, exist_ok=True)
        (top / folder / NAME).write_bytes(b"x")
    return top


def found(top: Path) -> dict[str, tuple[str, ...]]:
    return {one.folder.relative_to(top).as_posix(): one.parts for one in flow_folders(scan_folder(top))}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_sorted_by_date_is_one_folder(tmp_path: Path, layout: str) -> None:
    assert found(put(tmp_path, layout)) == {".": (".",)}
    assert found(put(tmp_path / "deep", f"flows/west/{layout}")) == {"flows/west": (".",)}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("source", SOURCES)
def test_each_source_has_a_folder_even_if_its_name_is_a_number(tmp_path: Path, source: str, layout: str) -> None:
    put(tmp_path, f"{source}/{layout}", f"other/{layout}")
    assert found(tmp_path) == {source: (".",), "other": (".",)}


def test_names_in_local_time_and_files_moved_a_day_later(tmp_path: Path) -> None:
    assert found(put(tmp_path, "west/2026/11/28", "west/2026/11/26")) == {"west": (".",)}
    assert set(found(put(tmp_path / "far", "west/2026-11-30"))) == {"west/2026-11-30"}


def test_a_name_without_a_valid_time_is_sorted_by_any_date(tmp_path: Path) -> None:
    (tmp_path / "west/2026/11/31").mkdir(parents=True)
    (tmp_path / "west/2026/11/31/nfcapd.202611311200").write_bytes(b"x")
    assert found(tmp_path) == {"west": (".",)}


def test_sources_below_a_folder_with_files_are_parts_of_it(tmp_path: Path) -> None:
    put(tmp_path, "flows", "flows/127-0-0-21/2026/11/27", "flows/127-0-0-22/2026/11/27", "flows/2026/11/27")
    assert found(tmp_path) == {"flows": (".", "127-0-0-21", "127-0-0-22")}
    by_part = files_by_part(scan_folder(tmp_path / "flows"))
    assert {part: len(files) for part, files in by_part.items()} == {".": 2, "127-0-0-21": 1, "127-0-0-22": 1}


@given(st.lists(st.tuples(st.integers(0, 5 * 86_400_000), st.sampled_from(PLACES)), max_size=30))
def test_parts_have_the_files_of_their_folders_by_time(drawn: list[tuple[int, str]]) -> None:
    files = sorted(FolderFile(start_ms, f"{place}{number}") for number, (start_ms, place) in enumerate(drawn))
    by_part = files_by_part(Scan(Path("/flows"), tuple(files), ()))
    assert sorted(file for of_part in by_part.values() for file in of_part) == files
    for part, of_part in by_part.items():
        assert of_part == sorted(of_part)
        for file in of_part:
            assert list(files_by_part(Scan(Path("/flows"), (file,), ()))) == [part]


def test_no_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "2026").mkdir()
    assert found(tmp_path) == {}


def test_exporters_that_several_folders_have() -> None:
    west, east = Path("/w"), Path("/e")
    assert sources_in_several([("192.0.2.1", west), ("192.0.2.2", west), ("192.0.2.1", east)]) == {
        "192.0.2.1": (east, west)
    }
