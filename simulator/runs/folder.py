"""Everything a single run leaves in a folder: totals, series and a figure, each file whole or not at all."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from base.files import replacing, write_text
from simulator.plots import TimelineColumn, save, timelines
from simulator.results import RunResult
from simulator.runs.tables import flow_rows, ping_table, queue_rows, totals


def write_run_folder(result: RunResult, folder: Path) -> None:
    """Write `totals.json`, `flows`, `queues`, `series` and `pings` as Parquet, and `figure` as SVG and PNG."""
    write_text(folder / "totals.json", json.dumps(totals(result), indent=2, ensure_ascii=False) + "\n")
    write_parquet(folder / "flows.parquet", pa.Table.from_pylist(flow_rows(result)))
    write_parquet(folder / "queues.parquet", pa.Table.from_pylist(queue_rows(result)))
    write_parquet(folder / "series.parquet", result.intervals())
    write_parquet(folder / "pings.parquet", ping_table(result))
    columns = [TimelineColumn(f"seed {result.seed}", [result])]
    save(timelines(columns, queues=True, title=result.scenario), folder, "figure")


def write_parquet(path: Path, table: pa.Table) -> None:
    """Write a Parquet file, whole or not at all."""
    with replacing(path) as fresh:
        pq.write_table(table, fresh, compression="zstd")
