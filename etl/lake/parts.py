"""The flow lake: Parquet parts by router and day, named by the content they come from.

A part is visible only through the ledger: a file that a killed run left behind is never read, and the next run over the
same folder removes it. Parts are written beside their place, synced and renamed, so that a part is whole or absent.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from base.files import replacing
from etl.days import DAY_MS, day_of_ms
from etl.lake.url import Lake, LakeUrl
from etl.schema import LAKE_SCHEMA

ROW_GROUP_ROWS = 1_000_000
_ROOTS = ("flows", "set_aside")
_DELTA_PACKED = dict.fromkeys(("first_ms", "last_ms"), "DELTA_BINARY_PACKED")
_DICTIONARY = [
    "ip_version", "protocol", "direction", "sampling_factor", "exporter_hi", "exporter_lo", "exporter_domain",
    "record_flags", "input_interface", "output_interface", "tos",
]  # fmt: skip
_SORT = [
    "first_ms", "last_ms", "src_lo", "dst_lo", "src_port", "dst_port", "bytes", "packets",
    *(n for n in LAKE_SCHEMA.names if n not in
      {"first_ms", "last_ms", "src_lo", "dst_lo", "src_port", "dst_port", "bytes", "packets"}),
]  # fmt: skip


@dataclass(frozen=True)
class Part:
    """One Parquet file of the lake: the rows of one flow file that belong to one router and day."""

    router: str
    day: date
    name: str  # relative to the lake
    records: int
    bytes: int


def folder_tag(folder: Path) -> str:
    """A short name of a flow folder, the first piece of its parts' names."""
    return hashlib.sha256(str(folder).encode()).hexdigest()[:8]


def write_parts(lake: Lake, stem: str, routers: list[str], rows: pa.Table, owner: npt.NDArray[np.int64]) -> list[Part]:
    """Writes a flow file's rows as one part per router and day (of the record's end, UTC); same rows, same bytes."""
    parts = []
    days = pc.floor(pc.divide(rows["last_ms"].cast(pa.float64()), float(DAY_MS))).cast(pa.int64()).to_numpy()
    for number, router in enumerate(routers):
        mine = owner == number
        for day_number in np.unique(days[mine]):
            part = rows.filter(pa.array(mine & (days == day_number))).sort_by([(name, "ascending") for name in _SORT])
            day = day_of_ms(int(day_number) * DAY_MS)
            name = f"flows/router={router}/day={day.isoformat()}/{stem}.parquet"
            write_table(lake / name, part)
            parts.append(Part(router, day, name, part.num_rows, pc.sum(part["bytes"]).as_py()))
    return parts


def write_table(path: Lake, table: pa.Table) -> None:
    """Writes a Parquet file whole or not at all; several machines may be at the same one, with the same rows."""
    if isinstance(path, LakeUrl):
        path.write(lambda stream: _write(stream, table))
        return
    with replacing(path) as unfinished:
        _write(unfinished, table)


def remove_table(path: Lake) -> None:
    """Removes a Parquet file that an earlier reading of the same flow file may have left."""
    if isinstance(path, LakeUrl):
        path.remove()
    else:
        path.unlink(missing_ok=True)


def _write(where: Path | IO[bytes], table: pa.Table) -> None:
    columns = set(table.column_names)
    pq.write_table(
        table,
        where,
        compression="zstd",
        compression_level=1,
        use_dictionary=[name for name in _DICTIONARY if name in columns] or False,
        column_encoding={name: kind for name, kind in _DELTA_PACKED.items() if name in columns},
        row_group_size=ROW_GROUP_ROWS,
    )


def remove_parts(lake: Lake, names: Iterable[str]) -> int:
    """Removes parts by their names; those that are gone already are none. Returns how many were removed."""
    if isinstance(lake, LakeUrl):
        return sum((lake / name).remove() for name in names)
    found = [lake / name for name in names if (lake / name).is_file()]
    for path in found:
        path.unlink(missing_ok=True)
    return len(found)


def sweep(lake: Lake, tag: str, wanted: Iterable[str]) -> int:
    """Removes parts of a folder that the ledger does not name, and unfinished writes of them; returns how many.

    The caller holds the folder's lock.
    """
    if isinstance(lake, LakeUrl):
        return lake.remove_others(_ROOTS, tag, set(wanted))
    keep = {lake / name for name in wanted}
    removed = 0
    for root in _ROOTS:
        for path in sorted((lake / root).rglob(f"*{tag}-*")):
            mine = path.name.removeprefix(".").startswith(f"{tag}-")
            if mine and path.is_file() and path not in keep:
                path.unlink()
                removed += 1
    return removed
