"""The sources of rows, with files of flows that are given: JSON lines of goflow2 and pmacct, Parquet of ClickHouse."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hntes.etl.sources.goflow2 import SOURCE as GOFLOW2
from hntes.etl.sources.parquet import SOURCE as PARQUET
from hntes.etl.sources.pmacct import SOURCE as PMACCT
from hntes.etl.sources.source import FlowSource
from hntes.settings.flow_folder import FlowFolder
from hntes.settings.ingest import Ingest
from tests.contract.source.tried import Sample, Tried
from tests.support.row_files import (
    NOON_MS,
    MadeFlow,
    clickhouse_columns,
    goflow2_row,
    goflow2_row_of_version_1,
    pmacct_row,
    write_lines,
    write_table,
)

_FLOWS = [
    *(MadeFlow(NOON_MS + n, NOON_MS + n + 1000, source=f"198.18.0.{n % 250}", bytes=1500 + n) for n in range(2500)),
    MadeFlow(NOON_MS, NOON_MS + 30_000, 1, 40, "2001:db8::1", "2001:db8::2", 17, exporter="192.0.2.2", factor=100),
    MadeFlow(NOON_MS, NOON_MS + 20_000, 4, 400, protocol=47, exporter="192.0.2.2", factor=100),
]
_FACTORS: dict[str, int | None] = {"192.0.2.1": 1, "192.0.2.2": 100}
# Of the flows above: what their exporters counted times their factors.
_BYTES = sum(1500 + n for n in range(2500)) + 100 * (40 + 400)


def _json(source: FlowSource, folder: Path, name: str, row: Callable[[MadeFlow], dict[str, Any]]) -> Tried:
    good = write_lines(folder / f"{name}-202611201200.json", map(row, _FLOWS))
    packed = [write_lines(folder / f"{name}-202611201205.json{end}", map(row, _FLOWS)) for end in (".gz", ".zst")]
    cut = []
    for whole in packed:
        path = folder / f"cut-{whole.name}"
        path.write_bytes(whole.read_bytes()[: -whole.stat().st_size // 5])
        cut.append(path)
    foreign = [folder / f"{what}-202611201210.json" for what in ("text", "empty", "others", "lists")]
    for path, text in zip(foreign, ("no flows\n", "", json.dumps({"level": "info"}) + "\n", "[1]\n[2]\n"), strict=True):
        path.write_text(text)
    samples = [Sample(path, 2502, _BYTES, NOON_MS, NOON_MS + 30_000, _FACTORS) for path in (good, *packed)]
    return Tried(
        source, samples, foreign, cut, f"{name}-202611201200.json", f"{name}-202613201200.json", [f"{name}.json.part"]
    )


def goflow2(folder: Path) -> Tried:
    """Version 2."""
    return _json(GOFLOW2, folder, "goflow2", goflow2_row)


def goflow2_of_version_1(folder: Path) -> Tried:
    """Version 1."""
    return _json(GOFLOW2, folder, "goflow2", goflow2_row_of_version_1)


def pmacct(folder: Path) -> Tried:
    """Rows with flow times."""
    return _json(PMACCT, folder, "pmacct", pmacct_row)


def parquet(folder: Path) -> Tried:
    """Akvorado's table: rows that were received within a minute after their flow began."""
    good = write_table(folder / "flows-202611201200.parquet", clickhouse_columns(_FLOWS))
    text, empty, cut = (folder / f"flows-2026112012{minute}.parquet" for minute in ("05", "10", "15"))
    text.write_text("no flows")
    empty.touch()
    cut.write_bytes(good.read_bytes()[:-100])
    times_s = [flow.received_ms // 1000 for flow in _FLOWS]
    sample = Sample(good, 2502, _BYTES, (min(times_s) - 60) * 1000, max(times_s) * 1000, _FACTORS)
    source = PARQUET.configured(Ingest(folders=(FlowFolder(folder=folder, active_timeout_s=60),)))
    names = ("flows-202611201200.parquet", "flows-202613201200.parquet", ["flows.parquet.tmp"])
    return Tried(source, [sample], [text, empty], [cut], *names)
