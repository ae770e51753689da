"""What is left of a doubted flow without the records that make it impossible.

Whoever guesses a true flow's addresses and ports can add records to it: so large that no port carries them, at another
port, at another time, or without packets. So a flow that is not believed as a whole is read again in parts: at each
metering point, then at each pair of interfaces, with and without packets apart, then with the starts that were reported
where these were moved (rule start_never_moves), at each time at which it is above the threshold, and without its
largest records, about half of the peak at a time. It is believed as far as the largest of these readings is. A forger
gains nothing by it: the same records could have been sent alone.
"""

from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice

import numpy as np
import pyarrow as pa

from hntes.etl.detect.claim_parts import Claim, Divider
from hntes.etl.detect.metering import Metered, metered_rows
from hntes.etl.detect.reading import Reader, Reading, Rows
from hntes.sql.entries import Doubt

# Four to divide a flow, what lies between its times too; then each halves what is claimed: 2^12 GB in a minute are half
# a terabit per second.
_MOST_ROUNDS = 16
# Some seconds: of a flood, the flows of few records.
_MOST_ROWS = 50_000
# Claims of one flow at one port and time are judged one beside the other; the smallest of more than these together.
_MOST_ALTERNATIVES = 4

Readings = Mapping[str, Reading]
"""By a name of their own."""
Doubts = Mapping[str, Doubt]
Judge = Callable[[Readings], Doubts]


def believed_parts(
    reader: Reader, table: pa.Table, best: Readings, rows: Mapping[str, Sequence[Rows]], doubts: Doubts, judge: Judge
) -> dict[str, Reading]:
    """Readings of doubted flows that are believed instead of the whole, by flow id: the largest of each.

    `best` has the readings of all flows by flow id; `rows` where in the table the readings of each flow come from.
    `judge` says which readings are doubted, of those that it is given together.
    """
    divider, believed = Divider(reader), defaultdict[str, list[Claim]](list)
    claims = list(_wholes(table, best, {flow_id: rows[flow_id] for flow_id in _divisible(rows, doubts)}))
    standing = {claim.name: claim for claim in claims}
    others = {flow_id: reading for flow_id, reading in best.items() if flow_id not in standing}
    for _ in range(_MOST_ROUNDS):
        lesser = []
        for claim in claims:
            if claim.peak_bytes > max(map(_peak_bytes, believed[claim.flow_id]), default=0) and (
                parts := divider.lesser(claim)
            ):
                del standing[claim.name]
                lesser += parts
        if not lesser:
            break
        standing |= {claim.name: claim for claim in lesser}
        doubted = _doubted(judge, others, standing.values())
        claims = [claim for claim in lesser if claim.name in doubted]
        for claim in lesser:
            if claim.name not in doubted:
                believed[claim.flow_id].append(claim)
    largest = {flow_id: max(of_flow, key=_peak_bytes) for flow_id, of_flow in believed.items() if of_flow}
    whole = [joined for claim in largest.values() if (joined := divider.joined(claim, believed[claim.flow_id]))]
    if whole:
        flows = {claim.flow_id for claim in whole}
        beside = [claim for claim in standing.values() if claim.flow_id not in flows]
        doubted = _doubted(judge, others, [*beside, *whole])
        largest |= {claim.flow_id: claim for claim in whole if claim.name not in doubted}
    return {flow_id: claim.reading for flow_id, claim in largest.items()}


def _peak_bytes(claim: Claim) -> int:
    return claim.peak_bytes


def _doubted(judge: Judge, others: Readings, claims: Iterable[Claim]) -> set[str]:
    """The names of the doubted claims. Those of one flow that exclude each other are judged one after the other.

    Each together with all other flows, of which the largest claims stand.
    """
    layers = _layers(claims)
    found: set[str] = set()
    for layer in layers:
        flows = {claim.flow_id for claim in layer}
        together = [*layer, *(claim for claim in layers[0] if claim.flow_id not in flows)]
        doubts = judge({**others, **{claim.name: claim.reading for claim in together}})
        found |= {claim.name for claim in layer if claim.name in doubts}
    return found


def _layers(claims: Iterable[Claim]) -> list[list[Claim]]:
    """The claims, the largest first, so that none in a layer is of the same flow, port and time as another.

    The last of _MOST_ALTERNATIVES takes all that are left.
    """
    layers: list[list[Claim]] = []
    taken: list[defaultdict[tuple[str, int], list[tuple[int, int]]]] = []
    for claim in sorted(claims, key=lambda claim: (-claim.peak_bytes, claim.name)):
        place, span = (claim.flow_id, claim.reading.peak.port_index), claim.reading.peak.span_ms
        number = next((n for n, spans in enumerate(taken) if _is_free(spans[place], span)), len(layers))
        if number == len(layers) < _MOST_ALTERNATIVES:
            layers.append([])
            taken.append(defaultdict(list))
        number = min(number, len(layers) - 1)
        layers[number].append(claim)
        spans = taken[number][place]
        spans.insert(bisect(spans, span), span)
    return layers


def _is_free(spans: Sequence[tuple[int, int]], span: tuple[int, int]) -> bool:
    """Whether it overlaps none of these, which rise and do not overlap."""
    place = bisect(spans, span)
    return all(other[1] <= span[0] or span[1] <= other[0] for other in spans[max(place - 1, 0) : place + 1])


def _divisible(rows: Mapping[str, Sequence[Rows]], doubts: Doubts) -> list[str]:
    """The doubted flows of more than one record, of at most _MOST_ROWS: those of few first."""
    sizes = sorted((sum(map(len, rows[flow_id])), flow_id) for flow_id in doubts)
    several = [(size, flow_id) for size, flow_id in sizes if size > 1]
    totals = accumulate(size for size, _ in several)
    return [flow_id for (_, flow_id), total in zip(several, totals, strict=True) if total <= _MOST_ROWS]


def _wholes(table: pa.Table, best: Readings, rows: Mapping[str, Sequence[Rows]]) -> Iterator[Claim]:
    """The flows as they were judged, with their records."""
    places = sorted((each.first, each.past, flow_id) for flow_id, several in rows.items() for each in several)
    chosen = np.concatenate([np.arange(first, past) for first, past, _ in places] or [np.zeros(0, np.int64)])
    records = metered_rows(table.take(pa.array(chosen)))
    found: defaultdict[str, list[Metered]] = defaultdict(list)
    for first, past, flow_id in places:
        found[flow_id] += islice(records, past - first)
    for flow_id, of_flow in found.items():
        yield Claim(flow_id, best[flow_id], of_flow)
