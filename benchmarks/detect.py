"""CPU seconds and memory to find the alpha flows of one router's day, beside plain queries of the same DuckDB."""

import argparse
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks._memory import peak_mb
from benchmarks._plain_detection import QUERIES, flows
from hntes.etl.arrow_columns import Column
from hntes.etl.days import day_bounds_ms
from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.lake.parts import PartWriter
from hntes.etl.schema import LAKE_SCHEMA

THREADS, MEMORY_MIB = 2, 2048
WAYS = (*QUERIES, "detection")
DAY = date(2026, 11, 20)
PART_RECORDS, BLOCK_RECORDS = 1_000_000, 1 << 16
ALPHA_FLOWS_PER_PART = 20


def synthetic_columns(seed: int, records: int, bounds: tuple[int, int]) -> dict[str, npt.NDArray[Any]]:
    """One part's records, as columns of the lake: short flows of few bytes, and some alpha flows of 2 GB in a minute.

    They begin in [bounds[0], bounds[1]), epoch ms, and end up to a minute later.
    """
    random = np.random.default_rng(seed)
    first = random.integers(*bounds, records)
    byte_count = (random.pareto(1.2, records) * 2000).astype(np.int64).clip(40, 50_000_000)
    # all over the part, so that no row group is without one
    byte_count[:: records // ALPHA_FLOWS_PER_PART] = 2_000_000_000
    columns = {
        "first_ms": first,
        "last_ms": first + random.integers(0, 60_000, records),
        "ip_version": np.full(records, 4),
        "src_lo": random.integers(0x0A000000, 0x0A00FFFF, records),
        "dst_lo": random.integers(0xC0000000, 0xC000FFFF, records),
        "src_port": random.integers(1024, 65535, records),
        "dst_port": np.full(records, 443),
        "protocol": np.full(records, 6),
        "bytes": byte_count,
        "packets": byte_count // 1000 + 1,
        "sampling_factor": np.ones(records, np.int64),
    }
    return {
        field.name: columns.get(field.name, np.zeros(records, np.int64)).astype(field.type.to_pandas_dtype())
        for field in LAKE_SCHEMA
    }


def written(lake: Path, name: str, columns: Mapping[str, Column]) -> str:
    """A part with these rows, written as ingest does, block by block; its name."""
    with PartWriter(lake, name, ["r"]) as writer:
        for place in range(0, columns["bytes"].size, BLOCK_RECORDS):
            writer.take(0, {name: values[place : place + BLOCK_RECORDS] for name, values in columns.items()})
        (part,) = writer.finish()
    return part.name


def _synthetic_part(lake: Path, number: int, records: int) -> str:
    """Such records, all over the day."""
    begin_ms, end_ms = day_bounds_ms(DAY)
    return written(lake, f"{number}-{records}", synthetic_columns(number, records, (begin_ms, end_ms - 120_000)))


def main() -> None:
    """Both plain queries and detection, in alternation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[4_000_000], help="of the day, in whole millions")
    parser.add_argument("--rounds", type=int, default=3, help="readings of each way (default: 3)")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS), help="default: all three")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        lake = Path(scratch)
        first = _synthetic_part(lake, 0, 1000)
        count = max(asked.records) // PART_RECORDS
        parts = [_synthetic_part(lake, number, PART_RECORDS) for number in range(count)]
        for records in asked.records:
            _compare(lake, first, parts[: records // PART_RECORDS], asked.rounds, asked.ways)


def _compare(lake: Path, first: str, parts: list[str], rounds: int, ways: list[str]) -> None:
    read: dict[str, list[_Reading]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way in ways:
            with get_context("spawn").Pool(1) as pool:
                read[way].append(pool.apply(_read, (way, lake, first, parts)))
    print(f"{len(parts) * PART_RECORDS:,} records; medians of {rounds}, ratios of neighbouring runs")
    for way, readings in read.items():
        beside = "".join(
            f", {median(a.cpu_s / b.cpu_s for a, b in zip(read[plain], readings, strict=True)):.2f} x {plain!r}"
            for plain in QUERIES
            if plain in read and way not in QUERIES
        )
        cpu_s, peak_mb = median(one.cpu_s for one in readings), median(one.peak_mb for one in readings)
        flows = {one.flows for one in readings}
        print(f"  {way:27}{cpu_s:7.2f} CPU s, at most {peak_mb:5,.0f} MB, flows found {flows}{beside}", flush=True)


@dataclass(frozen=True)
class _Reading:
    """One way once, in a process of its own; `peak_mb` is the largest memory of the process."""

    flows: int
    cpu_s: float
    peak_mb: float


def _read(way: str, lake: Path, first: str, parts: list[str]) -> _Reading:
    """What a process loads once, the modules and their first use, is not counted."""
    _flows(way, lake, [first])
    before = time.process_time()
    found = _flows(way, lake, parts)
    return _Reading(found, time.process_time() - before, peak_mb())


def _flows(way: str, lake: Path, parts: list[str]) -> int:
    if way in QUERIES:
        return flows(way, [lake / part for part in parts], lake / "spill", THREADS, MEMORY_MIB)
    return len(detect_day(DuckEngine(THREADS, MEMORY_MIB), lake, parts, "r", DAY, DetectionRule()))


if __name__ == "__main__":
    main()
