"""The same synthetic days through DuckDB, Spark in this process and a Spark cluster: equal, row for row?

Run: python -m benchmarks.spark_equal [--rows 20000000] [--part-rows 500000] [--scratch FOLDER]
     [--rules five_tuple host_pair report] [--engines local cluster]
The rows hold IPv6, records across midnight and flows one byte around the threshold (tests/support/synthetic_flows.py).
"""

import argparse
import hashlib
import shutil
import sys
import tempfile
import time
from pathlib import Path

from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.engines.base import Engine
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.engines.session import SparkOptions
from hntes.etl.engines.spark import SparkEngine
from hntes.sql.entries import ObservationEntry
from tests.support.spark import missing
from tests.support.spark_cluster import LOOPBACK_CONF, standalone_cluster
from tests.support.synthetic_flows import DAYS, planted_alpha, write_lake

RULES = {
    "five_tuple": DetectionRule(),
    "host_pair": DetectionRule(flow_key="host_pair"),
    "report": DetectionRule(rule="report"),
}
Found = list[list[ObservationEntry]]


def main() -> int:
    """Prints a line an engine; exit status 1 when any two differ or a planted flow is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--part-rows", type=int, default=500_000)
    parser.add_argument("--scratch", type=Path, default=None)
    parser.add_argument("--rules", nargs="+", choices=RULES, default=list(RULES))
    parser.add_argument("--engines", nargs="+", choices=("local", "cluster"), default=["local", "cluster"])
    chosen = parser.parse_args()
    if problem := missing():
        print(f"not measured: {problem}")
        return 0
    lake = Path(tempfile.mkdtemp(prefix="hntes-equal-", dir=chosen.scratch))
    try:
        parts = write_lake(lake, chosen.rows, chosen.part_rows)
        size_mb = sum((lake / name).stat().st_size for name in parts) / 1e6
        print(f"{chosen.rows:,} records in {len(parts)} parts, {size_mb:,.0f} MB", flush=True)
        found = _all_engines(chosen.engines, lake, parts, [RULES[name] for name in chosen.rules])
    finally:
        shutil.rmtree(lake)
    expected = [planted_alpha(len(parts), day) for day in range(len(DAYS))]
    planted_are_found = [len(day) for day in found["DuckDB"][: len(DAYS)]] == expected or chosen.rules[
        0
    ] != "five_tuple"
    equal = all(one == found["DuckDB"] for one in found.values())
    print(f"planted alpha flows by day {expected}, found just those: {'yes' if planted_are_found else 'NO'}")
    print(f"equal, row for row: {'yes' if equal else 'NO'}")
    return 0 if equal and planted_are_found else 1


def _all_engines(engines: list[str], lake: Path, parts: list[str], rules: list[DetectionRule]) -> dict[str, Found]:
    found = {"DuckDB": _detect("DuckDB", DuckEngine(threads=2), lake, parts, rules)}
    if "local" in engines:
        local = SparkEngine(SparkOptions(master="local[2]", driver_memory_mb=1500))
        try:
            found["local"] = _detect("Spark local[2]", local, lake, parts, rules)
        finally:
            local.close()
    if "cluster" not in engines:
        return found
    with standalone_cluster(workers=2, worker_memory_mb=1024) as address:
        cluster = SparkEngine(SparkOptions(master=address, executor_memory_mb=1024, conf=LOOPBACK_CONF))
        try:
            found["cluster"] = _detect("Spark standalone, 2 workers", cluster, lake, parts, rules)
        finally:
            cluster.close()
    return found


def _detect(name: str, engine: Engine, lake: Path, parts: list[str], rules: list[DetectionRule]) -> Found:
    begin = time.perf_counter()
    found = [detect_day(engine, lake, parts, "r1", day, rule) for rule in rules for day in DAYS]
    took = time.perf_counter() - begin
    digest = hashlib.sha256(repr(found).encode()).hexdigest()[:16]
    print(f"{name:28} {took:8.1f} s  {sum(map(len, found)):,} observations  sha256 {digest}", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
