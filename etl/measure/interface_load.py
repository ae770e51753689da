"""The load of a router's egress interfaces, minute by minute: beta traffic, and what the rules call alpha.

Beta is what a given set of prefix pairs does not put into the alpha queue, whoever sent it and however fast.
"""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import pyarrow as pa

from base.addresses import Network
from etl.addresses import halves
from etl.days import day_bounds_ms
from etl.engines.base import Engine
from etl.lake.url import Lake
from sql.entries import InterfaceLoadEntry, LoadDayEntry
from sql.queries import query_text

Pairs = Iterable[tuple[Network, Network]]

MINUTE_MS = 60_000
# What a packet takes of an Ethernet link beside its IP bytes: header 14, check sequence 4, preamble 8, gap 12
# (IEEE 802.3, clauses 3.1.1 and 4.4.2). NetFlow counts IP bytes.
ETHERNET_BYTES_PER_PACKET = 38
# interface_load.sql gives squares in this unit
SQUARE_UNIT = 64
UNKNOWN_INTERFACE = 0


@dataclass
class MinuteLoad:
    """One queue's traffic on one interface in one minute. `variance` (bytes squared) is None at an unknown rate."""

    bytes: int = 0
    packets: int = 0
    variance: int | None = 0

    @property
    def wire_bytes(self) -> int:
        return self.bytes + ETHERNET_BYTES_PER_PACKET * self.packets

    @property
    def sd_wire_bytes(self) -> int | None:
        """One standard deviation of `wire_bytes` due to sampling; the packets vary with the bytes."""
        if self.variance is None:
            return None
        return round(math.sqrt(self.variance) * self.wire_bytes / self.bytes) if self.bytes else 0


@dataclass
class InterfaceMinutes:
    """One interface's minutes with traffic, by epoch minute; and the records that named it."""

    beta: dict[int, MinuteLoad] = field(default_factory=dict)
    alpha: dict[int, MinuteLoad] = field(default_factory=dict)
    records: int = 0


@dataclass
class RouterMinutes:
    """A router's day: its interfaces by SNMP index (0: unknown), and what a second metering point counted again."""

    interfaces: dict[int, InterfaceMinutes] = field(default_factory=dict)
    minutes: set[int] = field(default_factory=set)
    repeated_records: int = 0
    repeated_bytes: int = 0


def measure_day(
    engine: Engine, lake: Lake, parts: Sequence[str], router: str, day: date, pairs: Pairs
) -> tuple[LoadDayEntry, list[InterfaceLoadEntry]]:
    """The load of one router's day by interface, in the order of their indexes.

    `parts` must hold the day's flows and those of one active timeout after it, as for detection. The day is [0:00,
    24:00) UTC; a record's bytes and packets are spread evenly over its [first, last].
    """
    listed = sorted(set(pairs), key=str)
    seen = minute_loads(engine, lake, parts, day, listed)
    measured = LoadDayEntry(
        router=router,
        day=day,
        minutes=len(seen.minutes),
        pairs=len(listed),
        pairs_hash=_hash(listed),
        repeated_records=seen.repeated_records,
        repeated_bytes=seen.repeated_bytes,
    )
    loads = [_interface_load(router, day, index, seen) for index in sorted(seen.interfaces)]
    return measured, loads


def minute_loads(engine: Engine, lake: Lake, parts: Sequence[str], day: date, pairs: Pairs) -> RouterMinutes:
    """The same minute by minute."""
    from_ms, to_ms = day_bounds_ms(day)
    query = query_text("interface_load", from_ms=from_ms, to_ms=to_ms, minute_ms=MINUTE_MS)
    # a part that is named twice (a copy promoted by a run that was killed) still holds its rows once
    rows = engine.run(query, lake, list(dict.fromkeys(parts)), {"alpha_pairs": pairs_relation(pairs)})
    seen = RouterMinutes()
    for batch in rows.to_batches(max_chunksize=10_000):
        for row in batch.to_pylist():
            _add(seen, {name: int(value) for name, value in row.items()})
    return seen


def pairs_relation(pairs: Pairs) -> pa.Table:
    """The relation alpha_pairs of interface_load.sql: networks and masks of both ends as signed 64-bit halves."""
    rows: dict[str, list[int]] = {name: [] for name in _RELATION.names}
    for source, destination in pairs:
        rows["ip_version"].append(source.version)
        for end, network in (("src", source), ("dst", destination)):
            for name, address in (("", network.network_address), ("mask_", network.netmask)):
                hi, lo = halves(address)
                rows[f"{end}_{name}hi"].append(hi)
                rows[f"{end}_{name}lo"].append(lo)
    return pa.table(rows, schema=_RELATION)


_RELATION = pa.schema(
    [pa.field("ip_version", pa.int8(), nullable=False)]
    + [
        pa.field(f"{end}_{kind}{half}", pa.int64(), nullable=False)
        for end in ("src", "dst")
        for kind in ("", "mask_")
        for half in ("hi", "lo")
    ]
)


def _add(seen: RouterMinutes, row: Mapping[str, int]) -> None:
    seen.minutes.add(row["minute"])
    if row["repeated"]:
        seen.repeated_records += row["records"]
        seen.repeated_bytes += row["bytes"]
        return
    interface = seen.interfaces.setdefault(max(row["output_interface"], UNKNOWN_INTERFACE), InterfaceMinutes())
    interface.records += row["records"]
    queue = interface.alpha if row["in_alpha_queue"] else interface.beta
    load = queue.setdefault(row["minute"], MinuteLoad())
    load.bytes += row["bytes"]
    load.packets += row["packets"]
    if row["sampling_factor"] == 0 and row["bytes"]:
        load.variance = None
    elif load.variance is not None:
        # n sampled packets of s bytes stand for n x factor: variance n s^2 factor (factor - 1) = bytes s (factor - 1)
        load.variance += SQUARE_UNIT * row["square_bytes_64"] * (row["sampling_factor"] - 1)


def _interface_load(router: str, day: date, index: int, seen: RouterMinutes) -> InterfaceLoadEntry:
    interface = seen.interfaces[index]
    wire = sorted((load.wire_bytes for load in interface.beta.values()), reverse=True)
    # the earliest of equals
    fullest = max(interface.beta, key=lambda minute: (interface.beta[minute].wire_bytes, -minute), default=None)
    peak = MinuteLoad() if fullest is None else interface.beta[fullest]
    return InterfaceLoadEntry(
        router=router,
        day=day,
        interface_index=index,
        records=interface.records,
        beta_bytes=sum(load.bytes for load in interface.beta.values()),
        alpha_bytes=sum(load.bytes for load in interface.alpha.values()),
        beta_peak_ms=None if fullest is None else fullest * MINUTE_MS,
        beta_peak_wire_bytes=peak.wire_bytes,
        beta_peak_sd_bytes=peak.sd_wire_bytes,
        beta_p50_wire_bytes=percentile(wire, 500, len(seen.minutes)),
        beta_p95_wire_bytes=percentile(wire, 950, len(seen.minutes)),
        beta_p99_wire_bytes=percentile(wire, 990, len(seen.minutes)),
        beta_p999_wire_bytes=percentile(wire, 999, len(seen.minutes)),
        alpha_peak_wire_bytes=max((load.wire_bytes for load in interface.alpha.values()), default=0),
    )


def percentile(descending: Sequence[int], per_mille: int, count: int) -> int:
    """Nearest rank: the least value that at least so many per mille of `count` values do not exceed.

    `descending` are the values above 0, largest first; the others of the `count` are 0.

    Example:
        >>> percentile([9, 7, 3], 500, 4), percentile([9, 7, 3], 999, 4), percentile([9], 500, 4)
        (3, 9, 0)
    """
    rank = -(-per_mille * count // 1000)
    above = count - rank
    return descending[above] if above < len(descending) else 0


def _hash(pairs: Sequence[tuple[Network, Network]]) -> str:
    return hashlib.sha256("\n".join(f"{source} > {destination}" for source, destination in pairs).encode()).hexdigest()
