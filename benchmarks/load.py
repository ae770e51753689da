"""CPU seconds and memory to measure the load of one day beside 2,000 prefix pairs: by sums, and by the query alone.

With --metering both each flow is in two records, metered at ingress and at egress, whose sampled counters differ.
"""

import argparse
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks._memory import peak_mb
from benchmarks.detect import DAY, PART_RECORDS, synthetic_columns, written
from hntes.etl.arrow_columns import Column
from hntes.etl.days import DAY_MS, day_bounds_ms
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.measure.interface_load import measure_day

PAIRS = [
    (IPv4Network((0x0A000000 + number % 256 * 256, 24)), IPv4Network((0xC0000000 + number // 8 * 256, 24)))
    for number in range(2000)
]
PORTS = 40


class _ByQuery(DuckEngine):
    """Reads all records of the day."""

    reads_here = False


ENGINES = {"by sums": DuckEngine, "by the query": _ByQuery}


@dataclass(frozen=True)
class _Reading:
    """One way once, in a process of its own; `measured` is compared."""

    cpu_s: float
    peak_mb: float
    measured: object


def main() -> None:
    """Both ways in alternation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[1_000_000, 4_000_000], help="in whole millions")
    parser.add_argument("--rounds", type=int, default=3, help="readings of each way (default: 3)")
    parser.add_argument("--ways", nargs="+", choices=ENGINES, default=list(ENGINES), help="default: both")
    parser.add_argument("--metering", choices=["ingress", "both"], default="ingress", help="default: ingress")
    asked = parser.parse_args()
    for records in asked.records:
        with tempfile.TemporaryDirectory() as scratch:
            _compare(Path(scratch), records, asked.rounds, asked.ways, asked.metering == "both")


def _compare(lake: Path, records: int, rounds: int, ways: list[str], is_twice: bool) -> None:
    begin = time.process_time()
    count = records // PART_RECORDS
    parts = [_written(lake, number, count, is_twice) for number in range(count)]
    print(f"{records:,} records, written in {time.process_time() - begin:.1f} CPU s; medians of {rounds}")
    read: dict[str, list[_Reading]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way in ways:
            with get_context("spawn").Pool(1) as pool:
                read[way].append(pool.apply(_read, (way, lake, parts)))
    for way, readings in read.items():
        cpu_s, most_mb = (median(getattr(one, name) for one in readings) for name in ("cpu_s", "peak_mb"))
        print(f"  {way:14}{cpu_s:7.2f} CPU s, at most {most_mb:5,.0f} MB", flush=True)
    measured = [one.measured for readings in read.values() for one in readings]
    print("  all the same" if all(one == measured[0] for one in measured) else "  NOT the same")


def _written(lake: Path, number: int, of: int, is_twice: bool) -> str:
    """A part of records that begin in its share of the day, as ingest writes it: block by block."""
    random = np.random.default_rng(number)
    begin_ms, _ = day_bounds_ms(DAY)
    share = (begin_ms + number * DAY_MS // of, begin_ms + (number + 1) * DAY_MS // of - 120_000)
    columns = synthetic_columns(number, PART_RECORDS, share)
    columns["output_interface"] = random.integers(1, PORTS + 1, PART_RECORDS)
    if is_twice:
        columns = _metered_twice(columns, random)
    order = np.argsort(columns["last_ms"])
    return written(lake, str(number), {name: values[order] for name, values in columns.items()})


def _metered_twice(columns: Mapping[str, Column], random: np.random.Generator) -> dict[str, Column]:
    """The first half of these records, and what another meter says of the same flows: 1 packet in 2 was sampled."""
    half = {name: values[: values.size // 2] for name, values in columns.items()}
    sampled = [2 * random.poisson(half["packets"] / 2).clip(1) for _ in range(2)]
    packet_bytes = half["bytes"] // half["packets"]
    both = {name: np.concatenate([values, values]) for name, values in half.items()}
    both["packets"] = np.concatenate(sampled)
    both["bytes"] = both["packets"] * np.concatenate([packet_bytes, packet_bytes])
    both["sampling_factor"] = np.full_like(both["bytes"], 2)
    both["direction"] = np.repeat(np.array([0, 1], both["direction"].dtype), packet_bytes.size)
    return both


def _read(way: str, lake: Path, parts: list[str]) -> _Reading:
    engine = ENGINES[way](threads=2)
    measure_day(engine, lake, [], "r", DAY, PAIRS)  # what a process loads once is not counted
    begin = time.process_time()
    measured = measure_day(engine, lake, parts, "r", DAY, PAIRS)
    return _Reading(time.process_time() - begin, peak_mb(), measured)


if __name__ == "__main__":
    main()
