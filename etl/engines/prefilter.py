"""The rows that a query over heavy flows can need: those of keys that may add up to more than a threshold.

Bytes are summed twice: over cells, a small hash of the key, and of the rows in busy cells over a hash of 32 bits
(crates/lake-columns/src/heavy.rs). A sum holds at least what any key in it holds, so no row of a heavy key is
lost, and what is left of a day is mostly some thousandths. Not all columns of the key are hashed: keys that differ in
others alone share their sums. The hash is another one each time, so that nobody who forges flows knows which of them
meet.

The few columns that this needs are read row group by row group, and the others only in groups in which a row is left,
of which only these rows are taken out of the columns.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from hntes.etl.lake.row_groups import PartFile, row_groups
from hntes.etl.memory import keep_freed_memory
from hntes.etl.schema import LAKE_SCHEMA, LATER_COLUMNS
from hntes.etl.sources.nfcapd.compiled import native as _native

# More rows than these (some 200 MB) are left to the engine, which has a disk for what does not fit.
MOST_ROWS = 1_500_000
# Hashed keys and the bytes of so many rows (100 MB) are kept for the second look at them.
KEPT_ROWS = 3 << 22
_MOST_THRESHOLD_BYTES = 1 << 40
# Of the key; upper halves of addresses and protocols tell few keys apart.
_HOSTS, _PORTS = ("src_lo", "dst_lo"), ("src_port", "dst_port")


@dataclass(frozen=True)
class HeavyKeys:
    """What a query asks of flows: rows of keys with at most `threshold_bytes` in all parts change nothing in its rows.

    with_ports: the key is the 5-tuple, else the pair of hosts; whatever else is in it.
    """

    threshold_bytes: int
    with_ports: bool


def suspect_rows(paths: Sequence[Path], heavy: HeavyKeys) -> pa.Table | None:
    """All rows of these parts whose key may be heavy, in the order of the parts.

    None where they are better looked for by the engine: they are many, or a part has other columns than it should, or
    what searches is not compiled.
    """
    if _native is None or not 0 <= heavy.threshold_bytes < _MOST_THRESHOLD_BYTES:
        return None
    keep_freed_memory()
    parts = [PartFile(path, pq.read_metadata(path)) for path in paths]
    if not all(_has_columns(part.footer) for part in parts):
        return None
    groups = list(row_groups(parts))
    key = (*_HOSTS, *(_PORTS if heavy.with_ports else ()))
    search = _native.HeavyRows([secrets.randbits(64) | 1 for _ in key], KEPT_ROWS)
    for group in groups:
        group.give(search, (*key, "bytes"))
        search.add()
    search.sum_up(heavy.threshold_bytes)
    for group in groups:
        rows = search.look()
        if rows is None:
            group.give(search, (*key, "bytes"))
            rows = search.look_again()
        if rows > MOST_ROWS:
            return None
    places, chunks = search.places(heavy.threshold_bytes), _native.ColumnChunks()
    found = [group.rows(chunks, these) for group, these in zip(groups, places, strict=True) if these]
    return pa.concat_tables([LAKE_SCHEMA.empty_table(), *found])


def _has_columns(footer: pq.FileMetaData) -> bool:
    missing = set(LAKE_SCHEMA.names) - set(footer.schema.names)
    return missing <= LATER_COLUMNS
