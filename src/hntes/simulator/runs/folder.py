"""Everything that runs leave in a folder: totals, series and a figure, each file whole or not at all."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from hntes.files import replacing, write_text
from hntes.simulator.plots import TimelineColumn, save, timelines
from hntes.simulator.results import RunResult
from hntes.simulator.runs.tables import flow_rows, ping_table, queue_rows, totals


def write_run_folder(result: RunResult, folder: Path) -> None:
    """Write `totals.json`, `flows`, `queues`, `series` and `pings` as Parquet, and `figure` as SVG and PNG."""
    write_text(folder / "totals.json", json.dumps(totals(result), indent=2, ensure_ascii=False) + "\n")
    write_parquet(folder / "flows.parquet", pa.Table.from_pylist(flow_rows(result)))
    write_parquet(folder / "queues.parquet", pa.Table.from_pylist(queue_rows(result)))
    write_parquet(folder / "series.parquet", result.intervals())
    write_parquet(folder / "pings.parquet", ping_table(result))
    columns = [TimelineColumn(f"seed {result.seed}", [result])]
    save(timelines(columns, queues=True, title=result.scenario), folder, "figure")


def write_comparison_folder(
    runs: Sequence[tuple[str, RunResult]], comparison: Sequence[Mapping[str, object]], folder: Path
) -> None:
    """Write `comparison.json`, one `figure` of all named runs as SVG and PNG, and each run into a folder by number."""
    write_text(folder / "comparison.json", json.dumps(comparison, indent=2, ensure_ascii=False) + "\n")
    columns = [TimelineColumn(f"{name}, seed {result.seed}", [result]) for name, result in runs]
    save(timelines(columns, queues=True), folder, "figure")
    for number, (_, result) in enumerate(runs, 1):
        write_run_folder(result, folder / str(number))


def write_parquet(path: Path, table: pa.Table) -> None:
    """Write a Parquet file, whole or not at all."""
    with replacing(path) as fresh:
        pq.write_table(table, fresh, compression="zstd")
