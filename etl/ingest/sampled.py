"""The sampling factors of each exporter's records, and the records with untrusted factors."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hntes.etl.addresses import exporter_address
from hntes.etl.ingest.columns import Columns
from hntes.etl.ingest.durations import port_time_ms, spread_warning
from hntes.etl.ingest.exporter_baseline import SAMPLING_LOWERED, ExporterBaseline
from hntes.etl.ingest.file_context import FileContext, GroupKey
from hntes.etl.ingest.ledger import OpenRecords
from hntes.etl.ingest.plausibility import (
    COARSE_GRANULARITY_MS,
    GRANULARITY_MS,
    has_oversized_packets,
    is_faster_than_port,
    may_be_faster,
    rates_bps,
)
from hntes.etl.ingest.router_exporters import MAX_COUNTER, Evidence, RouterExporters
from hntes.etl.ingest.sampling import Factor, resolve_factor
from hntes.etl.ingest.times import Bool, Int64
from hntes.etl.ingest.trust import Lowered, believed, doubt, is_doubtful, lowered
from hntes.etl.sources.decoded import PlainTimes
from hntes.etl.sources.source import Exporter

_KEY = ("exporter_hi", "exporter_lo", "sysid", "sampled")
_GROUPED_BY = ("sysid", "sampled", "exporter_hi", "exporter_lo")
# Numbers within such a span are looked up in a table, others searched.
_TABLE = 1 << 17


@dataclass
class _Group:
    """What is decided on the records of one exporter, domain and mark, and how many of them there were so far.

    factors: those that are believed, None where any is. lower: by what they are divided, if they are.
    """

    address: str
    exporter: Exporter | None
    named: Factor
    warning: str | None
    is_unnamed: bool
    factors: frozenset[int] | None
    lower: Lowered | None = None
    lowered: int = 0
    doubted: int = 0
    kept: int = 0
    spread: int = 0
    spread_bytes: int = 0

    @property
    def decided(self) -> Factor:
        """How their counters become estimates."""
        return self.lower.factor if self.lower else self.named


@dataclass(frozen=True)
class Judged:
    """Of each record of a block: the multiplier and the factor, and whether it was given a duration."""

    multiplier: Int64
    factor: Int64
    spread: Bool


@dataclass
class Sampling:
    """The factors of one reading of a file, and what they were taken from."""

    claims: Sequence[RouterExporters]
    baseline: ExporterBaseline
    marks_are_lost: bool
    whole: FileContext
    _groups: dict[GroupKey, _Group] = field(default_factory=dict)
    # those that were decided by the exporters as they are known now, after so many changes
    _settled: dict[GroupKey, _Group] = field(default_factory=dict)
    _changes: int = 0

    def judge(self, number: int, records: OpenRecords) -> Judged:
        """The factors of the records of a claim; counts those multiplied here, sets aside what cannot be."""
        keys, code = _grouped(records.columns, number)
        groups = self._groups_of(keys)
        for place, (key, group) in enumerate(zip(keys, groups, strict=True)):
            if group.factors is not None:
                self._believe(key, group, np.flatnonzero(code == place), records)
        decided = [group.decided for group in groups]
        multiplier = np.array([each.multiply for each in decided])[code]
        factor = np.array([each.factor for each in decided])[code]
        if multiplier.max() > 1:
            largest = np.maximum(records.columns["bytes"], records.columns["packets"])
            records.settle("absurd_counter", largest > MAX_COUNTER // multiplier)
        record_bytes, packets = (records.columns[name] * multiplier for name in ("bytes", "packets"))
        oversized = has_oversized_packets(record_bytes, packets)
        faster = spread = np.zeros(code.shape, dtype=np.bool_)
        if self.claims[number].ports.greatest_bps:
            port = _PortCheck(self.claims[number], self.whole, keys, code, record_bytes, packets)
            faster = port.faster(records, factor, ~oversized)
            spread = port.spread(records, faster)
        records.settle("oversized_packets", oversized)
        records.settle("faster_than_port", faster & ~spread)
        records.count("repaired:no_duration", spread)
        for place in np.unique(code[spread]).tolist():
            rows = spread & (code == place)
            groups[place].spread += int(rows.sum())
            groups[place].spread_bytes += int(record_bytes[rows].sum())
        self._count(groups, code, records)
        return Judged(multiplier, factor, spread)

    def plain_factor(self, key: GroupKey) -> Factor | None:
        """The factor of a group whose records need not be looked at for its sake; None where they must be."""
        (group,) = self._groups_of([key])
        named = group.named
        if named.source == "announced" or not named.factor:
            return None
        if group.factors is None or named.source == "assumed_unsampled":
            return named
        # of a rate that the file does not name packets must be multiples
        return None if group.is_unnamed or named.factor not in group.factors else named

    def count_plain(self, key: GroupKey, records: int) -> None:
        """Counts records of such a group that are kept without being looked at."""
        (group,) = self._groups_of([key])
        group.kept += records

    def see_times(self, key: GroupKey, times: PlainTimes) -> None:
        """Takes note of the times of records that are not looked at."""
        if self.claims[key[0]].ports.greatest_bps:
            self.whole.whole_seconds.see(key[1:3], not times.is_fine)
            self.whole.instants.see(key[1:3], not times.lasts)

    def evidence(self) -> tuple[list[Evidence], list[str]]:
        """The decision on each exporter's sampling, and warnings."""
        found, warnings = [], []
        for key, group in sorted(self._groups.items()):
            router, address = self.claims[key[0]].router, group.address
            if group.lower and group.factors:
                named = group.lower.named
                warnings.append(doubt(router, address, named, group.lowered, group.factors, group.decided))
                found.append(Evidence(address, named, "doubted", 0))
            elif group.doubted and group.factors is not None:
                named = 0 if group.is_unnamed else group.named.factor
                warnings.append(doubt(router, address, named, group.doubted, group.factors))
                found += [Evidence(address, named, "doubted", 0)] if named else []
            if group.kept:
                found.append(Evidence(address, group.decided.factor, group.decided.source, group.kept))
                warnings += [f"exporter {address}: {group.warning}"] if group.warning else []
            if group.spread:
                warnings.append(spread_warning(address, group.spread, group.spread_bytes))
        return found, warnings

    def _groups_of(self, keys: list[GroupKey]) -> list[_Group]:
        """The decisions on groups, cached until something new is known of the exporters."""
        if self._changes != self.whole.exporters.changes:
            self._changes = self.whole.exporters.changes
            self._settled = {}
        for key in keys:
            if key not in self._settled:
                self._settled[key] = self._group(key)
        return [self._settled[key] for key in keys]

    def _group(self, key: GroupKey) -> _Group:
        """What is decided on a group: the same in each block, unless the file is read again."""
        number, hi, lo, sysid, mark = key
        exporter = self.whole.exporters.use((sysid, hi, lo))
        group = self._groups.get(key)
        if group is None or (group.exporter is not exporter and group.exporter != exporter):
            claim, address, marked = self.claims[number], exporter_address(hi, lo), bool(mark)
            named, warning = resolve_factor(exporter, marked, claim.sampling.get(address), self.marks_are_lost)
            is_unnamed = marked and not (exporter and exporter.factor)
            factors = claim.believed_factors(address, self.baseline)
            group = self._groups[key] = _Group(address, exporter, named, warning, is_unnamed, factors)
        return group

    def _believe(self, key: GroupKey, group: _Group, rows: Int64, records: OpenRecords) -> None:
        """Lowers the records of a group to a factor that is believed, or sets aside those whose factor is not."""
        assert group.factors is not None  # noqa: S101 - only such groups come here
        columns, doubted = records.columns, self.baseline.doubted.get(group.address, frozenset())
        if is_doubtful(group.named, group.is_unnamed, group.factors, doubted):
            steps = (int(np.gcd.reduce(columns["bytes"][rows])), int(np.gcd.reduce(columns["packets"][rows])))
            self.whole.steps.see(key, steps)
            steps = self.whole.steps.use(key)
            group.lower = lowered(group.named, group.is_unnamed, steps, group.factors, doubted)
        if group.lower:
            group.lowered += rows.size
            _lower(records, rows, group.lower)
            return
        hit = ~believed(group.named, group.is_unnamed, columns["packets"][rows], group.factors)
        group.doubted += int(hit.sum())
        records.settle("sampling_changed", _mask(rows[hit], columns))

    def _count(self, groups: list[_Group], code: Int64, records: OpenRecords) -> None:
        for group, kept in zip(groups, np.bincount(records.left(code), minlength=len(groups)).tolist(), strict=True):
            group.kept += kept
        announced = np.array([group.decided.source == "announced" for group in groups])
        if announced.any():
            records.count("repaired:before_sampling_option", announced[code])


@dataclass(frozen=True)
class _PortCheck:
    """The records of a block against the ports of their router; bytes and packets as estimated."""

    claim: RouterExporters
    whole: FileContext
    keys: list[GroupKey]
    code: Int64
    record_bytes: Int64
    packets: Int64

    def faster(self, records: OpenRecords, factor: Int64, plausible: Bool) -> Bool:
        """The open records that are faster than their port, of those that are plausible otherwise."""
        self._see_whole_seconds(records)
        self._see_instants(records)
        self._see_packet_steps(records, factor)
        columns, fast = records.columns, np.zeros(self.code.shape, dtype=np.bool_)
        duration_ms = columns["last_ms"] - columns["first_ms"]
        may = may_be_faster(self.record_bytes, self.packets, duration_ms, self.claim.ports.least_bps)
        some = np.flatnonzero(records.still_open(may & plausible))
        for place in np.unique(self.code[some]).tolist():
            rows = some[self.code[some] == place]
            fast[rows] = self._faster(self.keys[place], columns, rows, int(factor[rows[0]]))
        return fast

    def _faster(self, key: GroupKey, columns: Columns, rows: Int64, factor: int) -> Bool:
        rates = self._rates_bps(columns, rows)
        duration_ms = columns["last_ms"][rows] - columns["first_ms"][rows]
        # an unannounced rate divides all packets that were multiplied by it
        factor = factor or max(self.whole.packet_step.use(key), 1)
        claimed = self.record_bytes[rows], self.packets[rows], duration_ms, factor, rates
        fast = is_faster_than_port(*claimed, GRANULARITY_MS)
        # a coarser clock only excuses, so where nothing is too fast it need not be known
        if fast.any() and self.whole.whole_seconds.use(key[1:3]):
            return is_faster_than_port(*claimed, COARSE_GRANULARITY_MS)
        return fast

    def _see_whole_seconds(self, records: OpenRecords) -> None:
        """How exact the times of an exporter are follows from all its records in the file."""
        known = self.whole.whole_seconds
        if all(known.found.get(key[1:3]) is False for key in self.keys):
            return
        is_fine = (records.columns["first_ms"] % 1000 != 0) | (records.columns["last_ms"] % 1000 != 0)
        fine = np.bincount(self.code, is_fine, len(self.keys)).tolist()
        for key, count in zip(self.keys, fine, strict=True):
            known.see(key[1:3], count == 0)

    def spread(self, records: OpenRecords, fast: Bool) -> Bool:
        """Gives those that are too fast a duration where their exporter gives none, if it fits into a file."""
        columns, spread = records.columns, np.zeros(self.code.shape, dtype=np.bool_)
        rows = np.flatnonzero(fast & (columns["first_ms"] == columns["last_ms"]))
        places = [place for place in np.unique(self.code[rows]).tolist() if self._is_instant(self.keys[place])]
        rows = rows[np.isin(self.code[rows], places)]
        if not rows.size:
            return spread
        needed_ms = port_time_ms(self.record_bytes[rows], self.packets[rows], self._rates_bps(columns, rows))
        fitting = needed_ms <= self.claim.rotation_s * 1000
        rows, needed_ms = rows[fitting], needed_ms[fitting]
        columns["first_ms"] = columns["first_ms"].copy()
        columns["first_ms"][rows] -= needed_ms
        spread[rows] = True
        return spread

    def _is_instant(self, key: GroupKey) -> bool:
        return self.whole.instants.use(key[1:3])

    def _rates_bps(self, columns: Columns, rows: Int64) -> Int64:
        ports = ("input_interface", "output_interface", "direction")
        return rates_bps(self.claim.ports, *(columns[name][rows] for name in ports))

    def _see_instants(self, records: OpenRecords) -> None:
        known = self.whole.instants
        if all(known.found.get(key[1:3]) is False for key in self.keys):
            return
        lasts = np.bincount(self.code, records.columns["first_ms"] != records.columns["last_ms"], len(self.keys))
        for key, count in zip(self.keys, lasts.tolist(), strict=True):
            known.see(key[1:3], count == 0)

    def _see_packet_steps(self, records: OpenRecords, factor: Int64) -> None:
        unknown = np.flatnonzero(records.still_open(factor == 0))
        for place in np.unique(self.code[unknown]).tolist():
            packets = self.packets[unknown[self.code[unknown] == place]]
            self.whole.packet_step.see(self.keys[place], int(np.gcd.reduce(packets)))


def _grouped(columns: Columns, number: int) -> tuple[list[GroupKey], Int64]:
    """The groups of a claim's records, and each record's place among them.

    A datagram's records have one exporter, so it is runs of them that are compared.
    """
    changes = np.zeros(columns["bytes"].size, dtype=np.bool_)
    changes[0] = True
    for name in _GROUPED_BY:
        changes[1:] |= columns[name][1:] != columns[name][:-1]
    begins = np.flatnonzero(changes)
    code, example = np.zeros(begins.size, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for name in _GROUPED_BY:
        values = columns[name][begins]
        # the collector's number mostly says all
        if (values != values[example][code]).any():
            numbers = _numbered(values)
            code = _numbered(code * (int(numbers.max()) + 1) + numbers)
            example = np.zeros(int(code.max()) + 1, dtype=np.int64)
            example[code] = np.arange(code.size)
    keys = zip(*(columns[name][begins[example]].tolist() for name in _KEY), strict=True)
    return [(number, *key) for key in keys], np.repeat(code, np.diff(begins, append=changes.size))


def _numbered(values: Int64) -> Int64:
    """The place of each value among the different ones, in their order."""
    least, most = int(values.min()), int(values.max())
    if most - least < _TABLE:
        is_there = np.zeros(most - least + 1, dtype=np.bool_)
        is_there[values - least] = True
        places: Int64 = (np.cumsum(is_there) - 1)[values - least]
        return places
    return np.searchsorted(np.unique(values), values)


def _lower(records: OpenRecords, rows: Int64, lower: Lowered) -> None:
    """Takes back what the collector multiplied these rows by."""
    columns = records.columns
    records.count(SAMPLING_LOWERED, _mask(rows, columns))
    if lower.divide_by > 1:
        columns |= {name: columns[name].copy() for name in ("bytes", "packets", "sampled")}
        columns["bytes"][rows] //= lower.divide_by
        columns["packets"][rows] //= lower.divide_by
        columns["sampled"][rows] = 0


def _mask(rows: Int64, columns: Columns) -> Bool:
    full = np.zeros(columns["bytes"].shape, dtype=np.bool_)
    full[rows] = True
    return full
