"""Octets by interface and direction: SQL against its definition, a record at a time."""

from collections import defaultdict
from math import isclose

from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.counters.port_octets import SLOT_MS, PortOctets, port_octets
from hntes.etl.engines.duck import DuckEngine
from tests.property.test_detection_properties import BEGIN, END, lake_of
from tests.property.test_load_properties import minutes_around
from tests.support.alpha_definition import Record, shares
from tests.support.examples import examples

ENGINE = DuckEngine(threads=2)
FRAMING = 18
Placed = list[tuple[int, int, float]]
"""First and last slot of each record, and its layer-2 octets."""


def defined(records: list[Record], *, sum_exporters: bool) -> dict[tuple[int, str], tuple[float, Placed]]:
    """At the exporter (all are one if they are added) and direction with most groups of records; of equals most octets.

    A group is of the same slots and sampling factor; those that the interface itself metered count double.
    """
    points: defaultdict[tuple[int, str, int, tuple[int, int]], Placed] = defaultdict(list)
    groups: defaultdict[tuple[int, str, int, tuple[int, int]], set[tuple[int, int, int]]] = defaultdict(set)
    for record, share in zip(records, shares(records), strict=True):
        if share.last_ms < BEGIN or share.start_ms >= END:
            continue
        first, last = share.start_ms // SLOT_MS, max(share.last_ms - 1, share.start_ms) // SLOT_MS
        exporter = (0, 0) if sum_exporters else (record["exporter_hi"], record["exporter_lo"])
        for side, name in (("in", "input_interface"), ("out", "output_interface")):
            key = (record[name], side, record["direction"], exporter)
            points[key].append((first, last, record["bytes"] + FRAMING * record["packets"]))
            groups[key].add((first, last, record["sampling_factor"]))
    best: dict[tuple[int, str], tuple[int, float]] = {}
    found: dict[tuple[int, str], tuple[float, Placed]] = {}
    for key, placed in sorted(points.items()):
        total = sum(octets for _, _, octets in placed)
        own = 2 if (key[1] == "out") == (key[2] == 1) else 1
        if key[:2] not in best or (own * len(groups[key]), total) > best[key[:2]]:
            best[key[:2]] = own * len(groups[key]), total
            found[key[:2]] = total, placed
    return found


def within(placed: Placed, from_ms: int, to_ms: int) -> float:
    total = 0.0
    for first, last, octets in placed:
        begin, end = first * SLOT_MS, (last + 1) * SLOT_MS
        total += octets * max(min(end, to_ms) - max(begin, from_ms), 0) / (end - begin)
    return total


def alike(found: float, expected: float) -> bool:
    return isclose(found, expected, rel_tol=1e-9, abs_tol=1e-3)


@examples(0.3)
@given(
    st.sampled_from([BEGIN, BEGIN + 43_200_000, END]).flatmap(minutes_around), st.booleans(),
    st.integers(-400_000, 400_000), st.integers(1, 900_000),
)  # fmt: skip
def test_octets_are_their_definition(records: list[Record], sum_exporters: bool, offset_ms: int, span_ms: int) -> None:
    expected = defined(records, sum_exporters=sum_exporters)
    with lake_of(records) as (lake, names):
        found = port_octets(ENGINE, lake, names, (BEGIN, END), FRAMING, sum_exporters=sum_exporters)
    assert found.keys() == expected.keys()
    for port, octets in found.items():
        total, placed = expected[port]
        assert alike(float(octets.octets.sum()), total)
        check(octets, placed, BEGIN + offset_ms, BEGIN + offset_ms + span_ms)


def check(octets: PortOctets, placed: Placed, from_ms: int, to_ms: int) -> None:
    assert alike(octets.within(from_ms, to_ms).octets, within(placed, from_ms, to_ms))
    touching = sum(o for first, last, o in placed if (last + 1) * SLOT_MS > from_ms and first * SLOT_MS < to_ms)
    assert alike(octets.touching(from_ms, to_ms).octets, touching)
    minute = from_ms // 60_000 * 60_000
    minutes = [within(placed, at, at + 60_000) for at in range(minute, minute + 600_000, 60_000)]
    assert all(map(alike, octets.by_minute(minute, 10).tolist(), minutes))
