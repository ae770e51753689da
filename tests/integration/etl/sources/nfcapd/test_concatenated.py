"""What was glued to a flow file is not read, as by nfdump, and a warning says so."""

from itertools import product
from pathlib import Path

import pytest

from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.nfcapd.concatenated import glued_bytes
from hntes.etl.sources.nfcapd.layout import file_layout
from tests.support.damaged_files import whole_files
from tests.support.exports import export_files
from tests.support.flow_folder import Site, make_folder
from tests.support.native_reader import natively


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return whole_files(tmp_path_factory.mktemp("whole"))


def test_all_bytes_of_another_file_are_counted_whatever_the_layouts(tmp_path: Path, whole: dict[str, bytes]) -> None:
    path = tmp_path / "glued"
    for first, second in product(whole.values(), repeat=2):
        path.write_bytes(first + second)
        assert glued_bytes(path, file_layout(path)) == len(second)
        path.write_bytes(first + second + first)
        assert glued_bytes(path, file_layout(path)) == len(second) + len(first)


def test_whole_files_have_nothing_glued_to_them(tmp_path: Path, whole: dict[str, bytes]) -> None:
    path = tmp_path / "whole"
    for content in whole.values():
        for rest in (b"", b"\0" * 100, b"\x0c"):  # what a disk or a program may leave
            path.write_bytes(content + rest)
            assert glued_bytes(path, file_layout(path)) == 0


def test_recorded_files_have_nothing_glued_to_them() -> None:
    for file in export_files():
        try:
            layout = file_layout(file.path)
        except UnreadableFileError:
            continue
        assert glued_bytes(file.path, layout) == 0, file.case


def test_a_file_that_is_gone_is_named_as_one_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match="cannot be opened: No such file"):
        glued_bytes(tmp_path / "gone", 2)


def test_a_head_that_became_shorter_has_nothing_glued_to_it(tmp_path: Path, whole: dict[str, bytes]) -> None:
    path = tmp_path / "short"
    for content in whole.values():
        for length in (0, 4, 20, 39, 50, 100):
            path.write_bytes(content[:length])
            assert glued_bytes(path, 1) == glued_bytes(path, 2) == 0


def test_the_file_that_comes_first_is_read_and_the_ledger_says_what_is_not(
    tmp_path: Path, database_url: str, whole: dict[str, bytes]
) -> None:
    site = Site(tmp_path, make_folder(tmp_path / "flows", {}), database_url)
    site.flows.mkdir()
    name = "nfcapd.202611201815"
    (site.flows / name).write_bytes(whole["none"] + whole["lzo"])
    report = site.ingest()
    records = natively(site.flows / name).promise.records
    assert (report.ingested, site.records()) == (1, records)
    assert report.warnings == [f"{name}: {site.entries()[name].reason}"]
    assert f"whose {len(whole['lzo'])} bytes are not read" in report.warnings[0]
    site.database.dispose()
