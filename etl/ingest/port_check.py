"""The records of a block against the ports of their router: those that are too fast, or have no duration."""

from dataclasses import dataclass

import numpy as np

from hntes.etl.ingest.columns import Columns
from hntes.etl.ingest.durations import port_time_ms
from hntes.etl.ingest.file_context import FileContext, GroupKey, Halves, Knowledge
from hntes.etl.ingest.ledger import OpenRecords
from hntes.etl.ingest.plausibility import (
    COARSE_GRANULARITY_MS,
    GRANULARITY_MS,
    counted_packets,
    is_faster_than_port,
    may_be_faster,
    rates_bps,
)
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.ingest.times import Bool, Int64


@dataclass(frozen=True)
class PortCheck:
    """The records of a block against the ports of their router; bytes and packets as estimated.

    `shift_ms` is by how much the times of each were moved.
    """

    claim: RouterExporters
    whole: FileContext
    keys: list[GroupKey]
    code: Int64
    record_bytes: Int64
    packets: Int64
    shift_ms: Int64

    def faster(self, records: OpenRecords, factor: Int64, plausible: Bool) -> Bool:
        """The open records that are faster than their port, of those that are plausible otherwise."""
        self._see_whole_seconds(records)
        self._see_instants(records, factor)
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
        """How exact the times of an exporter are follows from all its records in the file, as it says them."""
        times = (records.columns[name] - self.shift_ms for name in ("first_ms", "last_ms"))
        is_whole = np.logical_and(*(values % 1000 == 0 for values in times))
        self._see(self.whole.whole_seconds, is_whole, ~is_whole)

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

    def _see_instants(self, records: OpenRecords, factor: Int64) -> None:
        """A single sampled packet has no duration, whoever exports it; where the factor is unknown any may be one."""
        lasts = records.columns["first_ms"] != records.columns["last_ms"]
        has_several = (factor > 0) & (counted_packets(self.record_bytes, self.packets) > factor)
        self._see(self.whole.instants, has_several & ~lasts, lasts)

    def _see(self, known: Knowledge[Halves, tuple[int, int], bool], one: Bool, other: Bool) -> None:
        """Counts the records of the one kind and of the other, by exporter."""
        counts = (np.bincount(self.code[rows], minlength=len(self.keys)).tolist() for rows in (one, other))
        for key, number, others in zip(self.keys, *counts, strict=True):
            known.see(key[1:3], (number, others))

    def _see_packet_steps(self, records: OpenRecords, factor: Int64) -> None:
        unknown = np.flatnonzero(records.still_open(factor == 0))
        for place in np.unique(self.code[unknown]).tolist():
            packets = self.packets[unknown[self.code[unknown] == place]]
            self.whole.packet_step.see(self.keys[place], int(np.gcd.reduce(packets)))
