"""Groups of records that can have plain ones, and the counts of these.

A source that decodes records itself (etl/sources/decoded.py) finds plain ones while it has a record in hand and makes
rows of them: no rule would change them, set them aside or note them. The rules see all others (etl/ingest/block.py).
"""

import math
from collections.abc import Sequence

from hntes.etl import schema
from hntes.etl.addresses import text_halves
from hntes.etl.ingest.exporter_clock import Lags
from hntes.etl.ingest.file_context import FileContext, GroupKey
from hntes.etl.ingest.ledger import Ledger
from hntes.etl.ingest.outcomes import CLOCK_SHIFTED, DAYS_OLD
from hntes.etl.ingest.plausibility import certain_bytes_per_ms
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.ingest.sampled import Sampling
from hntes.etl.ingest.times import Int64
from hntes.etl.sources.decoded import DecidedGroups, DecodedBlock, PlainGroup, PlainTimes, RecordGroup
from hntes.etl.sources.named_exporters import exporter_key


class PlainRecords:
    """The plain records of one reading of a file."""

    def __init__(self, claims: Sequence[RouterExporters], sampling: Sampling, whole: FileContext) -> None:
        self._claims, self._sampling, self._whole = claims, sampling, whole
        self._owners = [frozenset(_halves(exporter) for exporter in claim.exporters) for claim in claims]
        # by the group's number, as the exporters are known now, after so many changes
        self._decided: list[tuple[GroupKey, PlainGroup] | None] = []
        self._changes = 0
        self._groups: DecidedGroups | None = None

    def split(self, block: DecodedBlock, max_clock_ahead_ms: int) -> Int64:
        """The numbers of the block's records that are not plain; the plain ones are counted."""
        self._groups = groups = block.groups
        if self._changes != self._whole.exporter_changes:
            self._changes = self._whole.exporter_changes
            self._decided = []
        if (first := len(self._decided)) < len(groups.all):
            self._decided += map(self._decide, groups.all[first:])
            groups.decide(first, [one[1] if one else None for one in self._decided[first:]])
        times, others = block.split(max_clock_ahead_ms)
        for one in times:
            if decided := self._decided[one.group]:
                self._see_times(*decided, one)
        return others

    def _see_times(self, key: GroupKey, group: PlainGroup, times: PlainTimes) -> None:
        self._sampling.see_times(key, times)
        if group.by_collector:
            lag_key = (group.owner, group.exporter_hi, group.exporter_lo)
            self._whole.lags.see(lag_key, Lags(times.lags_ms))
            self._whole.lags.note(lag_key, group.shift_ms)

    def count(self, ledger: Ledger) -> None:
        """Counts the plain records of the whole file."""
        if self._groups is None:
            return
        for decided, counts in zip(self._decided, self._groups.counted, strict=True):
            if decided and counts.records:
                key, group = decided
                router = self._claims[group.owner].router
                ledger.count_sum(router, "kept", counts.records, counts.stored_bytes)
                if counts.old_records:
                    ledger.count_sum(router, DAYS_OLD, counts.old_records, counts.old_bytes)
                if group.shift_ms:
                    ledger.count_sum(router, CLOCK_SHIFTED, counts.records, counts.stored_bytes)
                self._sampling.count_plain(key, counts.records, counts.stored_bytes)

    def _decide(self, group: RecordGroup) -> tuple[GroupKey, PlainGroup] | None:
        exporter = self._exporter(group)
        owner = self._owner(exporter)
        if owner is None:
            return None
        key = (owner, *exporter, group.sysid, group.sampled)
        factor = self._sampling.plain_factor(key)
        if factor is None:
            return None
        ports = self._claims[owner].ports
        bytes_per_ms = certain_bytes_per_ms(ports.least_bps) if ports.greatest_bps else math.inf
        flags = schema.MULTIPLIED_BY_COLLECTOR if group.sampled else 0
        flags |= schema.MULTIPLIED_HERE if factor.multiply > 1 else 0
        by_collector = self._claims[owner].clock == "collector"
        shift_ms = self._whole.lags.expected((owner, *exporter), 0) if by_collector else 0
        flags |= schema.TIME_REPAIRED if shift_ms else 0
        return key, PlainGroup(
            owner, factor.multiply, factor.factor, flags, *exporter, bytes_per_ms, shift_ms, by_collector
        )

    def _exporter(self, group: RecordGroup) -> tuple[int, int]:
        """The halves of its exporter's address; where its records do not have it, of the one that the file names."""
        key = exporter_key(group)
        if group.exporter_version:
            return key[1:]
        exporter = self._whole.named_exporter(group.sysid)
        return _halves(exporter.address) if exporter else (0, 0)

    def _owner(self, exporter: tuple[int, int]) -> int | None:
        """The number of the claim whose records these are: as for columns (etl/ingest/block.py), the last that fits."""
        fitting = [number for number, exporters in enumerate(self._owners) if not exporters or exporter in exporters]
        return fitting[-1] if fitting else None


def _halves(address: str) -> tuple[int, int]:
    return text_halves(address)[:2]
