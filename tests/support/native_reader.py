"""A flow file read natively and through nfdump, in the form in which records are judged."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hntes._native import LAKE_COLUMNS, Rows
from hntes.etl.arrow_columns import Column
from hntes.etl.ingest.columns import HAS_REVERSE, compact
from hntes.etl.sources.nfcapd.native import NativeFile
from hntes.etl.sources.nfcapd.nfdump import Nfdump, exporters, promised, record_stream
from hntes.etl.sources.nfcapd.record_sums import RecordSums
from hntes.etl.sources.nfcapd.records import raw_tables, record_batch
from hntes.etl.sources.source import Exporter, Promise


@dataclass(frozen=True)
class Read:
    """A file's records in compact columns, empty where it has none, and what else is taken from it."""

    promise: Promise
    columns: dict[str, npt.NDArray[np.int64]]
    exporters: list[Exporter]
    sums: RecordSums


def natively(path: Path) -> Read:
    file = NativeFile(path)
    columns = _joined([compact(block.batch()) for block in file.batches() if block.records])
    return Read(file.promise, columns, file.exporters, file.sums)


def through_nfdump(nfdump: Nfdump, path: Path) -> Read:
    sums = RecordSums()
    parts = []
    with record_stream(nfdump, path) as stream:
        for table in raw_tables(stream, nfdump.output):
            batch = record_batch(table)
            sums.add(batch)
            parts.append(compact(batch))
    return Read(promised(nfdump, path), _joined(parts), exporters(nfdump, path), sums)


def columns_of(rows: Rows) -> dict[str, Column]:
    """The columns of rows as compiled code has them, in the types of the lake's schema."""
    columns = zip(LAKE_COLUMNS, rows.columns(), strict=True)
    return {name: np.frombuffer(values, f"<i{width}") for (name, width), values in columns}


def differences(one: Read, other: Read) -> list[str]:
    """In what a native reading differs from another; empty where they are equal, row for row."""
    found = [
        name
        for name, pair in {
            "promise": (one.promise, other.promise),
            "exporters": (True, _names(one.exporters, other.exporters)),
            "sums": (one.sums, other.sums),
            "columns": (one.columns.keys(), other.columns.keys()),
        }.items()
        if pair[0] != pair[1]
    ]
    shared = one.columns.keys() & other.columns.keys()
    return found + [name for name in sorted(shared) if not np.array_equal(one.columns[name], other.columns[name])]


def damage_differences(native: Read, listed: Read) -> list[str]:
    """The same of a damaged file. Damage can set a biflowDirection, which nfdump does not list: these are left out."""
    told = native.columns.get("is_reverse"), listed.columns.get("is_reverse")
    if told[0] is None or told[1] is None or told[0].shape != told[1].shape:
        return differences(native, listed)
    same = (told[0] == told[1]) | (told[0] != HAS_REVERSE)
    native, listed = (
        replace(read, columns={name: values[same] for name, values in read.columns.items()})
        for read in (native, listed)
    )
    return differences(native, listed)


def _names(native: list[Exporter], listed: list[Exporter]) -> bool:
    """Whether a reading names what nfdump lists: up to the first number not in use, without the samplers of 1.6."""
    named = {(one.sysid, one.address): one for one in native}
    return all(
        named.get((one.sysid, one.address)) in (one, replace(one, factor=one.factor or _rate(named, one)))
        for one in listed
    )


def _rate(named: dict[tuple[int, str], Exporter], one: Exporter) -> int | None:
    known = named.get((one.sysid, one.address))
    return known.factor if known else None


def _joined(parts: list[dict[str, npt.NDArray[np.int64]]]) -> dict[str, npt.NDArray[np.int64]]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else {}
