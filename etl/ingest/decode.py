"""From a file's raw records to lake rows: one judgement per record, and every record counted once.

The whole file is judged at once, in columns of integers (about 150 bytes a record).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from etl import schema
from etl.addresses import column_halves, exporter_address
from etl.ingest.columns import LARGEST_INT64, compact
from etl.ingest.plausibility import NO_RATES, PortRates, granularity_ms, has_oversized_packets, is_faster_than_port
from etl.ingest.sampling import Factor, resolve_factor
from etl.ingest.times import Bool, Int64, repair_times
from etl.ingest.trust import NOTHING_KNOWN, SAMPLING_LOWERED, Lowered, Usual, believed, doubt, lowered
from etl.nfcapd.nfdump import Exporter

MAX_COUNTER = 1 << 52
UNCLAIMED = -1


@dataclass(frozen=True)
class Claim:
    """One router's part in a flow folder: which exporters are its own (none: all), how its records are read."""

    router: str
    exporters: frozenset[str] = frozenset()
    sampling: Mapping[str, int] = field(default_factory=dict)
    clock: Literal["exporter", "collector"] = "exporter"
    other_factors: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    ports: PortRates = NO_RATES

    def believed_factors(self, exporter: str, usual: Usual) -> frozenset[int] | None:
        """The sampling factors that are believed of an exporter, None where any is; the settings' word counts first."""
        if exporter in self.sampling:
            return frozenset({self.sampling[exporter], *self.other_factors.get(exporter, ())})
        return usual.factors(exporter)


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


def judge(
    tables: Iterable[pa.Table],
    claims: list[Claim],
    exporters: list[Exporter],
    max_clock_ahead_ms: int,
    marks_are_lost: bool = False,
    usual: Usual = NOTHING_KNOWN,
) -> Judged:
    """Judges all records of one file, from raw tables (etl/nfcapd/records.py).

    `marks_are_lost` when nfdump shows no record of it as multiplied; `usual` is what former files say of sampling.
    """
    parts = (compact(table) for table in tables if table.num_rows)
    return judge_columns(parts, claims, exporters, max_clock_ahead_ms, marks_are_lost, usual)


def judge_columns(
    blocks: Iterable[dict[str, Int64]],
    claims: list[Claim],
    exporters: list[Exporter],
    max_clock_ahead_ms: int,
    marks_are_lost: bool = False,
    usual: Usual = NOTHING_KNOWN,
) -> Judged:
    """The same, from compact columns (etl/ingest/columns.py). `exporters` is read after the last block."""
    parts = [block for block in blocks if block["bytes"].size]
    if not parts:
        return Judged(schema.LAKE_SCHEMA.empty_table(), np.zeros(0, np.int64), pa.table({}), {}, [], [])
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    _name_exporters(columns, exporters)
    ledger = _Ledger(columns)
    owner = _owners(columns, claims)
    ledger.settle("unclaimed", owner == UNCLAIMED, per_exporter=True)
    for number, claim in enumerate(claims):
        _judge_claim(columns, claim, ledger, owner == number, max_clock_ahead_ms)
    factors = _apply_sampling(columns, claims, exporters, owner, ledger, marks_are_lost, usual)
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
        # ::/64 holds no host's address: the unspecified one, loopback and outdated forms of IPv4 (RFC 4291)
        no_address |= (columns[f"{end}_hi"] == 0) & ((columns[f"{end}_lo"] == 0) | (columns[f"{end}_version"] == 6))
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
    usual: Usual,
) -> tuple[Int64, Int64]:
    """(multiplier, factor) of each record; counts records that are multiplied here, sets aside what cannot be."""
    by_sysid = {exporter.sysid: exporter for exporter in exporters}
    multiplier, factor = np.ones_like(columns["bytes"]), np.ones_like(columns["bytes"])
    groups = _sampling_groups(columns, owner, ledger.open)
    granularity = _granularity_ms(columns, groups)
    for rows in groups:
        one = int(rows[0])
        claim, marked = claims[owner[one]], bool(columns["sampled"][one])
        address = _exporter_of(columns, rows)
        named = by_sysid.get(int(columns["sysid"][one]))
        decided, warning = resolve_factor(named, marked, claim.sampling.get(address), marks_are_lost)
        is_unnamed = marked and not (named and named.factor)
        factors = claim.believed_factors(address, usual)
        counters = columns["bytes"][rows], columns["packets"][rows]
        lower = lowered(decided, is_unnamed, *counters, factors, usual.doubted.get(address, frozenset()))
        if lower and factors:
            _lower(columns, rows, address, lower, factors, claim.router, ledger)
            decided = lower.factor
        else:
            rows = _without_doubted(columns, rows, address, decided, is_unnamed, factors, claim.router, ledger)
        rows = _without_absurd(columns, rows, decided.multiply, claim.router, ledger)
        rows = _without_implausible(columns, rows, decided, claim, granularity[address], ledger)
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


def _lower(
    columns: dict[str, Int64], rows: Int64, exporter: str, lower: Lowered, factors: frozenset[int], router: str,
    ledger: _Ledger,
) -> None:  # fmt: skip
    """Takes back what the collector multiplied these rows by."""
    ledger.count(router, SAMPLING_LOWERED, _spread(np.ones(rows.shape, np.bool_), rows, ledger.open))
    ledger.warnings.append(doubt(router, exporter, lower.named, len(rows), factors, lower.factor))
    ledger.evidence.append(Evidence(exporter, lower.named, "doubted", 0))
    if lower.divide_by > 1:
        columns["bytes"][rows] //= lower.divide_by
        columns["packets"][rows] //= lower.divide_by
        columns["sampled"][rows] = 0


def _without_doubted(
    columns: dict[str, Int64], rows: Int64, exporter: str, decided: Factor, is_unnamed: bool,
    factors: frozenset[int] | None, router: str, ledger: _Ledger,
) -> Int64:  # fmt: skip
    """The rows whose sampling factor is believed; the others are set aside, with a warning that says what to do."""
    doubted = ~believed(decided, is_unnamed, columns["packets"][rows], factors)
    if factors is not None and doubted.any():
        ledger.settle("sampling_changed", _spread(doubted, rows, ledger.open), router)
        named = 0 if is_unnamed else decided.factor
        ledger.warnings.append(doubt(router, exporter, named, int(doubted.sum()), factors))
        if named:
            ledger.evidence.append(Evidence(exporter, named, "doubted", 0))
    return rows[~doubted]


def _without_implausible(
    columns: dict[str, Int64], rows: Int64, decided: Factor, claim: Claim, granularity: int, ledger: _Ledger
) -> Int64:
    """The rows that can be true of the claim's ports; the others are set aside."""
    octets, packets = (columns[name][rows] * decided.multiply for name in ("bytes", "packets"))
    oversized = has_oversized_packets(octets, packets)
    ledger.settle("oversized_packets", _spread(oversized, rows, ledger.open), claim.router)
    rates = claim.ports.of(*(columns[name][rows] for name in ("input_interface", "output_interface", "direction")))
    # a rate that nobody names divides all packets that were multiplied by it
    factor = decided.factor or max(int(np.gcd.reduce(packets)), 1) if rows.size else 1
    duration = columns["last_ms"][rows] - columns["first_ms"][rows]
    fast = ~oversized & is_faster_than_port(octets, packets, duration, factor, rates, granularity)
    ledger.settle("faster_than_port", _spread(fast, rows, ledger.open), claim.router)
    return rows[~(oversized | fast)]


def _granularity_ms(columns: dict[str, Int64], groups: list[Int64]) -> dict[str, int]:
    """How exact the times of each exporter are, from all its records in the file."""
    times: dict[str, list[Int64]] = {}
    for rows in groups:
        times.setdefault(_exporter_of(columns, rows), []).append(rows)
    joined = {exporter: np.concatenate(parts) for exporter, parts in times.items()}
    return {
        exporter: granularity_ms(columns["first_ms"][rows], columns["last_ms"][rows])
        for exporter, rows in joined.items()
    }


def _exporter_of(columns: dict[str, Int64], rows: Int64) -> str:
    """The address of the exporter of a group of records."""
    one = int(rows[0])
    return exporter_address(int(columns["exporter_hi"][one]), int(columns["exporter_lo"][one]))


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
