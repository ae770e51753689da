"""What Spark costs as data grows, beside DuckDB: time, CPU and memory of the whole process tree.

Run: python -m benchmarks.spark [--rows 1000000 10000000] [--scratch FOLDER] [--driver-memory-mb 1500]
     [--threshold-bytes 1000000000] (the lower, the more of the day's cells are busy)
Each measurement is a process of its own that finds the candidate records of one day (alpha_candidates.sql), the part of
detection that is the engine's. "start" is until the engine has answered a first question; "query" is the query alone.
"shuffled" is what Spark's tasks wrote for and read from each other, "spilled" what did not fit their memory.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hntes.etl.days import day_bounds_ms
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.engines.session import SparkOptions
from hntes.etl.engines.spark import SparkEngine
from hntes.sql.queries import query_text
from tests.support.spark import missing
from tests.support.spark_traffic import Traffic, traffic
from tests.support.synthetic_flows import DAYS, THRESHOLD, write_lake

PART_ROWS = 500_000
TICKS = os.sysconf("SC_CLK_TCK")
PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    """Prints one line a size and engine."""
    chosen = _arguments()
    if chosen.one:
        print(json.dumps(_measure(chosen)))
        return
    if problem := missing():
        print(f"not measured: {problem}")
        return
    lake = Path(tempfile.mkdtemp(prefix="hntes-spark-", dir=chosen.scratch))
    try:
        begin = time.perf_counter()
        write_lake(lake, max(chosen.rows), PART_ROWS)
        print(f"made {max(chosen.rows):,} records in {time.perf_counter() - begin:.0f} s", flush=True)
        for rows in sorted(chosen.rows):
            for engine in ("duckdb", "spark"):
                command = ["--one", engine, "--lake", str(lake), "--rows", str(rows)]
                command += ["--driver-memory-mb", str(chosen.driver_memory_mb)]
                _report(engine, rows, [*command, "--threshold-bytes", str(chosen.threshold_bytes)])
    finally:
        shutil.rmtree(lake)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--scratch", type=Path, default=None)
    parser.add_argument("--driver-memory-mb", type=int, default=1500)
    parser.add_argument("--threshold-bytes", type=int, default=THRESHOLD)
    parser.add_argument("--one", choices=("duckdb", "spark"), help=argparse.SUPPRESS)
    parser.add_argument("--lake", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _measure(chosen: argparse.Namespace) -> dict[str, float]:
    lake: Path = chosen.lake
    names = [path.relative_to(lake).as_posix() for path in lake.rglob("*.parquet")]
    parts = sorted(names, key=lambda name: name.rpartition("/")[2])[: chosen.rows[0] // PART_ROWS]
    duck = DuckEngine(threads=2)
    engine = duck if chosen.one == "duckdb" else SparkEngine(SparkOptions("local[2]", chosen.driver_memory_mb))
    try:
        begin = time.perf_counter()
        engine.run("select 1 as one", lake, [])
        started = time.perf_counter()
        from_ms, to_ms = day_bounds_ms(DAYS[0])
        limits = {"from_ms": from_ms - 60_000, "to_ms": to_ms, "threshold_bytes": chosen.threshold_bytes}
        limits |= {"window_ms": 60_000, "with_ports": 1, "with_exporters": 1, "cell_mask": 2**20 - 1, "hash_seed": 7}
        found = engine.run(query_text("alpha_candidates", **limits), lake, parts)
        took = time.perf_counter() - started
        moved = traffic(engine.handle.session) if isinstance(engine, SparkEngine) else Traffic()
        return {
            "start_s": started - begin,
            "query_s": took,
            "lake_mb": sum((lake / name).stat().st_size for name in parts) / 1e6,
            "written_mb": moved.shuffle_write_bytes / 1e6,
            "read_mb": moved.shuffle_read_bytes / 1e6,
            "spilled_mb": moved.spilled_bytes / 1e6,
            "found": found.num_rows,
            "checksum": sum(found["bytes"].to_pylist()) % 1_000_003,
        }
    finally:
        engine.close()


def _report(engine: str, rows: int, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "benchmarks.spark", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        peak_mb, cpu_s = _watch(process)
        assert process.stdout is not None
        done = json.loads(process.stdout.read())
    print(
        f"{rows:>12,} records  {engine:7} start {done['start_s']:5.1f} s  query {done['query_s']:7.1f} s  "
        f"{rows / done['query_s']:>11,.0f} records/s  CPU {cpu_s:7.1f} s  memory at most {peak_mb:6,.0f} MB  "
        f"lake {done['lake_mb']:,.0f} MB  shuffled {done['written_mb']:,.1f} MB, read {done['read_mb']:,.1f} MB  "
        f"spilled {done['spilled_mb']:,.1f} MB  {done['found']:,} candidates, checksum {done['checksum']}",
        flush=True,
    )


def _watch(process: "subprocess.Popen[bytes]") -> tuple[float, float]:
    """The most memory the process and its descendants held together (RSS, MB), and their CPU seconds."""
    peak_mb, cpu_s = 0.0, dict[int, float]()
    while process.poll() is None:
        total_mb = 0.0
        for pid in _tree(process.pid):
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            cpu_s[pid] = (int(fields[11]) + int(fields[12])) / TICKS
            total_mb += int(fields[21]) * PAGE_MB
        peak_mb = max(peak_mb, total_mb)
        time.sleep(0.1)
    return peak_mb, sum(cpu_s.values())


def _tree(root: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        parents.setdefault(parent, []).append(int(path.name))
    found = [root]
    for pid in found:
        found += parents.get(pid, [])
    return found


if __name__ == "__main__":
    main()
