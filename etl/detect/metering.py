"""Traffic that was metered twice counts once: which of a flow's records are added up.

A metering point is one exporter and direction, and there the interface by which a 5-tuple came in (or went out, metered
at egress): docs/decisions/0014-metering-points.md.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import pyarrow as pa

from hntes.etl.detect.window import Span


class Metered(NamedTuple):
    """A row of sql/queries/alpha_candidates.sql or alpha_reports.sql, in the order of their columns."""

    ip_version: int
    src_hi: int
    src_lo: int
    dst_hi: int
    dst_lo: int
    key_src_port: int
    key_dst_port: int
    key_protocol: int
    key_exporter_hi: int
    key_exporter_lo: int
    direction: int
    exporter_hi: int
    exporter_lo: int
    src_port: int
    dst_port: int
    protocol: int
    exporter_domain: int
    input_interface: int
    output_interface: int
    first_ms: int
    start_ms: int
    last_ms: int
    bytes: int
    packets: int
    sampling_factor: int
    record_flags: int
    start_moved: int
    tos: int

    @property
    def key(self) -> tuple[int, ...]:
        """The flow, the exporter if each is a point of its own, and the direction: what one reading is about."""
        return self[:11]

    @property
    def stream(self) -> tuple[int, ...]:
        """Exporter and 5-tuple (the hosts are the flow's)."""
        return self[11:16]

    @property
    def interface(self) -> int:
        """The interface whose meter saw it."""
        return self.output_interface if self.direction == 1 else self.input_interface

    @property
    def span(self) -> Span:
        return Span(self.start_ms, self.last_ms, self.bytes, self.packets, self.sampling_factor)


def metered_rows(table: pa.Table) -> Iterator[Metered]:
    """Row by row: as Python's objects all of them would take some ten times the table's memory."""
    for batch in table.to_batches(max_chunksize=10_000):
        columns: list[list[Any]] = [batch.column(name).to_pylist() for name in Metered._fields]
        yield from map(Metered._make, zip(*columns, strict=True))


def without_repeats(records: Sequence[Metered]) -> list[Metered]:
    """The records of one reading without those that were exported or collected again.

    Two of one exporter and 5-tuple with equal times and counters are one record met twice: a cache has one entry per
    flow. Where first and last packet are the same moment this does not hold, since exporters that send each sampled
    packet at once repeat themselves; of these, as many count as one meter (domain and interfaces) has.
    """
    alike: defaultdict[tuple[int, ...], list[Metered]] = defaultdict(list)
    for record in records:
        alike[(*record.stream, record.first_ms, record.last_ms, record.bytes, record.packets)].append(record)
    if len(alike) == len(records):
        return list(records)
    kept = []
    for copies in alike.values():
        # a copy whose start was moved knows of an earlier record that the others lack
        copies.sort(key=lambda record: (-record.start_ms, record))
        kept += copies[:1] if copies[0].last_ms > copies[0].first_ms else _most_of_one_meter(copies)
    return sorted(kept)


def at_one_interface(records: Sequence[Metered], peak_of: Callable[[Sequence[Metered]], Fraction]) -> list[Metered]:
    """The records of one reading, each 5-tuple at the one interface where its fullest window holds most.

    The lowest interface number of equals.
    """
    streams: defaultdict[tuple[int, ...], defaultdict[int, list[Metered]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        streams[record.stream][record.interface].append(record)
    if all(len(interfaces) == 1 for interfaces in streams.values()):
        return list(records)
    kept: list[Metered] = []
    for interfaces in streams.values():
        best = min(interfaces, key=lambda number: (-peak_of(interfaces[number]), number))
        kept += interfaces[best]
    return sorted(kept)


def _most_of_one_meter(copies: Iterable[Metered]) -> list[Metered]:
    meters: defaultdict[tuple[int, int, int], list[Metered]] = defaultdict(list)
    for record in copies:
        meters[record.exporter_domain, record.input_interface, record.output_interface].append(record)
    return max(meters.values(), key=len)
