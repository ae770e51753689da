"""The sampling factors of each exporter's records, and the records with untrusted factors."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hntes.etl.addresses import exporter_address
from hntes.etl.ingest.columns import Columns
from hntes.etl.ingest.durations import spread_warning
from hntes.etl.ingest.exporter_baseline import SAMPLING_LOWERED, ExporterBaseline
from hntes.etl.ingest.file_context import FileContext, GroupKey
from hntes.etl.ingest.ledger import Ledger, OpenRecords, exact_sum
from hntes.etl.ingest.plausibility import has_oversized_packets
from hntes.etl.ingest.port_check import PortCheck
from hntes.etl.ingest.router_exporters import MAX_COUNTER, Evidence, RouterExporters
from hntes.etl.ingest.sampling import DOUBTFUL_SOURCES, Factor, Known, resolve_factor
from hntes.etl.ingest.times import Bool, Int64
from hntes.etl.ingest.trust import (
    Lowered,
    believed,
    doubt,
    is_doubtful,
    lowered,
    not_taken,
    unannounced,
    unused_sampler,
)
from hntes.etl.sources.decoded import PlainTimes
from hntes.etl.sources.source import Exporter

_KEY = ("exporter_hi", "exporter_lo", "sysid", "sampled")
_GROUPED_BY = ("sysid", "sampled", "exporter_hi", "exporter_lo")
NO_DURATION = "repaired:no_duration"
UNUSED_SAMPLER = "noted:unused_sampler"
# Numbers within such a span are looked up in a table, others searched.
_TABLE = 1 << 17


@dataclass
class _Group:
    """What is decided on the records of one exporter, domain and mark, and how many of them there were so far.

    factors: those that are believed, None where any is. lower: by what they are divided, if they are. The bytes are
    those stored, but for `spread_bytes`, which are estimates.
    """

    address: str
    exporter: Exporter | None
    known: Known
    named: Factor
    warning: str | None
    is_unnamed: bool
    factors: frozenset[int] | None
    lower: Lowered | None = None
    lowered: int = 0
    doubted: int = 0
    kept: int = 0
    kept_bytes: int = 0
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

    def judge(self, number: int, records: OpenRecords, shift_ms: Int64) -> Judged:
        """The factors of the records of a claim; counts those multiplied here, sets aside what cannot be.

        `shift_ms` is by how much the times of each were moved.
        """
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
            port = PortCheck(self.claims[number], self.whole, keys, code, record_bytes, packets, shift_ms)
            faster = port.faster(records, factor, ~oversized)
            spread = port.spread(records, faster)
        records.settle("oversized_packets", oversized)
        records.settle("faster_than_port", faster & ~spread)
        records.count(NO_DURATION, spread)
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

    def count_plain(self, key: GroupKey, records: int, stored_bytes: int) -> None:
        """Counts records of such a group that are kept without being looked at."""
        (group,) = self._groups_of([key])
        group.kept += records
        group.kept_bytes += stored_bytes

    def count_doubtful(self, ledger: Ledger) -> None:
        """Counts the kept records that were not seen as they were sent, by exporter, once the file was read."""
        for key, group in self._groups.items():
            router, source = self.claims[key[0]].router, group.decided.source
            if group.kept and source in DOUBTFUL_SOURCES:
                ledger.count_sum(router, f"noted:{source}_factor", group.kept, group.kept_bytes)
                ledger.count_exporter(router, group.address, f"noted:{source}_factor", group.kept, group.kept_bytes)
            if group.kept and self._unused_sampler(key, group):
                ledger.count_sum(router, UNUSED_SAMPLER, group.kept, group.kept_bytes)
                ledger.count_exporter(router, group.address, UNUSED_SAMPLER, group.kept, group.kept_bytes)
            if group.kept and group.lower:
                ledger.count_exporter(router, group.address, SAMPLING_LOWERED, group.kept, group.kept_bytes)
            if group.spread:
                stored_bytes = group.spread_bytes // group.decided.multiply
                ledger.count_exporter(router, group.address, NO_DURATION, group.spread, stored_bytes)

    def see_times(self, key: GroupKey, times: PlainTimes) -> None:
        """Takes note of the times of records that are not looked at."""
        if self.claims[key[0]].ports.greatest_bps:
            self.whole.whole_seconds.see(key[1:3], times.whole_seconds)
            self.whole.instants.see(key[1:3], times.instants)

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
                decided = group.decided
                found.append(Evidence(address, decided.factor, decided.source, group.kept, group.kept_bytes))
                warnings += [f"exporter {address}: {group.warning}"] if group.warning else []
                if decided.source in DOUBTFUL_SOURCES:
                    warnings.append(unannounced(router, address, decided, group.kept))
                if announced := self._unused_sampler(key, group):
                    warnings.append(unused_sampler(router, address, announced, group.kept))
            if group.spread:
                warnings.append(spread_warning(address, group.spread, group.spread_bytes))
        return found, warnings

    def _unused_sampler(self, key: GroupKey, group: _Group) -> int | None:
        """The factor of a sampler that the exporter announces and that no record of the file so far names.

        Where some records are multiplied the others are of ports without sampling.
        """
        exporter = group.exporter
        if group.decided.source != "assumed_unsampled" or exporter is None or exporter.general:
            return None
        is_used = any(
            other.kept for other_key, other in self._groups.items() if other_key[:4] == key[:4] and other_key[4]
        )
        return None if is_used or exporter.factor in (None, 1) else exporter.factor

    def _groups_of(self, keys: list[GroupKey]) -> list[_Group]:
        """The decisions on groups, cached until something new is known of the exporters."""
        if self._changes != self.whole.exporter_changes:
            self._changes = self.whole.exporter_changes
            self._settled = {}
        for key in keys:
            if key not in self._settled:
                self._settled[key] = self._group(key)
        return [self._settled[key] for key in keys]

    def _group(self, key: GroupKey) -> _Group:
        """What is decided on a group: the same in each block, unless the file is read again."""
        number, hi, lo, sysid, mark = key
        exporter = self.whole.exporters.use((sysid, hi, lo))
        claim, address, marked = self.claims[number], exporter_address(hi, lo), bool(mark)
        is_named = exporter is not None and bool(exporter.factor)
        other = None if marked or is_named else self.whole.other_domain((hi, lo))
        factors = claim.believed_factors(address, self.baseline)
        is_taken = other is not None and address not in self.baseline.mixed and (factors is None or other in factors)
        former = None if marked or is_named else self.baseline.lost_factor(address)
        known = Known(claim.sampling.get(address), other if is_taken else None, former)
        group = self._groups.get(key)
        if group is None or (group.exporter, group.known) != (exporter, known):
            named, warning = resolve_factor(exporter, marked, known, self.marks_are_lost)
            if other and named.source == "assumed_unsampled":
                warning = not_taken(claim.router, address, other)
            group = _Group(address, exporter, known, named, warning, marked and not is_named, factors)
            self._groups[key] = group
        return group

    def _believe(self, key: GroupKey, group: _Group, rows: Int64, records: OpenRecords) -> None:
        """Lowers the records of a group to a factor that is believed, or sets aside those whose factor is not."""
        assert group.factors is not None  # noqa: S101 - only such groups come here
        columns, doubted = records.columns, self.baseline.doubted.get(group.address, frozenset())
        if is_doubtful(group.named, group.is_unnamed, group.factors, doubted):
            steps = self._steps(key, group, rows, columns)
            group.lower = lowered(group.named, group.is_unnamed, steps, group.factors, doubted)
        if group.lower:
            fits = _are_multiples(columns, rows, group.lower.divide_by)
            records.settle("sampling_changed", _mask(rows[~fits], columns))
            group.lowered += int(fits.sum())
            _lower(records, rows[fits], group.lower)
            return
        hit = ~believed(group.named, group.is_unnamed, columns["packets"][rows], group.factors)
        group.doubted += int(hit.sum())
        records.settle("sampling_changed", _mask(rows[hit], columns))

    def _steps(self, key: GroupKey, group: _Group, rows: Int64, columns: Columns) -> tuple[int, int]:
        """What divides the counters of a group: of a factor that the file names, those of nearly all records."""
        if group.is_unnamed:
            steps = (int(np.gcd.reduce(columns["bytes"][rows])), int(np.gcd.reduce(columns["packets"][rows])))
            self.whole.steps.see(key, steps)
            return self.whole.steps.use(key)
        fits = _are_multiples(columns, rows, group.named.factor)
        self.whole.multiples.see(key, (int(fits.sum()), int((~fits).sum())))
        step = group.named.factor if self.whole.multiples.use(key) else 1
        return step, step

    def _count(self, groups: list[_Group], code: Int64, records: OpenRecords) -> None:
        left, stored_bytes = records.left(code), records.left(records.columns["bytes"])
        counts = np.bincount(left, minlength=len(groups)).tolist()
        for group, kept, kept_bytes in zip(groups, counts, _sums(left, stored_bytes, len(groups)), strict=True):
            group.kept += kept
            group.kept_bytes += kept_bytes
        announced = np.array([group.decided.source == "announced" for group in groups])
        if announced.any():
            records.count("repaired:before_sampling_option", announced[code])


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


def _sums(code: Int64, values: Int64, groups: int) -> list[int]:
    """The sums of values by group: floating-point numbers hold those of halves exactly."""
    if groups == 1:
        return [exact_sum(values)]
    upper, lower = (
        np.bincount(code, half, groups).astype(np.int64).tolist() for half in (values >> 26, values & 0x3FF_FFFF)
    )
    return [(high << 26) + low for high, low in zip(upper, lower, strict=True)]


def _are_multiples(columns: Columns, rows: Int64, factor: int) -> Bool:
    multiples: Bool = (columns["bytes"][rows] % factor == 0) & (columns["packets"][rows] % factor == 0)
    return multiples


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
