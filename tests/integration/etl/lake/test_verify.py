"""Parts of the lake against what the ledger has of them: by hash, or by records and bytes where they are older."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hntes.etl.errors import ChangedPartError, GonePartError
from hntes.etl.lake.parts import write_table
from hntes.etl.lake.store import store_of
from hntes.etl.lake.url import Lake, LakeUrl
from hntes.sql.entries import LakePart
from tests.support.damage import cut_off, with_a_row, with_another_source, with_other_bytes
from tests.support.lake_parts import as_written, named
from tests.support.synthetic_flows import part

NAME = "flows/router=r1/day=2026-11-20/a.parquet"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_table(tmp_path / "lake" / NAME, part(seed=1, number=0, rows=300))
    return tmp_path / "lake"


@pytest.fixture
def stored(folder: Path) -> LakePart:
    return as_written(folder, [NAME])[0]


@pytest.fixture(params=["folder", "url"])
def lake(folder: Path, request: pytest.FixtureRequest) -> Lake:
    return folder if request.param == "folder" else LakeUrl(f"file://{folder}", folder.parent / "state")


def read(lake: Lake, part: LakePart) -> bytes:
    with store_of(lake).nearby([part]) as where:
        return (where / part.part).read_bytes()


def test_a_part_is_read_as_it_was_written(lake: Lake, folder: Path, stored: LakePart) -> None:
    content = (folder / NAME).read_bytes()
    assert read(lake, stored) == read(lake, replace(stored, sha256="")) == content


def test_no_byte_may_differ(folder: Path, stored: LakePart) -> None:
    content = (folder / NAME).read_bytes()
    for place in range(0, len(content), 61):
        # the same bytes at another place were verified by another name
        other = replace(stored, part=f"flows/{place}.parquet")
        (folder / other.part).write_bytes(content)
        read(folder, other)
        flipped = replace(stored, part=f"flows/{place}-flipped.parquet")
        (folder / flipped.part).write_bytes(content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1 :])
        with pytest.raises(ChangedPartError, match=r"has the SHA-256 [0-9a-f]{64}; "):
            read(folder, flipped)


@pytest.mark.parametrize("edit", [with_a_row, with_other_bytes, cut_off, with_another_source])
def test_an_edited_part_is_refused(lake: Lake, folder: Path, stored: LakePart, edit: Callable[[Path], None]) -> None:
    edit(folder / NAME)
    with pytest.raises(ChangedPartError, match=stored.sha256):
        read(lake, stored)


@pytest.mark.parametrize("edit", [with_a_row, with_other_bytes, cut_off])
def test_an_edited_part_without_hash_is_refused_by_its_sums(
    lake: Lake, folder: Path, stored: LakePart, edit: Callable[[Path], None]
) -> None:
    edit(folder / NAME)
    with pytest.raises(ChangedPartError, match=r"were written: it was|is no Parquet file of flows: it was"):
        read(lake, replace(stored, sha256=""))


def test_an_edit_after_the_first_reading_is_found_though_its_time_was_put_back(folder: Path, stored: LakePart) -> None:
    path = folder / NAME
    read(folder, stored)
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(1000)
        byte = file.read(1)
        file.seek(1000)
        file.write(bytes([byte[0] ^ 1]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    while path.stat().st_ctime_ns == before.st_ctime_ns:  # within one tick of the kernel's clock
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_ino, after.st_mtime_ns) == (before.st_size, before.st_ino, before.st_mtime_ns)
    with pytest.raises(ChangedPartError):
        read(folder, stored)


def test_the_error_names_part_hashes_flow_file_and_command(lake: Lake, folder: Path, stored: LakePart) -> None:
    # the file begins on the day before that of its records
    known = replace(stored, day=stored.day.replace(day=21), path="nfcapd.202611202355")
    with_another_source(folder / NAME)
    (now,) = as_written(folder, [NAME])
    with pytest.raises(ChangedPartError) as found:
        read(lake, known)
    assert str(found.value) == (
        f"r1 2026-11-21: {lake}/{NAME} has the SHA-256 {now.sha256}; {stored.sha256} was written: it was damaged or "
        "edited, find out by whom; then delete it and read its flow file /flows/nfcapd.202611202355 again with "
        "`hntes stage ingest --day 2026-11-20 --router r1`"
    )


def test_a_part_that_is_gone_is_told(lake: Lake) -> None:
    with pytest.raises(GonePartError, match=r"gone\.parquet: the ledger names this part but it is gone"):
        read(lake, named("flows/gone.parquet", sha256="0" * 64))
