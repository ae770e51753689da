"""Damage to a part of the lake, by an editor or a failing disk."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def with_a_row(path: Path) -> None:
    table = pq.read_table(path)
    forged = table.slice(0, 1).to_pylist()[0] | {"src_lo": 0x6440_0707, "bytes": 5_000_000_000, "packets": 4_000_000}
    more = pa.Table.from_pylist([forged], schema=table.schema)
    pq.write_table(pa.concat_tables([table, more]), path)


def with_other_bytes(path: Path) -> None:
    table = pq.read_table(path)
    column = table.schema.get_field_index("bytes")
    other = pa.array([9_000_000_000, *table["bytes"].to_pylist()[1:]], pa.int64())
    pq.write_table(table.set_column(column, table.schema.field(column), other), path)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def with_another_source(path: Path) -> None:
    """Flips one bit so that length, records and bytes stay, and some record has another source, in the same /96."""
    content, table = path.read_bytes(), pq.ParquetFile(path).read()
    footer = pq.ParquetFile(path).metadata
    chunk = footer.row_group(0).column(footer.schema.names.index("src_lo"))
    for place in range(chunk.data_page_offset, chunk.data_page_offset + chunk.total_compressed_size):
        flipped = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        other = _table(flipped)
        if other is not None and other.schema == table.schema and _differs_in_source_only(table, other):
            path.write_bytes(flipped)
            return
    raise AssertionError(f"{path}: no bit of its source addresses can be flipped")


def _table(content: bytes) -> pa.Table | None:
    try:
        return pq.ParquetFile(pa.BufferReader(content)).read()
    except (pa.ArrowException, OSError):
        return None


def _differs_in_source_only(table: pa.Table, other: pa.Table) -> bool:
    rest = [name for name in table.column_names if name != "src_lo"]
    sources = zip(table["src_lo"].to_pylist(), other["src_lo"].to_pylist(), strict=False)
    changes = [one ^ another for one, another in sources]
    return table.select(rest).equals(other.select(rest)) and max(changes) > 0 and all(0 <= c < 1 << 32 for c in changes)
