"""What is left of a doubted flow without the records that make it impossible.

Whoever guesses a true flow's addresses and ports can add records to it: so large that no port carries them, at another
port, or without packets. So a flow that is not believed as a whole is read again in parts: at each metering point, then
at each pair of interfaces, with and without packets apart, then with the starts that were reported where these were
moved (rule start_never_moves), and without its largest records, about half of the peak at a time. It is believed as far
as one of these readings is. A forger gains nothing by it: the same records could have been sent alone.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice

import numpy as np
import pyarrow as pa

from hntes.etl.detect.metering import Metered, metered_rows, without_repeats
from hntes.etl.detect.reading import Reader, Reading, Rows
from hntes.sql.entries import Doubt

# Two to divide a flow; then each halves what is claimed: 2^12 GB in a minute are half a terabit per second.
_MOST_ROUNDS = 14
# Some seconds: of a flood, the flows of few records.
_MOST_ROWS = 50_000

Readings = Mapping[str, Reading]
"""By a name of their own."""
Doubts = Mapping[str, Doubt]
Judge = Callable[[Readings], Doubts]


def _way(record: Metered) -> tuple[int, ...]:
    return record.input_interface, record.output_interface, bool(record.packets)


# By metering point; by interfaces, those without packets apart.
_PARTS: tuple[Callable[[Metered], tuple[int, ...]], ...] = (lambda record: record.key, _way)


@dataclass(frozen=True)
class _Claim:
    """One reading of some records of a flow, which are alike in the first `divisions` of _PARTS."""

    name: str
    reading: Reading
    records: Sequence[Metered]
    divisions: int


def believed_parts(
    reader: Reader, table: pa.Table, best: Readings, rows: Mapping[str, Sequence[Rows]], doubts: Doubts, judge: Judge
) -> dict[str, Reading]:
    """Readings of doubted flows that are believed instead of the whole, by flow id: the largest of each.

    `best` has the readings of all flows by flow id; `rows` where in the table the readings of each flow come from.
    `judge` says which readings are doubted, of those that it is given together.
    """
    standing, believed = dict(best), dict[str, Reading]()
    claims = list(_wholes(table, best, {flow_id: rows[flow_id] for flow_id in _divisible(rows, doubts)}))
    for _ in range(_MOST_ROUNDS):
        lesser = []
        for claim in claims:
            if claim.reading.flow_id not in believed and (parts := list(_lesser(reader, claim))):
                standing.pop(claim.name, None)
                lesser += parts
        if not lesser:
            break
        claims = lesser
        standing |= {claim.name: claim.reading for claim in claims}
        doubted = judge(standing)
        for claim in claims:
            if claim.name not in doubted:
                _keep(believed, claim.reading)
    return believed


def _divisible(rows: Mapping[str, Sequence[Rows]], doubts: Doubts) -> list[str]:
    """The doubted flows of more than one record, of at most _MOST_ROWS: those of few first."""
    sizes = sorted((sum(map(len, rows[flow_id])), flow_id) for flow_id in doubts)
    several = [(size, flow_id) for size, flow_id in sizes if size > 1]
    totals = accumulate(size for size, _ in several)
    return [flow_id for (_, flow_id), total in zip(several, totals, strict=True) if total <= _MOST_ROWS]


def _keep(believed: dict[str, Reading], reading: Reading) -> None:
    former = believed.get(reading.flow_id)
    if former is None or reading.observation.peak_bytes > former.observation.peak_bytes:
        believed[reading.flow_id] = reading


def _wholes(table: pa.Table, best: Readings, rows: Mapping[str, Sequence[Rows]]) -> Iterator[_Claim]:
    """The flows as they were judged, with their records."""
    places = sorted((each.first, each.past, flow_id) for flow_id, several in rows.items() for each in several)
    chosen = np.concatenate([np.arange(first, past) for first, past, _ in places] or [np.zeros(0, np.int64)])
    records = metered_rows(table.take(pa.array(chosen)))
    found: defaultdict[str, list[Metered]] = defaultdict(list)
    for first, past, flow_id in places:
        found[flow_id] += islice(records, past - first)
    for flow_id, of_flow in found.items():
        yield _Claim(flow_id, best[flow_id], of_flow, 0)


def _lesser(reader: Reader, claim: _Claim) -> Iterator[_Claim]:
    """Claims of fewer of its records; none if no fewer are an alpha flow."""
    for number, part_of in enumerate(_PARTS[claim.divisions :], claim.divisions + 1):
        alike: defaultdict[tuple[int, ...], list[Metered]] = defaultdict(list)
        for record in claim.records:
            alike[part_of(record)].append(record)
        if len(alike) > 1:
            for part, records in alike.items():
                yield from _claims(reader, f"{claim.name} {part}", records, number)
            return
    if any(record.start_moved for record in claim.records):
        reported = sorted(record._replace(start_ms=record.first_ms, start_moved=0) for record in claim.records)
        yield from _claims(reader, f"{claim.name} as reported", reported, len(_PARTS))
    by_size = sorted(without_repeats(claim.records), key=lambda record: record.bytes)
    kept = by_size[: _kept(claim.reading, by_size, reader.rule.threshold_bytes)]
    if len(kept) < len(by_size):
        yield from _claims(reader, claim.name, sorted(kept), len(_PARTS))


def _claims(reader: Reader, name: str, records: Sequence[Metered], divisions: int) -> Iterator[_Claim]:
    """One, or none if these are no alpha flow."""
    reading = reader.reading(records)
    if reading is not None:
        named = replace(reading, peak=replace(reading.peak, flow_id=name), place=replace(reading.place, flow_id=name))
        yield _Claim(name, named, records, divisions)


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
