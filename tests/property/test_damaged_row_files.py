"""Damaged files of rows are refused with a reason, or read: no other error, whatever the bytes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.goflow2 import SOURCE as GOFLOW2
from hntes.etl.sources.parquet import SOURCE as PARQUET
from hntes.etl.sources.source import FlowSource
from hntes.settings.flow_folder import FlowFolder
from hntes.settings.ingest import Ingest
from tests.support.row_files import MadeFlow, clickhouse_columns, goflow2_row, write_lines, write_table

_FLOWS = [MadeFlow(source=f"198.18.0.{number % 250}", bytes=number) for number in range(300)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rows")


def parquet(folder: Path) -> FlowSource:
    return PARQUET.configured(Ingest(folders=(FlowFolder(folder=folder, active_timeout_s=60),)))


def is_read(source: FlowSource, path: Path) -> bool:
    """Whether it is; False if it is refused with a reason."""
    try:
        for _ in source.open(path, source.identify(path)).blocks():
            pass
    except UnreadableFileError:
        return False
    return True


Damage = st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=8)


@given(damage=Damage, cut=st.integers(0, 1 << 16))
@pytest.mark.parametrize("end", [".json", ".json.gz", ".json.zst", ".parquet"])
def test_damage_is_refused_or_read(folder: Path, end: str, damage: list[tuple[int, int]], cut: int) -> None:
    path = folder / f"flows-202611201200{end}"
    if end == ".parquet":
        write_table(path, clickhouse_columns(_FLOWS))
    else:
        write_lines(path, map(goflow2_row, _FLOWS))
    content = bytearray(path.read_bytes())
    for place, value in damage:
        content[place % len(content)] = value
    path.write_bytes(content[: len(content) - cut % 50])
    is_read(parquet(folder) if end == ".parquet" else GOFLOW2, path)


def test_every_byte_of_a_tables_footer_may_be_wrong(folder: Path) -> None:
    path = write_table(folder / "flows-202611201205.parquet", clickhouse_columns(_FLOWS[:3]))
    good = path.read_bytes()
    footer_bytes = int.from_bytes(good[-8:-4], "little")
    assert is_read(parquet(folder), path)
    for place in range(len(good) - 8 - footer_bytes, len(good)):
        path.write_bytes(good[:place] + bytes([good[place] ^ 0xC8]) + good[place + 1 :])
        is_read(parquet(folder), path)
