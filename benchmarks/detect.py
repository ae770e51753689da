"""Seconds and memory to find the alpha flows of one router's day of synthetic records."""

import resource
import tempfile
import time
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa

from etl.days import day_bounds_ms
from etl.detect.alpha import DetectionRule, detect_day
from etl.engines.duck import DuckEngine
from etl.lake.parts import write_table
from etl.schema import LAKE_SCHEMA

DAY = date(2026, 11, 20)
PART_RECORDS = 1_000_000
ALPHA_FLOWS_PER_PART = 20


def synthetic_part(seed: int, records: int) -> pa.Table:
    """One part's records: short flows of few bytes, and some alpha flows of 2 GB in a minute."""
    random = np.random.default_rng(seed)
    start, end = day_bounds_ms(DAY)
    first = random.integers(start, end - 120_000, records)
    octets = (random.pareto(1.2, records) * 2000).astype(np.int64).clip(40, 50_000_000)
    octets[:ALPHA_FLOWS_PER_PART] = 2_000_000_000
    columns = {
        "first_ms": first,
        "last_ms": first + random.integers(0, 60_000, records),
        "ip_version": np.full(records, 4),
        "src_lo": random.integers(0x0A000000, 0x0A00FFFF, records),
        "dst_lo": random.integers(0xC0000000, 0xC000FFFF, records),
        "src_port": random.integers(1024, 65535, records),
        "dst_port": np.full(records, 443),
        "protocol": np.full(records, 6),
        "bytes": octets,
        "packets": octets // 1000 + 1,
        "sampling_factor": np.ones(records, np.int64),
    }
    arrays = [
        pa.array(columns.get(field.name, np.zeros(records, np.int64)).astype(field.type.to_pandas_dtype()))
        for field in LAKE_SCHEMA
    ]
    return pa.Table.from_arrays(arrays, schema=LAKE_SCHEMA)


def main() -> None:
    """Detects over 1, 4 and 12 million records."""
    with tempfile.TemporaryDirectory() as scratch:
        lake, parts = Path(scratch), []
        for number in range(12):
            parts.append(f"{number}.parquet")
            write_table(lake / parts[-1], synthetic_part(number, PART_RECORDS))
            if len(parts) not in (1, 4, 12):
                continue
            begin = time.perf_counter()
            found = detect_day(DuckEngine(threads=2), lake, parts, "r", DAY, DetectionRule())
            took = time.perf_counter() - begin
            peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            records = len(parts) * PART_RECORDS
            print(f"{records:>11,} records {took:7.2f} s {records / took:12,.0f} records/s  "
                  f"{len(found)} alpha flows, process at most {peak_mb:,.0f} MB")  # fmt: skip


if __name__ == "__main__":
    main()
