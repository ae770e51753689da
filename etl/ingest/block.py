"""Conversion of a block of records to lake rows: one judgement per record, each counted once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from hntes.etl import schema
from hntes.etl.addresses import text_halves
from hntes.etl.ingest.columns import IS_REVERSE, OF_ASSUMPTION, OF_PERIOD, Columns, compact, picked, with_reverse
from hntes.etl.ingest.exporter_clock import Lags
from hntes.etl.ingest.file_context import FileContext, Halves
from hntes.etl.ingest.ledger import RECORD, Ledger, OpenRecords, bytes_by_exporter, exact_sum
from hntes.etl.ingest.outcomes import ASSUMED_TIMES, DAYS_OLD, MALFORMED_ROW, PERIOD_TIMES
from hntes.etl.ingest.plain import PlainRecords
from hntes.etl.ingest.router_exporters import MAX_COUNTER, RouterExporters
from hntes.etl.ingest.sampled import Sampling
from hntes.etl.ingest.times import Bool, Int64, repair_times
from hntes.etl.lake.parts import LakeRows
from hntes.etl.sources.decoded import DecodedBlock
from hntes.etl.sources.named_exporters import ExporterKey, NamedExporters, exporter_key

UNCLAIMED = -1
# Takes kept rows of a claim (its number): the columns of LAKE_SCHEMA, in the file's order.
Keep = Callable[[int, LakeRows], None]
_TYPES = {field.name: field.type.to_pandas_dtype() for field in schema.LAKE_SCHEMA}


@dataclass
class Judgement:
    """One reading of a file, block by block."""

    claims: Sequence[RouterExporters]
    max_clock_ahead_ms: int
    sampling: Sampling
    whole: FileContext
    keep: Keep
    ledger: Ledger = field(default_factory=Ledger)
    records: int = 0  # of the blocks so far
    reversed_records: int = 0  # flows that were made of the reverse direction of a record
    _named: NamedExporters = field(default_factory=NamedExporters)
    _seen: set[ExporterKey] = field(default_factory=set)  # exporters of which `_named` was noted
    _plain: PlainRecords = field(init=False)

    def __post_init__(self) -> None:
        self._plain = PlainRecords(self.claims, self.sampling, self.whole)

    def add(self, block: Columns, named: NamedExporters) -> None:
        """Judges a block; `named` are the exporters that the file has named so far."""
        self._see_exporters(_exporter_keys(block), named)
        for number, (_, rows) in self._kept(block).items():
            self.keep(number, rows)

    def add_decoded(self, block: DecodedBlock, named: NamedExporters) -> None:
        """The same of a block whose plain records (etl/ingest/plain.py) need no judgement."""
        begin = self.records
        self._see_exporters((exporter_key(group) for group in block.groups.all), named)
        others = self._plain.split(block, self.max_clock_ahead_ms)
        kept = self._kept(compact(block.rest()), begin + others) if others.size else {}
        self.records = begin + block.records
        for number in range(len(self.claims)):
            records, rows = kept.get(number, (others[:0], {}))
            mine = block.rows(number, records - begin, rows)
            if mine.records:
                self.keep(number, mine)

    def finish(self) -> None:
        """Counts what is counted of a whole file."""
        self._plain.count(self.ledger)
        self.sampling.count_doubtful(self.ledger)

    def _see_exporters(self, keys: Iterable[ExporterKey], named: NamedExporters) -> None:
        """Notes what the file names for the exporters in this block, where that is new."""
        if named is not self._named:
            self._named, self._seen = named, set()
            self.whole.see_rates(named.all)
        for key in set(keys) - self._seen:
            self.whole.exporters.see(key, named.get(key))
            self._seen.add(key)

    def _kept(self, block: Columns, records: Int64 | None = None) -> dict[int, tuple[Int64, Columns]]:
        """The records of a block that are kept: by claim their numbers and rows. `records` are the block's numbers."""
        if records is None:
            records = np.arange(self.records, self.records + block["bytes"].size)
            self.records += records.size
        block = self._well_formed(_with_exporters(block | {RECORD: records}, self.whole))
        block, reversed_records = with_reverse(block)
        self.reversed_records += reversed_records
        kept = {}
        for number, mine in _by_owner(block, self.claims):
            if number == UNCLAIMED:
                _count_unclaimed(mine, self.ledger)
            elif found := self._claimed(number, mine):
                kept[number] = found
        return kept

    def _well_formed(self, block: Columns) -> Columns:
        """The records that could be read; of others there is only their number to count.

        Those without an exporter that the settings claim count against all routers of the folder.
        """
        malformed = block["is_malformed"] != 0
        if not malformed.any():
            return block
        for number, mine in _by_owner(picked(block, malformed), self.claims):
            router = "" if number == UNCLAIMED else self.claims[number].router
            self.ledger.count(router, MALFORMED_ROW, mine["bytes"])
            for exporter, stored_bytes in bytes_by_exporter(mine):
                self.ledger.count_exporter(router, exporter, MALFORMED_ROW, stored_bytes.size, exact_sum(stored_bytes))
        return picked(block, ~malformed)

    def _claimed(self, number: int, columns: Columns) -> tuple[Int64, Columns] | None:
        router = self.claims[number].router
        columns, repaired, shift_ms = self._timed(number, _plain_flows(columns, router, self.ledger))
        if not columns["bytes"].size:
            return None
        records = OpenRecords(columns, router, self.ledger)
        judged = self.sampling.judge(number, records, shift_ms)
        multiplier, factor = (records.left(values) for values in (judged.multiplier, judged.factor))
        repaired |= judged.spread
        kept = records.left_columns()
        if not kept["bytes"].size:
            return None
        _count_kept(router, kept, self.ledger)
        return kept[RECORD], _lake_rows(kept, multiplier, factor, records.left(repaired))

    def _timed(self, number: int, columns: Columns) -> tuple[Columns, Bool, Int64]:
        """The records whose times can be used, repaired where a rule does so, which were, and the shift of each."""
        claim = self.claims[number]
        exporter, addresses = _numbered_exporters(columns) if claim.clock == "collector" else (None, [])

        def offset_ms(one: int, lags_ms: Int64) -> int:
            # a block need not be like most of its file: the first reading moves none
            key = (number, *addresses[one])
            self.whole.lags.see(key, Lags(lags_ms))
            used_ms = self.whole.lags.expected(key, 0)
            self.whole.lags.note(key, used_ms)
            return used_ms

        times = repair_times(
            columns["first_ms"], columns["last_ms"], columns["received_ms"],
            max_clock_ahead_ms=self.max_clock_ahead_ms, clock=claim.clock, exporter=exporter, offset_ms=offset_ms,
        )  # fmt: skip
        columns = columns | {"first_ms": times.first_ms, "last_ms": times.last_ms}
        records = OpenRecords(columns, claim.router, self.ledger)
        for name, hit in times.aside.items():
            records.settle(name, hit)
        repaired = np.zeros(columns["bytes"].shape, dtype=np.bool_)
        for name, hit in times.repairs.items():
            repaired |= hit
            records.count(f"repaired:{name}", hit)
        records.count(DAYS_OLD, times.days_old)
        return records.left_columns(), records.left(repaired), records.left(times.shift_ms)


def _numbered_exporters(columns: Columns) -> tuple[Int64, list[Halves]]:
    """Of each record the number of its exporter, and the halves of the exporters' addresses."""
    his, hi = np.unique(columns["exporter_hi"], return_inverse=True)
    los, lo = np.unique(columns["exporter_lo"], return_inverse=True)
    pairs, number = np.unique(hi * los.size + lo, return_inverse=True)
    high, low = np.divmod(pairs, max(los.size, 1))
    return number, list(zip(his[high].tolist(), los[low].tolist(), strict=True))


def _exporter_keys(columns: Columns) -> set[ExporterKey]:
    """The exporters of a block's records; a datagram's records have one, so it is runs of them that are looked at."""
    key = [np.where(columns["exporter_version"] == 0, 0, columns[name]) for name in ("exporter_hi", "exporter_lo")]
    key.insert(0, columns["sysid"])
    changes = np.zeros(columns["bytes"].size, dtype=np.bool_)
    changes[:1] = True
    for values in key:
        changes[1:] |= values[1:] != values[:-1]
    return set(zip(*(values[changes].tolist() for values in key), strict=True))


def _with_exporters(columns: Columns, whole: FileContext) -> Columns:
    """Records without an exporter's address get the one that the file names for their number, if it names one."""
    nameless = columns["exporter_version"] == 0
    if not nameless.any():
        return columns
    names = ("exporter_hi", "exporter_lo", "exporter_version")
    columns = columns | {name: columns[name].copy() for name in names}
    for sysid in np.unique(columns["sysid"][nameless]).tolist():
        exporter = whole.named_exporter(sysid)
        if exporter:
            rows = nameless & (columns["sysid"] == sysid)
            halves = text_halves(exporter.address)
            columns["exporter_hi"][rows], columns["exporter_lo"][rows], columns["exporter_version"][rows] = halves
    return columns


def _by_owner(columns: Columns, claims: Sequence[RouterExporters]) -> Iterator[tuple[int, Columns]]:
    """The records of each claim, by its number."""
    if len(claims) == 1 and not claims[0].exporters:
        yield 0, columns
        return
    owner = np.full(columns["bytes"].shape, UNCLAIMED, dtype=np.int64)
    for number, claim in enumerate(claims):
        if not claim.exporters:
            owner[:] = number
            continue
        for hi, lo, _ in map(text_halves, claim.exporters):
            owner[(columns["exporter_hi"] == hi) & (columns["exporter_lo"] == lo)] = number
    for number in range(UNCLAIMED, len(claims)):
        mine = owner == number
        if mine.all():
            yield number, columns
        elif mine.any():
            yield number, picked(columns, mine)


def _count_unclaimed(columns: Columns, ledger: Ledger) -> None:
    for exporter, stored_bytes in bytes_by_exporter(columns):
        ledger.count("", f"unclaimed:{exporter}", stored_bytes)
        ledger.count_exporter("", exporter, "unclaimed", stored_bytes.size, exact_sum(stored_bytes))


def _plain_flows(columns: Columns, router: str, ledger: Ledger) -> Columns:
    """The records that are flows between two addresses with plausible counters."""
    records = OpenRecords(columns, router, ledger)
    records.settle("not_a_flow", columns["is_flow"] == 0)
    no_address = (columns["src_version"] == 0) | (columns["dst_version"] == 0)
    no_address |= columns["src_version"] != columns["dst_version"]
    for end in ("src", "dst"):
        # ::/64 holds no host's address: the unspecified one, loopback and outdated forms of IPv4 (RFC 4291)
        no_address |= (columns[f"{end}_hi"] == 0) & ((columns[f"{end}_lo"] == 0) | (columns[f"{end}_version"] == 6))
    records.settle("no_address", no_address)
    records.settle("absurd_counter", (columns["bytes"] > MAX_COUNTER) | (columns["packets"] > MAX_COUNTER))
    return records.left_columns()


def _count_kept(router: str, kept: Columns, ledger: Ledger) -> None:
    ledger.count(router, "kept", kept["bytes"])
    ledger.count(router, "noted:egress_counter", kept["bytes"][kept["egress_counter"] > 0])
    ledger.count(router, "noted:reverse_direction", kept["bytes"][kept["is_reverse"] == IS_REVERSE])
    for outcome, times in ((PERIOD_TIMES, OF_PERIOD), (ASSUMED_TIMES, OF_ASSUMPTION)):
        ledger.count(router, outcome, kept["bytes"][kept["times"] == times])
    unused = kept["unused_bytes"]
    ledger.count(router, "noted:out_bytes_not_used", unused[unused > 0])


def _lake_rows(kept: Columns, multiplier: Int64, factor: Int64, repaired: Bool) -> Columns:
    flags = np.where(kept["sampled"] != 0, schema.MULTIPLIED_BY_COLLECTOR, 0)
    flags |= np.where(multiplier > 1, schema.MULTIPLIED_HERE, 0)
    flags |= np.where(repaired, schema.TIME_REPAIRED, 0)
    flags |= np.where(kept["times"] == OF_ASSUMPTION, schema.TIME_ASSUMED, 0)
    rows = kept | {
        "ip_version": kept["src_version"],
        "bytes": kept["bytes"] * multiplier,
        "packets": kept["packets"] * multiplier,
        "sampling_factor": factor,
        "exporter_domain": kept["sysid"],
        "record_flags": flags,
    }
    return {name: rows[name].astype(kind, copy=False) for name, kind in _TYPES.items()}
