"""Seconds and memory to measure the load of one router's day of synthetic records, beside 2,000 prefix pairs."""

import resource
import tempfile
import time
from ipaddress import IPv4Network
from pathlib import Path

from benchmarks.detect import DAY, PART_RECORDS, synthetic_part
from etl.engines.duck import DuckEngine
from etl.lake.parts import write_table
from etl.measure.interface_load import measure_day

PAIRS = [
    (IPv4Network((0x0A000000 + number % 256 * 256, 24)), IPv4Network((0xC0000000 + number // 8 * 256, 24)))
    for number in range(2000)
]


def main() -> None:
    """Measures over 1, 4 and 12 million records."""
    with tempfile.TemporaryDirectory() as scratch:
        lake, parts = Path(scratch), []
        for number in range(12):
            parts.append(f"{number}.parquet")
            write_table(lake / parts[-1], synthetic_part(number, PART_RECORDS))
            if len(parts) not in (1, 4, 12):
                continue
            begin, cpu = time.perf_counter(), time.process_time()
            _, loads = measure_day(DuckEngine(threads=2), lake, parts, "r", DAY, PAIRS)
            took, cpu = time.perf_counter() - begin, time.process_time() - cpu
            peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            records = len(parts) * PART_RECORDS
            print(f"{records:>11,} records {took:7.2f} s, {cpu:.2f} s of processors  "
                  f"{len(loads)} interfaces, process at most {peak_mb:,.0f} MB")  # fmt: skip


if __name__ == "__main__":
    main()
