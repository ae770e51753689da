"""Synthetic flow records of two days in the lake's own columns: seeded, in parts of any size, with planted flows.

The background never comes near the threshold by itself. Every planted flow has addresses of its own, so what must be
found follows from how it was planted (`planted_alpha`), whatever the program thinks.
"""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hntes.etl.lake.parts import write_table
from hntes.etl.schema import LAKE_SCHEMA

DAYS = (date(2026, 11, 20), date(2026, 11, 21))
BEGIN_MS = 1_795_132_800_000  # 2026-11-20T00:00:00Z
DAY_MS = 86_400_000
MIDNIGHT_MS = BEGIN_MS + DAY_MS
THRESHOLD = 1_000_000_000
PLANTED = 24  # of each kind, in every part

Column = npt.NDArray[np.int64]
Columns = dict[str, Column]

# kind -> days on which its flows are alpha flows
ALPHA_DAYS: dict[str, tuple[int, ...]] = {
    "heavy": (0, 1),
    "over_by_one": (0, 1),
    "at_threshold": (),
    "under_by_one": (),
    "over_midnight": (0, 1),
    "over_midnight_in_halves": (1,),
    "start_never_moves": (0, 1),
    "instant": (0, 1),
    "largest_counter": (0, 1),
}


def write_lake(lake: Path, rows: int, part_rows: int, seed: int = 1) -> list[str]:
    """Writes parts of two days in turns until there are `rows` records; returns their names."""
    names = []
    for number, size in enumerate(_sizes(rows, part_rows)):
        day = number % 2
        name = f"flows/router=r1/day={DAYS[day].isoformat()}/{number:05d}.parquet"
        write_table(lake / name, part(seed, number, size))
        names.append(name)
    return names


def part(seed: int, number: int, rows: int) -> pa.Table:
    """Part `number`: records that end on day `number` mod 2; parts 2k and 2k+1 share their flows across midnight."""
    random = np.random.default_rng([seed, number])
    day = number % 2
    pieces = [planted(kind, number // 2, day) for kind in ALPHA_DAYS]
    pieces.append(_background(random, day, max(rows - sum(len(piece["bytes"]) for piece in pieces), 0)))
    columns = {name: np.concatenate([piece[name] for piece in pieces]) for name in LAKE_SCHEMA.names}
    order = random.permutation(len(columns["bytes"]))
    arrays = [pa.array(columns[field.name][order], field.type) for field in LAKE_SCHEMA]
    return pa.Table.from_arrays(arrays, schema=LAKE_SCHEMA)


def planted_alpha(parts: int, day: int) -> int:
    """How many planted flows of these parts are alpha flows on a day (0 or 1); `parts` is even."""
    return sum(PLANTED * parts // 2 for days in ALPHA_DAYS.values() if day in days)


def planted(kind: str, pair: int, day: int) -> Columns:
    """The records of one kind that end on one day; half of the flows are IPv6."""
    n = np.arange(PLANTED, dtype=np.int64)
    # away from the borders of minutes, so that every such flow lies in two buckets
    start = BEGIN_MS + day * DAY_MS + 7_200_000 + (pair % 80) * 900_000 + n * 7_919
    one = np.ones_like(n)
    halves = {"under_by_one": -1, "at_threshold": 0, "over_by_one": 1}
    if kind in halves:
        half = THRESHOLD // 2 * one
        spans = [(start, start + 30_000, half), (start + 30_000, start + 60_000, half + halves[kind])]
    elif kind == "heavy":
        spans = [(start + k * 60_000, start + (k + 1) * 60_000, 2_000_000_000 * one) for k in range(3)]
    elif kind == "over_midnight":
        edges = (MIDNIGHT_MS - 150_000, MIDNIGHT_MS - 30_000, MIDNIGHT_MS + 90_000)
        spans = [(edges[day] + n, edges[day + 1] + n, 3_000_000_000 * one)]
    elif kind == "over_midnight_in_halves":
        # neither half is enough; the window over midnight is, and it ends on the second day
        edges = (MIDNIGHT_MS - 30_000, MIDNIGHT_MS, MIDNIGHT_MS + 30_000)
        spans = [(edges[day] + 0 * n, edges[day + 1] + 0 * n, 600_000_000 * one)]
    elif kind == "start_never_moves":
        spans = [(start, start + (k + 1) * 40_000, 900_000_000 * one) for k in range(3)]
    elif kind == "instant":
        spans = [(start, start, (THRESHOLD + 1) * one)]
    else:
        spans = [(start, start + 2**31 // 100, 2**50 * one) for _ in range(9)]
    number = list(ALPHA_DAYS).index(kind)
    pieces = [_record(first, last, byte_count, number, pair, n) for first, last, byte_count in spans]
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in LAKE_SCHEMA.names}


def _record(first: Column, last: Column, byte_count: Column, kind: int, pair: int, n: Column) -> Columns:
    zero = np.zeros_like(n)
    six = n % 2 == 1
    host = (pair * len(ALPHA_DAYS) + kind) * PLANTED + n
    return {
        **dict.fromkeys(LAKE_SCHEMA.names, zero),
        "first_ms": first,
        "last_ms": last,
        "ip_version": np.where(six, 6, 4),
        # 2001:db8::/32 and, as the destination, halves with the upper bit set
        "src_hi": np.where(six, 0x20010DB8 << 32, zero),
        "src_lo": np.where(six, host, (198 << 24 | 18 << 16) + host),
        "dst_hi": np.where(six, -(1 << 62), zero),
        "dst_lo": np.where(six, -host - 1, 203 << 24 | 113 << 8),
        "src_port": zero + 50_000,
        "dst_port": zero + 443,
        "protocol": zero + 6,
        "bytes": byte_count,
        "packets": byte_count // 1000 + 1,
        "sampling_factor": np.where(n % 3 == 0, 1, 1000),
        "exporter_lo": zero + (192 << 24 | 2 << 8 | 1),
    }


def _background(random: np.random.Generator, day: int, rows: int) -> Columns:
    """Short flows of few bytes of many hosts, a third of them IPv6."""
    six = random.random(rows) < 0.33
    last = BEGIN_MS + day * DAY_MS + random.integers(0, DAY_MS, rows)
    byte_count = (random.pareto(1.2, rows) * 2000).astype(np.int64).clip(40, 5_000_000)
    zero = np.zeros(rows, np.int64)
    return {
        **dict.fromkeys(LAKE_SCHEMA.names, zero),
        "first_ms": last - random.integers(0, 60_000, rows),
        "last_ms": last,
        "ip_version": np.where(six, 6, 4),
        "src_hi": np.where(six, random.integers(-(1 << 40), 1 << 40, rows), 0),
        "src_lo": random.integers(10 << 24, (10 << 24) + (1 << 20), rows),
        "dst_hi": np.where(six, -random.integers(1, 1 << 20, rows), 0),
        "dst_lo": random.integers(100 << 24, (100 << 24) + (1 << 20), rows),
        "src_port": random.integers(1024, 65_536, rows),
        "dst_port": random.choice(np.array([53, 80, 443, 22]), rows),
        "protocol": np.where(random.random(rows) < 0.8, 6, 17),
        "input_interface": random.integers(1, 9, rows),
        "output_interface": random.integers(1, 9, rows),
        "direction": (random.random(rows) < 0.05).astype(np.int64),
        "bytes": byte_count,
        "packets": byte_count // 1000 + 1,
        "sampling_factor": random.choice(np.array([0, 1, 100, 1000]), rows),
        "exporter_lo": (192 << 24 | 2 << 8) + random.integers(1, 3, rows),
        "exporter_domain": random.integers(0, 3, rows),
        "record_flags": random.integers(0, 8, rows),
        "tos": random.integers(0, 256, rows),
    }


def _sizes(rows: int, part_rows: int) -> Iterator[int]:
    while rows > 0:
        yield min(rows, part_rows)
        rows -= part_rows
