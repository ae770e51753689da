"""What is left of a doubted flow without the records that make it impossible.

Whoever guesses a true flow's addresses and ports can add records to it: so large that no port carries them, at another
port, or without packets. So a flow that is not believed as a whole is read again in parts: at each metering point, then
at each pair of interfaces, with and without packets apart, and then without its largest records, about half of the peak
at a time. It is believed as far as one of these readings is. A forger gains nothing by it: the same records could have
been sent alone.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from hntes.etl.detect.metering import Metered, metered_rows, without_repeats
from hntes.etl.detect.reading import Reader, Reading, Rows
from hntes.sql.entries import Doubt

# Two to divide a flow; then each halves what is claimed: 2^12 GB in a minute are half a terabit per second.
_MOST_ROUNDS = 14
# In memory at a time (some 200 MB): of a flood, the flows of few records.
_MOST_ROWS = 200_000

Readings = Mapping[str, Reading]
"""By a name of their own."""
Doubts = Mapping[str, Doubt]
Judge = Callable[[Readings], Doubts]


@dataclass(frozen=True)
class _Claim:
    """One reading of some records of a flow; `is_divided`: all of them have the same interfaces."""

    name: str
    reading: Reading
    records: Sequence[Metered]
    is_divided: bool


def believed_parts(
    reader: Reader, table: pa.Table, best: Readings, rows: Mapping[str, Sequence[Rows]], doubts: Doubts, judge: Judge
) -> dict[str, Reading]:
    """Readings of doubted flows that are believed instead of the whole, by flow id: the largest of each.

    `best` has the readings of all flows by flow id; `rows` where in the table the readings of each flow come from.
    `judge` says which readings are doubted, of those that it is given together.
    """
    chosen = _divisible(rows, doubts)
    standing = {name: reading for name, reading in best.items() if name not in chosen}
    claims = [claim for flow_id in chosen for claim in _wholes(reader, table, flow_id, rows[flow_id])]
    believed: dict[str, Reading] = {}
    for _ in range(_MOST_ROUNDS):
        if not claims:
            break
        standing |= {claim.name: claim.reading for claim in claims}
        doubted = judge(standing)
        for claim in claims:
            if claim.name not in doubted:
                _keep(believed, claim.reading)
        lesser = []
        for claim in claims:
            if claim.reading.flow_id not in believed and (parts := list(_lesser(reader, claim))):
                del standing[claim.name]
                lesser += parts
        claims = lesser
    return believed


def _divisible(rows: Mapping[str, Sequence[Rows]], doubts: Doubts) -> set[str]:
    """The doubted flows of more than one record, as many as fit into memory."""
    sizes = sorted((sum(map(len, rows[flow_id])), flow_id) for flow_id in doubts)
    chosen, total = set[str](), 0
    for size, flow_id in sizes:
        total += size
        if total > _MOST_ROWS:
            break
        if size > 1:
            chosen.add(flow_id)
    return chosen


def _keep(believed: dict[str, Reading], reading: Reading) -> None:
    former = believed.get(reading.flow_id)
    if former is None or reading.observation.peak_bytes > former.observation.peak_bytes:
        believed[reading.flow_id] = reading


def _wholes(reader: Reader, table: pa.Table, flow_id: str, rows: Sequence[Rows]) -> Iterator[_Claim]:
    """What each metering point saw of the flow."""
    for number, each in enumerate(rows):
        records = list(metered_rows(table.slice(each.first, len(each))))
        yield from _claims(reader, f"{flow_id} at {number}", records, is_divided=False)


def _lesser(reader: Reader, claim: _Claim) -> Iterator[_Claim]:
    """Claims of fewer of its records; none if no fewer are an alpha flow."""
    if not claim.is_divided:
        alike: defaultdict[tuple[int, int, bool], list[Metered]] = defaultdict(list)
        for record in claim.records:
            alike[record.input_interface, record.output_interface, bool(record.packets)].append(record)
        if len(alike) > 1:
            for (enters, leaves, counts), records in alike.items():
                name = f"{claim.name} by {enters} {leaves} {counts}"
                yield from _claims(reader, name, records, is_divided=True)
            return
    by_size = sorted(without_repeats(claim.records), key=lambda record: record.bytes)
    kept = by_size[: _kept(claim.reading, by_size, reader.rule.threshold_bytes)]
    if len(kept) < len(by_size):
        yield from _claims(reader, claim.name, sorted(kept), is_divided=True)


def _claims(reader: Reader, name: str, records: Sequence[Metered], *, is_divided: bool) -> Iterator[_Claim]:
    """One, or none if these are no alpha flow."""
    reading = reader.reading(records)
    if reading is not None:
        named = replace(reading, peak=replace(reading.peak, flow_id=name), place=replace(reading.place, flow_id=name))
        yield _Claim(name, named, records, is_divided)


def _kept(reading: Reading, records: Sequence[Metered], threshold_bytes: int) -> int:
    """How many of these, in order, have half of the peak, or more if that is not above the threshold."""
    begin, end, half_bytes = reading.peak.start_ms, reading.peak.end_ms, reading.peak.bytes / 2
    sent_bytes = 0
    for number, record in enumerate(records):
        inside, whole = record.span.share(begin, end)
        added = record.bytes * inside // whole
        if sent_bytes > threshold_bytes and sent_bytes + added > half_bytes:
            return number
        sent_bytes += added
    return len(records)
