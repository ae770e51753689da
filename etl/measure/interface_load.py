"""The load of a router's egress interfaces, minute by minute: beta and alpha traffic.

Beta is all traffic that a given set of prefix pairs does not put into the alpha queue. Beside it stands what of either
the pairs in force on the day match: that is what the router's own queue had.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa

from hntes.addresses import Network
from hntes.etl.addresses import halves
from hntes.etl.days import MINUTE_MS, day_bounds_ms
from hntes.etl.engines.base import Engine
from hntes.etl.measure.from_sums import IN_FORCE, IN_RULES, loads_by_sums
from hntes.etl.measure.measured_pairs import Pairs, pairs_hash
from hntes.etl.measure.minutes import InterfaceMinutes, MinuteLoad, RouterMinutes
from hntes.etl.measure.plausible import leave_out, leave_out_implausible
from hntes.etl.measure.profile import load_profile
from hntes.sql.entries import InterfaceLoadEntry, LoadDayEntry
from hntes.sql.load_profiles import LoadProfile
from hntes.sql.queries import query_text

# interface_load.sql gives squares in this unit
SQUARE_UNIT = 64
UNKNOWN_INTERFACE = 0
NO_RATES: Mapping[int, int] = MappingProxyType({})


class DayLoad(NamedTuple):
    """The load of a router's day: what was measured, and each interface's sums and profile, by its index."""

    measured: LoadDayEntry
    loads: list[InterfaceLoadEntry]
    profiles: list[LoadProfile]


def measure_day(
    engine: Engine,
    lake: Path,
    parts: Sequence[str],
    router: str,
    day: date,
    pairs: Pairs,
    *,
    in_force: Pairs = (),
    rates_bps: Mapping[int, int] = NO_RATES,
    sum_exporters: bool = False,
    set_aside: Iterable[tuple[int, int]] = (),
) -> DayLoad:
    """The load of one router's day by interface, in the order of their indexes.

    `parts` must hold the day's flows and those of one active timeout after it, as for detection. The day is [0:00,
    24:00) UTC; a record's bytes and packets are spread evenly over its [first, last]. `in_force` are the pairs that the
    router's configuration of the day put into the alpha queue; they decide on the profiles alone. `rates_bps` are those
    of the ports, by SNMP index: minutes in which one would have sent more are left out of its load, and counted. With
    `sum_exporters` the exporters see different traffic, and only ingress and egress are compared. `set_aside` are
    minutes, by SNMP index and epoch minute, that an operator leaves out likewise.
    """
    listed = sorted(set(pairs), key=str)
    seen = minute_loads(engine, lake, parts, day, listed, in_force=in_force, sum_exporters=sum_exporters)
    leave_out_implausible(seen.interfaces, rates_bps)
    leave_out(seen.interfaces, set_aside)
    measured = LoadDayEntry(
        router=router,
        day=day,
        minutes=len(seen.minutes),
        pairs=len(listed),
        pairs_hash=pairs_hash(listed),
        repeated_records=seen.repeated_records,
        repeated_bytes=seen.repeated_bytes,
        implausible_minutes=sum(len(interface.implausible) for interface in seen.interfaces.values()),
    )
    indexes = sorted(seen.interfaces)
    loads = [_interface_load(router, day, index, seen) for index in indexes]
    return DayLoad(measured, loads, [load_profile(router, day, index, seen.interfaces[index]) for index in indexes])


def minute_loads(
    engine: Engine, lake: Path, parts: Sequence[str], day: date, pairs: Pairs, *, in_force: Pairs = (),
    sum_exporters: bool = False,
) -> RouterMinutes:  # fmt: skip
    """The same minute by minute: from the sums that the parts keep where all do, else by the query over all records."""
    from_ms, to_ms = day_bounds_ms(day)
    by_exporter = not sum_exporters
    # a part that is named twice (a copy promoted by a run that was killed) still holds its rows once
    once = list(dict.fromkeys(parts))
    marks = dict.fromkeys(sorted({*pairs, *in_force}, key=str), 0)
    for of_pairs, mark in ((pairs, IN_RULES), (in_force, IN_FORCE)):
        for pair in of_pairs:
            marks[pair] |= mark
    rows = loads_by_sums(lake, once, marks, (from_ms, to_ms), by_exporter)
    if rows is None:
        query = query_text(
            "interface_load", from_ms=from_ms, to_ms=to_ms, minute_ms=MINUTE_MS, with_exporters=int(by_exporter)
        )
        rows = engine.run(query, lake, once, {"alpha_pairs": pairs_relation(marks)})
    seen = RouterMinutes()
    for row in _load_rows(rows):
        _add(seen, row)
    return seen


class _LoadRow(NamedTuple):
    """A row of interface_load.sql."""

    output_interface: int
    minute: int
    in_alpha_queue: int
    in_force: int
    repeated: int
    sampling_factor: int
    records: int
    bytes: int
    packets: int
    square_bytes_64: int


def _load_rows(table: pa.Table) -> Iterator[_LoadRow]:
    for batch in table.to_batches(max_chunksize=10_000):
        yield from map(_LoadRow._make, zip(*(_integers(batch[name]) for name in _LoadRow._fields), strict=True))


def _integers(column: pa.Array) -> list[int]:
    """Decimals, too; each of them would be made an object of its own."""
    try:
        values = column.cast(pa.int64())
    except pa.ArrowInvalid:  # some exceed 64 bits
        values = column
    return [int(value) for value in values.to_pylist()]


def pairs_relation(marks: Mapping[tuple[Network, Network], int]) -> pa.Table:
    """The relation alpha_pairs of interface_load.sql: networks and masks of both ends as signed 64-bit halves.

    `marks` has IN_RULES, IN_FORCE or both of each pair.
    """
    rows: dict[str, list[int]] = {name: [] for name in _RELATION.names}
    for (source, destination), mark in marks.items():
        rows["in_rules"].append(int(mark & IN_RULES > 0))
        rows["in_force"].append(int(mark & IN_FORCE > 0))
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
    + [pa.field(name, pa.int64(), nullable=False) for name in ("in_rules", "in_force")]
)


def _add(seen: RouterMinutes, row: _LoadRow) -> None:
    seen.minutes.add(row.minute)
    if row.repeated:
        seen.repeated_records += row.records
        seen.repeated_bytes += row.bytes
        return
    interface = seen.interfaces.setdefault(max(row.output_interface, UNKNOWN_INTERFACE), InterfaceMinutes())
    interface.records += row.records
    queue = interface.alpha if row.in_alpha_queue else interface.beta
    load = queue.setdefault(row.minute, MinuteLoad())
    load.bytes += row.bytes
    load.packets += row.packets
    if row.in_force or row.in_alpha_queue:
        of_pairs = interface.in_force_bytes if row.in_force else interface.new_bytes
        of_pairs[row.minute] = of_pairs.get(row.minute, 0) + row.bytes
    if row.sampling_factor == 0 and row.bytes:
        load.variance = None
    elif load.variance is not None:
        # n sampled packets of s bytes stand for n x factor: variance n s^2 factor (factor - 1) = bytes s (factor - 1)
        load.variance += SQUARE_UNIT * row.square_bytes_64 * (row.sampling_factor - 1)


def _interface_load(router: str, day: date, index: int, seen: RouterMinutes) -> InterfaceLoadEntry:
    interface = seen.interfaces[index]
    wire = sorted((load.wire_bytes for load in interface.beta.values()), reverse=True)
    # the earliest of equals
    fullest = max(interface.beta, key=lambda minute: (interface.beta[minute].wire_bytes, -minute), default=None)
    plausible = len(seen.minutes - interface.implausible)
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
        beta_p50_wire_bytes=percentile(wire, 500, plausible),
        beta_p95_wire_bytes=percentile(wire, 950, plausible),
        beta_p99_wire_bytes=percentile(wire, 990, plausible),
        beta_p999_wire_bytes=percentile(wire, 999, plausible),
        alpha_peak_wire_bytes=max((load.wire_bytes for load in interface.alpha.values()), default=0),
        implausible_minutes=len(interface.implausible),
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
