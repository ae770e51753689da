"""From a file's raw records to lake rows: one judgement per record, and every record counted once.

The whole file is judged at once, in columns of integers (about 150 bytes a record).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from etl import schema
from etl.addresses import column_halves, exporter_address
from etl.ingest.sampling import resolve_factor
from etl.ingest.times import Bool, Int64, repair_times
from etl.nfcapd.nfdump import Exporter
from etl.nfcapd.records import times_ms

MAX_COUNTER = 1 << 52
LARGEST_INT64 = (1 << 63) - 1
UNCLAIMED = -1


@dataclass(frozen=True)
class Claim:
    """One router's part in a flow folder: which exporters are its own (none: all), how its records are read."""

    router: str
    exporters: frozenset[str] = frozenset()
    sampling: Mapping[str, int] = field(default_factory=dict)
    clock: Literal["exporter", "collector"] = "exporter"


@dataclass(frozen=True)
class Evidence:
    """How one exporter's sampling was decided."""

    exporter: str
    factor: int
    source: str
    records: int


@dataclass(frozen=True)
class Judged:
    """A file's records after judgement.

    rows: LAKE_SCHEMA, in the file's order; `owner` gives the index of the claim of each row.
    set_aside: the compact columns of records that were set aside, with their router and reason.
    counts: (router or "", outcome) -> (records, bytes as stored); the outcomes kept, set_aside:* and unclaimed:*
        add up to the records read. Outcomes repaired:* and noted:* are about kept records.
    """

    rows: pa.Table
    owner: npt.NDArray[np.int64]
    set_aside: pa.Table
    counts: dict[tuple[str, str], tuple[int, int]]
    evidence: list[Evidence]
    warnings: list[str]


def compact(raw: pa.Table) -> dict[str, npt.NDArray[np.int64]]:
    """A raw table as integer columns; a missing number is 0, a missing address has version 0."""
    (src_hi, src_lo, src_version), (dst_hi, dst_lo, dst_version) = _addresses(raw)
    exporter_hi, exporter_lo, exporter_version = column_halves(_either(raw, "ip6_router", "ip4_router"))
    icmp = pc.is_valid(raw["icmp_type"]).to_numpy()
    icmp_port = _numbers(raw, "icmp_type") * 256 + _numbers(raw, "icmp_code")
    return {
        "is_flow": _is_flow(raw).astype(np.int64),
        "sampled": _numbers(raw, "sampled"),
        "sysid": _numbers(raw, "export_sysid"),
        "first_ms": times_ms(raw["first"]).to_numpy(),
        "last_ms": times_ms(raw["last"]).to_numpy(),
        "received_ms": times_ms(raw["received"]).to_numpy(),
        **_counters(raw),
        "protocol": _numbers(raw, "proto"),
        "src_port": _numbers(raw, "src_port"),
        "dst_port": np.where(icmp, icmp_port, _numbers(raw, "dst_port")),
        "src_hi": src_hi, "src_lo": src_lo, "src_version": src_version,
        "dst_hi": dst_hi, "dst_lo": dst_lo, "dst_version": dst_version,
        "exporter_hi": exporter_hi, "exporter_lo": exporter_lo, "exporter_version": exporter_version.astype(np.int64),
        "input_interface": _numbers(raw, "input_snmp"),
        "output_interface": _numbers(raw, "output_snmp"),
        "direction": _numbers(raw, "direction"),
    }  # fmt: skip


def judge(
    tables: Iterable[pa.Table],
    claims: list[Claim],
    exporters: list[Exporter],
    max_clock_ahead_ms: int,
    marks_are_lost: bool = False,
) -> Judged:
    """Judges all records of one file; `marks_are_lost` when nfdump shows no record of it as multiplied."""
    parts = [compact(table) for table in tables if table.num_rows]
    if not parts:
        return Judged(schema.LAKE_SCHEMA.empty_table(), np.zeros(0, np.int64), pa.table({}), {}, [], [])
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    _name_exporters(columns, exporters)
    ledger = _Ledger(columns)
    owner = _owners(columns, claims)
    ledger.settle("unclaimed", owner == UNCLAIMED, per_exporter=True)
    for number, claim in enumerate(claims):
        _judge_claim(columns, claim, ledger, owner == number, max_clock_ahead_ms)
    factors = _apply_sampling(columns, claims, exporters, owner, ledger, marks_are_lost)
    kept = np.flatnonzero(ledger.open)
    for number, claim in enumerate(claims):
        kept_here = ledger.open & (owner == number)
        ledger.count(claim.router, "kept", kept_here)
        ledger.count(claim.router, "noted:egress_counter", kept_here & (columns["egress_counter"] > 0))
        unused = kept_here & (columns["unused_bytes"] > 0)
        ledger.count(claim.router, "noted:out_bytes_not_used", unused, "unused_bytes")
    rows = _lake_rows(columns, kept, factors, ledger.repaired)
    return Judged(rows, owner[kept], ledger.set_aside(claims, owner), ledger.counts, ledger.evidence, ledger.warnings)


class _Ledger:
    """Which records are still open (not settled by a rule), and what was decided on the others."""

    def __init__(self, columns: dict[str, Int64]) -> None:
        self._columns = columns
        self.open: Bool = np.ones(len(columns["bytes"]), dtype=np.bool_)
        self.repaired: Bool = np.zeros(len(columns["bytes"]), dtype=np.bool_)
        self.reasons: dict[str, Bool] = {}
        self.counts: dict[tuple[str, str], tuple[int, int]] = {}
        self.evidence: list[Evidence] = []
        self.warnings: list[str] = []

    def count(self, router: str, outcome: str, rows: Bool, counted: str = "bytes") -> None:
        if records := int(rows.sum()):
            old_records, old_bytes = self.counts.get((router, outcome), (0, 0))
            total = int(self._columns[counted][rows].astype(object).sum())
            # absurd counters add up to more than a database column holds
            self.counts[router, outcome] = (old_records + records, min(old_bytes + total, LARGEST_INT64))

    def settle(self, reason: str, rows: Bool, router: str = "", per_exporter: bool = False) -> None:
        """Takes open records out for a reason."""
        rows = rows & self.open
        if not rows.any():
            return
        self.open &= ~rows
        if not per_exporter:
            self.reasons[reason] = self.reasons.get(reason, np.zeros_like(rows)) | rows
            self.count(router, f"set_aside:{reason}", rows)
            return
        for hi, lo in sorted({(int(h), int(low)) for h, low in _pairs(self._columns, rows)}):
            same = rows & (self._columns["exporter_hi"] == hi) & (self._columns["exporter_lo"] == lo)
            self.count(router, f"{reason}:{exporter_address(hi, lo)}", same)

    def set_aside(self, claims: list[Claim], owner: Int64) -> pa.Table:
        tables = []
        for reason, rows in sorted(self.reasons.items()):
            picked = {name: values[rows] for name, values in self._columns.items()}
            routers = [claims[number].router for number in owner[rows]]
            tables.append(pa.table({"router": routers, "reason": [reason] * len(routers), **picked}))
        return pa.concat_tables(tables) if tables else pa.table({})


def _judge_claim(columns: dict[str, Int64], claim: Claim, ledger: _Ledger, mine: Bool, ahead_ms: int) -> None:
    router = claim.router
    ledger.settle("not_a_flow", mine & (columns["is_flow"] == 0), router)
    no_address = (columns["src_version"] == 0) | (columns["dst_version"] == 0)
    no_address |= columns["src_version"] != columns["dst_version"]
    for end in ("src", "dst"):
        no_address |= (columns[f"{end}_hi"] == 0) & (columns[f"{end}_lo"] == 0)
    ledger.settle("no_address", mine & no_address, router)
    absurd = (columns["bytes"] > MAX_COUNTER) | (columns["packets"] > MAX_COUNTER)
    ledger.settle("absurd_counter", mine & absurd, router)
    rows = np.flatnonzero(mine & ledger.open)
    times = repair_times(
        columns["first_ms"][rows], columns["last_ms"][rows], columns["received_ms"][rows],
        max_clock_ahead_ms=ahead_ms, clock=claim.clock,
        exporter=columns["exporter_lo"][rows] ^ columns["exporter_hi"][rows],
    )  # fmt: skip
    for name, hit in times.aside.items():
        ledger.settle(name, _spread(hit, rows, mine), router)
    columns["first_ms"][rows], columns["last_ms"][rows] = times.first_ms, times.last_ms
    for name, hit in times.repairs.items():
        repaired = _spread(hit, rows, mine) & ledger.open
        ledger.repaired |= repaired
        ledger.count(router, f"repaired:{name}", repaired)
    ledger.count(router, "noted:days_old", _spread(times.days_old, rows, mine) & ledger.open)


def _apply_sampling(
    columns: dict[str, Int64],
    claims: list[Claim],
    exporters: list[Exporter],
    owner: Int64,
    ledger: _Ledger,
    marks_are_lost: bool,
) -> tuple[Int64, Int64]:
    """(multiplier, factor) of each record; counts records that are multiplied here."""
    by_sysid = {exporter.sysid: exporter for exporter in exporters}
    multiplier, factor = np.ones_like(columns["bytes"]), np.ones_like(columns["bytes"])
    for rows in _sampling_groups(columns, owner, ledger.open):
        one = int(rows[0])
        claim, marked = claims[owner[one]], bool(columns["sampled"][one])
        address = exporter_address(int(columns["exporter_hi"][one]), int(columns["exporter_lo"][one]))
        decided, warning = resolve_factor(
            by_sysid.get(int(columns["sysid"][one])), marked, claim.sampling.get(address), marks_are_lost
        )
        rows = _without_absurd(columns, rows, decided.multiply, claim.router, ledger)
        if not rows.size:
            continue
        multiplier[rows], factor[rows] = decided.multiply, decided.factor
        ledger.evidence.append(Evidence(address, decided.factor, decided.source, len(rows)))
        if warning:
            ledger.warnings.append(f"exporter {address}: {warning}")
        if decided.source == "announced":
            hit = np.zeros_like(ledger.open)
            hit[rows] = True
            ledger.count(claim.router, "repaired:before_sampling_option", hit)
    return multiplier, factor


def _without_absurd(columns: dict[str, Int64], rows: Int64, multiply: int, router: str, ledger: _Ledger) -> Int64:
    """The rows whose estimates are believable; the others are set aside."""
    absurd = np.maximum(columns["bytes"][rows], columns["packets"][rows]) > MAX_COUNTER // multiply
    ledger.settle("absurd_counter", _spread(absurd, rows, ledger.open), router)
    return rows[~absurd]


def _lake_rows(columns: dict[str, Int64], kept: Int64, factors: tuple[Int64, Int64], repaired: Bool) -> pa.Table:
    multiplier, factor = factors[0][kept], factors[1][kept]
    picked = {name: values[kept] for name, values in columns.items()}
    flags = np.where(picked["sampled"] != 0, schema.MULTIPLIED_BY_COLLECTOR, 0)
    flags |= np.where(multiplier > 1, schema.MULTIPLIED_HERE, 0)
    flags |= np.where(repaired[kept], schema.TIME_REPAIRED, 0)
    picked |= {
        "ip_version": picked["src_version"],
        "bytes": picked["bytes"] * multiplier,
        "packets": picked["packets"] * multiplier,
        "sampling_factor": factor,
        "exporter_domain": picked["sysid"],
        "record_flags": flags,
    }
    arrays = [pa.array(picked[field.name].astype(field.type.to_pandas_dtype())) for field in schema.LAKE_SCHEMA]
    return pa.Table.from_arrays(arrays, schema=schema.LAKE_SCHEMA)


def _name_exporters(columns: dict[str, Int64], exporters: list[Exporter]) -> None:
    """Records without an exporter's address get the one that the file names for their number, if it names one."""
    nameless = columns["exporter_version"] == 0
    if not nameless.any() or not exporters:
        return
    hi, lo, version = column_halves(pa.array([exporter.address for exporter in exporters]))
    for number, exporter in enumerate(exporters):
        rows = nameless & (columns["sysid"] == exporter.sysid)
        columns["exporter_hi"][rows], columns["exporter_lo"][rows] = hi[number], lo[number]
        columns["exporter_version"][rows] = version[number]


def _owners(columns: dict[str, Int64], claims: list[Claim]) -> Int64:
    owner = np.full(columns["bytes"].shape, UNCLAIMED, dtype=np.int64)
    for number, claim in enumerate(claims):
        if not claim.exporters:
            owner[:] = number
            continue
        hi, lo, _ = column_halves(pa.array(sorted(claim.exporters)))
        for one_hi, one_lo in zip(hi, lo, strict=True):
            owner[(columns["exporter_hi"] == one_hi) & (columns["exporter_lo"] == one_lo)] = number
    return owner


def _sampling_groups(columns: dict[str, Int64], owner: Int64, rows: Bool) -> list[Int64]:
    """The open records' indexes, grouped by router, exporter, domain and the collector's mark."""
    index = np.flatnonzero(rows)
    keys = [columns[name][index] for name in ("sampled", "sysid", "exporter_lo", "exporter_hi")] + [owner[index]]
    index = index[np.lexsort(keys)]
    names = ("sampled", "sysid", "exporter_lo", "exporter_hi")
    changes = owner[index][1:] != owner[index][:-1]
    for name in names:
        changes |= columns[name][index][1:] != columns[name][index][:-1]
    return [group for group in np.split(index, np.flatnonzero(changes) + 1) if len(group)]


def _pairs(columns: dict[str, Int64], rows: Bool) -> npt.NDArray[np.int64]:
    return np.unique(np.stack([columns["exporter_hi"][rows], columns["exporter_lo"][rows]], axis=1), axis=0)


def _spread(hit: Bool, rows: Int64, like: Bool) -> Bool:
    full = np.zeros_like(like)
    full[rows[hit]] = True
    return full


def _is_flow(raw: pa.Table) -> Bool:
    """Firewalls export flows as events (NSEL); those that count bytes are flows, the others only notices."""
    kind = pc.fill_null(raw["type"], "FLOW")
    # compared as what it is: a signed zero would refuse counters above 2^63
    some_bytes = pc.greater(pc.fill_null(raw["in_bytes"], 0), pa.scalar(0, pa.uint64()))
    counted = pc.and_(pc.equal(kind, "EVENT"), some_bytes)
    answer: Bool = pc.or_(pc.equal(kind, "FLOW"), counted).to_numpy()
    return answer


def _addresses(raw: pa.Table) -> list[list[Int64]]:
    """[hi, lo, version] of source and destination.

    Cisco's and Huawei's templates for MPLS carry both forms of each address. For an IPv4 packet the IPv6 fields then
    repeat the IPv4 address in their lowest 32 bits: such a record is an IPv4 flow.
    """
    ends = []
    is_ipv4 = np.ones(raw.num_rows, dtype=np.bool_)
    for end in ("src", "dst"):
        four, six = (column_halves(raw[f"{end}{version}_addr"]) for version in (4, 6))
        is_ipv4 &= (four[2] == 4) & ((six[2] == 0) | ((six[0] == 0) & ((six[1] == four[1]) | (six[1] == 0))))
        ends.append((four, six))
    return [
        [np.where(is_ipv4 | (six[2] == 0), four[part], six[part]).astype(np.int64) for part in range(3)]
        for four, six in ends
    ]


def _counters(raw: pa.Table) -> dict[str, Int64]:
    """Packets and bytes of each record's own direction, from the counter that holds them.

    A record metered at egress may count in OUT_BYTES alone (RFC 3954, field 23). Where both counters are set the second
    one is the same traffic again (some firewalls) or the traffic of the other direction (RFC 5103): the record does not
    tell which, so it is not used, and noted.
    """
    in_bytes, out_bytes = _counter(raw, "in_bytes"), _counter(raw, "out_bytes")
    in_packets, out_packets = _counter(raw, "in_packets"), _counter(raw, "out_packets")
    egress = (_numbers(raw, "direction") == 1) & (in_bytes == 0) & (in_packets == 0) & (out_bytes > 0)
    return {
        "packets": np.where(egress, out_packets, in_packets),
        "bytes": np.where(egress, out_bytes, in_bytes),
        "egress_counter": egress.astype(np.int64),
        "unused_bytes": np.where(egress, 0, out_bytes),
    }


def _either(raw: pa.Table, first: str, second: str) -> pa.Array:
    return pc.coalesce(raw[first], raw[second]).combine_chunks()


def _numbers(raw: pa.Table, name: str) -> Int64:
    values: Int64 = pc.fill_null(raw[name], 0).to_numpy()
    return values


def _counter(raw: pa.Table, name: str) -> Int64:
    """Unsigned 64-bit counters, with what exceeds a signed one held at its limit (it is absurd anyway)."""
    limit = pa.scalar(LARGEST_INT64, pa.uint64())
    values: Int64 = pc.cast(pc.min_element_wise(pc.fill_null(raw[name], 0), limit), pa.int64()).to_numpy()
    return values
