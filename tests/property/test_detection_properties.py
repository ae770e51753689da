"""Detection in SQL and the exact window together, against the definition tried out by brute force."""

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from ipaddress import ip_address
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from hntes.etl.detect.alpha import DetectionRule, alpha_flows, detect_day
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.lake.parts import write_table
from hntes.etl.schema import LAKE_SCHEMA
from hntes.sql.entries import ObservationEntry
from hntes.sql.queries import query_text
from tests.support.alpha_definition import Reading, Record, flow_id, readings
from tests.support.examples import examples

DAY = date(2026, 11, 20)
BEGIN, END = 1_795_132_800_000, 1_795_132_800_000 + 86_400_000  # 2026-11-20T00:00:00Z, and a day later
LONGEST_MS, MOST_BYTES = 2**31 - 1, 2**50
ENGINE = DuckEngine(threads=2)


def halves(text: str) -> tuple[int, int, int]:
    address = ip_address(text)
    hi, lo = divmod(int(address), 2**64)
    return address.version, (hi + 2**63) % 2**64 - 2**63, (lo + 2**63) % 2**64 - 2**63


# the upper bit of a half set, all bits set, IPv6 addresses whose lower half is an IPv4 address of the list
HOSTS = {
    4: [halves(text) for text in ("10.0.0.1", "255.255.255.255", "128.0.0.1")],
    6: [halves(text) for text in ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "8000::8000:0:0:1", "2001:db8::a00:1")],
}


def record(first_ms: int, duration_ms: int, byte_count: int, flow: tuple[int, ...], tos: int = 0) -> Record:
    """`tos` is -1 where the lake does not have it."""
    version, source, destination, port, protocol, exporter, direction, domain, interface = flow
    return {
        **dict.fromkeys(LAKE_SCHEMA.names, 0),
        "first_ms": first_ms,
        "last_ms": first_ms + duration_ms,
        "bytes": byte_count,
        "packets": 1 + byte_count // 1000,
        "ip_version": version,
        "src_hi": HOSTS[version][source][1],
        "src_lo": HOSTS[version][source][2],
        "dst_hi": HOSTS[version][destination][1],
        "dst_lo": HOSTS[version][destination][2],
        "src_port": port,
        "dst_port": 65_535,
        "protocol": protocol,
        "sampling_factor": 1,
        "exporter_lo": exporter,
        "exporter_domain": domain,
        "direction": direction,
        "input_interface": interface,
        "tos": tos,
    }


def flows() -> st.SearchStrategy[tuple[int, ...]]:
    # mostly one flow, or its records would hardly ever meet
    usual = st.sampled_from(
        [(4, 0, 1, 1000, 6, 1, 0, domain, interface) for domain in (1, 2) for interface in (1, 1, 2)]
    )
    some = st.tuples(
        st.sampled_from([4, 6]),
        st.integers(0, 2),
        st.integers(0, 2),
        st.sampled_from([1000, 65_535]),
        st.sampled_from([6, 17]),
        st.sampled_from([1, 2]),
        st.sampled_from([0, 1]),
        st.sampled_from([1, 2]),
        st.sampled_from([1, 2]),
    )
    return st.one_of(usual, usual, some)


# mostly of one kind: codepoints of ECN with and without a DSCP, or not known
octets_of_tos = st.one_of(st.just(0), st.sampled_from([0, 1, 2, 3, 184, 186, 255, -1]))


def short_records(around_ms: int) -> st.SearchStrategy[list[Record]]:
    """Records of up to 90 ms around a moment; every second starts in one of four milliseconds, so that starts meet."""
    start = st.one_of(st.sampled_from([-40, -1, 0, 7]), st.integers(-120, 120)).map(lambda ms: around_ms + ms)
    one = st.builds(
        record, start, st.one_of(st.just(0), st.integers(1, 90)), st.integers(0, 3000), flows(), octets_of_tos
    )
    return with_copies(st.lists(one, min_size=1, max_size=8))


def with_copies(lists: st.SearchStrategy[list[Record]]) -> st.SearchStrategy[list[Record]]:
    """Some of them once more: collected twice, or met again by another domain, interface, way or exporter."""
    other = st.sampled_from(
        [{}, {"exporter_domain": 2}, {"input_interface": 2}, {"direction": 1}, {"exporter_lo": 2}, {"tos": 2}]
    )
    return st.tuples(lists, st.lists(st.tuples(st.integers(0, 7), other), max_size=3)).map(
        lambda drawn: drawn[0] + [{**drawn[0][place % len(drawn[0])], **change} for place, change in drawn[1]]
    )


def long_records() -> st.SearchStrategy[list[Record]]:
    """Records of up to 24 days and 2^50 bytes around a day."""
    start = st.integers(BEGIN - LONGEST_MS, END + 10**7)
    duration = st.one_of(st.just(0), st.just(LONGEST_MS), st.integers(1, 10**6), st.integers(1, LONGEST_MS))
    byte_count = st.one_of(st.just(0), st.just(MOST_BYTES), st.integers(0, 10**10), st.integers(0, MOST_BYTES))
    return with_copies(
        st.lists(st.builds(record, start, duration, byte_count, flows(), octets_of_tos), min_size=1, max_size=5)
    )


@contextmanager
def lake_of(*parts: list[Record]) -> Iterator[tuple[Path, list[str]]]:
    with tempfile.TemporaryDirectory() as folder:
        names: list[str] = []
        for old, part in [(old, part) for old in (False, True) for part in parts]:
            if records := [one for one in part if (one["tos"] < 0) == old]:
                names.append(f"flows/router=r1/day=2026-11-20/{len(names)}.parquet")
                columns = [field for field in LAKE_SCHEMA if field.name != "tos" or not old]
                write_table(Path(folder) / names[-1], pa.Table.from_pylist(records, pa.schema(columns)))
        yield Path(folder), names


def detected(rule: DetectionRule, *parts: list[Record]) -> list[ObservationEntry]:
    with lake_of(*parts) as (lake, names):
        return detect_day(ENGINE, lake, names, "r1", DAY, rule)


def check_equal(rule: DetectionRule, found: list[ObservationEntry], expected: dict[str, list[Reading]]) -> None:
    alpha = {flow: all_ for flow, all_ in expected.items() if max(r.peak for r in all_) > rule.threshold_bytes}
    assert [one.flow_id for one in found] == sorted(alpha)
    for one in found:
        most = max(int(reading.peak) for reading in alpha[one.flow_id])
        assert one.peak_bytes == most
        fitting = [reading for reading in alpha[one.flow_id] if int(reading.peak) == most]
        seen = (one.direction, one.flow_bytes, one.records, one.repaired_records, one.first_ms, one.last_ms)
        assert (*seen, one.ecn_records) in [
            (r.direction, r.flow_bytes, r.records, r.moved_records, r.first_ms, r.last_ms, r.ecn_records)
            for r in fitting
        ]
        assert one.burst_bytes >= one.peak_bytes
        assert (one.peak_sd_bytes, one.borderline) == (0, False)


def threshold_near_a_peak(data: st.DataObject, expected: dict[str, list[Reading]]) -> int:
    """A peak itself, a byte less or more, or anything: what is hit exactly is no alpha flow, a byte more is one."""
    peaks = sorted({int(reading.peak) for all_ in expected.values() for reading in all_}) or [1]
    near = st.builds(lambda peak, off: max(peak + off, 1), st.sampled_from(peaks), st.sampled_from([-1, 0, 1]))
    return data.draw(st.one_of(near, near, st.integers(1, 10_000)), label="threshold")


keys = st.sampled_from(["five_tuple", "host_pair"])
windows = st.sampled_from([1000, 60_000, 3_600_000])


@pytest.mark.slow
@examples(0.4)
@given(
    st.sampled_from([BEGIN, END]).flatmap(short_records), keys, st.sampled_from([1, 20, 60]), st.booleans(), st.data()
)
def test_detection_is_the_definition_tried_in_every_millisecond(
    records: list[Record], flow_key: str, window_ms: int, disjoint: bool, data: st.DataObject
) -> None:
    expected = readings(records, BEGIN, END, window_ms, flow_key, True, disjoint)
    rule = DetectionRule(threshold_near_a_peak(data, expected), window_ms, "window", flow_key, disjoint)
    found = detected(rule, records)
    event(f"alpha flows: {min(len(found), 2)}")
    check_equal(rule, found, expected)


@pytest.mark.slow
@examples(0.25)
@given(long_records(), keys, windows, st.booleans(), st.data())
def test_detection_is_the_definition_for_long_records_and_large_counters(
    records: list[Record], flow_key: str, window_ms: int, disjoint: bool, data: st.DataObject
) -> None:
    expected = readings(records, BEGIN, END, window_ms, flow_key, False, disjoint)
    rule = DetectionRule(threshold_near_a_peak(data, expected), window_ms, "window", flow_key, disjoint)
    found = detected(rule, records)
    event(f"alpha flows: {min(len(found), 2)}")
    check_equal(rule, found, expected)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2)])
def test_of_copies_by_two_interfaces_that_of_the_lowest_remains(order: tuple[int, ...]) -> None:
    flow = (4, 0, 1, 1000, 6, 1, 0, 1)
    long = [record(BEGIN - LONGEST_MS + 1, LONGEST_MS, 597, (*flow, interface)) for interface in (2, 1)]
    burst = record(BEGIN - 60_000, 0, 10**9, (*flow, 1))
    records = [(*long, burst)[place] for place in order]
    expected = readings(records, BEGIN, END, 3_600_000, "five_tuple", False)
    # the window that ends a millisecond after midnight holds the burst, if the long record is the burst's
    assert [int(reading.peak) for reading in next(iter(expected.values()))] == [10**9 + 1]
    rule = DetectionRule(1, 3_600_000)
    check_equal(rule, detected(rule, records), expected)


@examples(0.2)
@given(short_records(BEGIN), keys, st.integers(1, 4000), st.randoms(use_true_random=False))
def test_order_and_partition_of_records_do_not_matter(
    records: list[Record], flow_key: str, threshold: int, chance: random.Random
) -> None:
    rule = DetectionRule(threshold, 60, "window", flow_key)
    whole = detected(rule, records)
    shuffled = chance.sample(records, len(records))
    cut = chance.randrange(len(records) + 1)
    pieces = [piece for piece in (shuffled[:cut], shuffled[cut:]) if piece]
    # metering points that saw exactly the same may stand for one another
    assert detected(rule, *pieces) == whole


@examples(0.2)
@given(short_records(BEGIN), keys, st.integers(0, 3000))
def test_the_type_of_service_does_not_decide_which_records_count(
    records: list[Record], flow_key: str, threshold: int
) -> None:
    rule = DetectionRule(threshold, 60, "window", flow_key)
    without = [replace(one, ecn_records=None) for one in detected(rule, records)]
    assert detected(rule, [{**one, "tos": -1} for one in records]) == without


@examples(0.1)
@given(short_records(BEGIN), keys)
def test_a_part_named_twice_counts_once(records: list[Record], flow_key: str) -> None:
    rule = DetectionRule(1, 60, "window", flow_key)
    with lake_of(records) as (lake, names):
        assert detect_day(ENGINE, lake, names * 2, "r1", DAY, rule) == detect_day(ENGINE, lake, names, "r1", DAY, rule)


@examples(0.3)
@given(short_records(END), keys, st.sampled_from([20, 60]), st.integers(0, 3000))
def test_the_report_rule_takes_single_reports(
    records: list[Record], flow_key: str, window_ms: int, threshold: int
) -> None:
    found = detected(DetectionRule(threshold, window_ms, "report", flow_key), records)
    largest: dict[str, int] = {}
    for one in records:
        short = one["last_ms"] - one["first_ms"] <= window_ms
        if short and BEGIN < one["last_ms"] <= END and one["bytes"] > threshold:
            flow = flow_id(one, flow_key)
            largest[flow] = max(largest.get(flow, 0), one["bytes"])
    assert [one.flow_id for one in found] == sorted(largest)
    assert all(one.peak_bytes >= largest[one.flow_id] for one in found)


def test_the_same_traffic_metered_twice_is_one_flow_not_its_sum() -> None:
    usual = (4, 0, 1, 1000, 6)
    twice = [record(BEGIN + 1000, 50, 900, (*usual, exporter, way, 1, 1)) for exporter in (1, 2) for way in (0, 1)]
    assert detected(DetectionRule(900, 60), twice) == []
    (found,) = detected(DetectionRule(899, 60), twice)
    assert (found.peak_bytes, found.records) == (900, 1)


USUAL = (4, 0, 1, 1000, 6, 1, 0, 1, 1)


@pytest.mark.parametrize(
    "other", [{}, {"exporter_domain": 2}, {"output_interface": 2}, {"exporter_domain": 2, "input_interface": 2}]
)
@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("flow_key", ["five_tuple", "host_pair"])
def test_a_record_met_again_counts_once(other: dict[str, int], parts: int, flow_key: str) -> None:
    """Two collectors in one folder, or ingress and egress of an exporter that does not say which is which."""
    one = record(BEGIN + 1000, 50, 600, USUAL)
    again = [one, {**one, **other}]
    files = [again] if parts == 1 else [[copy] for copy in again]
    assert detected(DetectionRule(600, 60, "window", flow_key), *files) == []
    (found,) = detected(DetectionRule(599, 60, "window", flow_key), *files)
    assert (found.peak_bytes, found.records) == (600, 1)


@pytest.mark.parametrize(("direction", "side"), [(0, "input_interface"), (1, "output_interface")])
def test_a_flow_met_by_two_interfaces_of_a_tunnel_counts_once(direction: int, side: str) -> None:
    """The meters' times differ by little, so no two records are equal."""
    outer = {**record(BEGIN + 1000, 50, 600, USUAL), "direction": direction}
    inner = {**outer, "first_ms": BEGIN + 1001, "bytes": 570, side: 9}
    with lake_of([outer, inner]) as (lake, names):
        found = alpha_flows(ENGINE, lake, names, "r1", DAY, DetectionRule(599, 60))
    assert [one.peak_bytes for one in found.observations] == [600]
    assert found.repeated_records == 1
    assert found.notes == (
        "1 record of alpha flows repeat others and count once: traffic is metered or collected twice",
    )
    assert detected(DetectionRule(600, 60), [outer, inner]) == []


def test_the_streams_of_two_hosts_add_up_over_interfaces() -> None:
    """Equal-cost paths take each stream by one interface; that is no second meter of the other stream."""
    streams = [{**record(BEGIN + 1000, 50, 600, USUAL), "src_port": port, "input_interface": port} for port in (1, 2)]
    (found,) = detected(DetectionRule(1199, 60, "window", "host_pair"), streams)
    assert (found.peak_bytes, found.records) == (1200, 2)


def test_a_stream_that_moves_counts_where_its_fullest_window_is() -> None:
    slow = record(BEGIN + 1000, 10_000, 30_000, USUAL)
    fast = {**record(BEGIN + 20_000, 50, 900, USUAL), "input_interface": 2}
    (found,) = detected(DetectionRule(899, 60), [slow, fast])
    assert (found.peak_bytes, found.flow_bytes) == (900, 900)


def test_what_lies_before_every_window_of_the_day_does_not_choose_the_interface() -> None:
    """1 byte at the second interface, 1 ms before the day, and what a window of 20 ms holds of another 5-tuple's."""
    long_before = record(BEGIN - 40, 0, 5, (4, 0, 1, 1000, 6, 1, 0, 1, 1))
    just_before = record(BEGIN - 1, 0, 1, (4, 0, 1, 1000, 6, 1, 0, 1, 2))
    other = record(BEGIN - 40, 41, 41, (4, 0, 1, 1000, 17, 1, 0, 1, 1))
    (found,) = detected(DetectionRule(10, 20, "window", "host_pair"), [long_before, just_before, other])
    assert found.peak_bytes == 1 + 20


def test_single_packets_sent_at_once_are_no_repeats() -> None:
    """Exporters without a cache report each sampled packet; several of one moment are as many packets."""
    packets = [record(BEGIN + 1000, 0, 1500, USUAL)] * 3
    (found,) = detected(DetectionRule(4499, 60), [*packets, {**packets[0], "exporter_domain": 2}])
    assert (found.peak_bytes, found.records) == (4500, 3)


def test_exporters_that_see_different_traffic_add_up() -> None:
    """A flow split over two line cards, each an exporter: 0.7 and 0.7 GB of it are 1.4 GB."""
    cards = [record(BEGIN + 1000, 50, size, (4, 0, 1, 1000, 6, card, 0, 1, 1)) for card, size in ((1, 699), (2, 701))]
    rule = DetectionRule(1000, 60)
    assert detected(rule, cards) == []
    (found,) = detected(replace(rule, sum_exporters=True), cards)
    assert (found.peak_bytes, found.exporter, found.records) == (1400, "0.0.0.2", 2)


def test_addresses_of_ipv6_that_end_like_ipv4_are_other_flows() -> None:
    flow = (0, 1, 1000, 6, 1, 0, 1, 1)
    one_each = [record(BEGIN + 1000, 50, 900, (version, *flow)) for version in (4, 6)]
    assert detected(DetectionRule(900, 60), one_each) == []
    assert len(detected(DetectionRule(899, 60), one_each)) == 2


@pytest.mark.parametrize("other", ["exporter_domain", "output_interface", "src_port"])
def test_starts_are_only_moved_among_records_metered_alike(other: str) -> None:
    """Two that began together and ended apart: one meter's two reports, or two meters' one report each."""
    first = record(BEGIN + 1000, 20, 1000, (4, 0, 1, 1000, 6, 1, 0, 1, 1))
    second = {**first, "last_ms": BEGIN + 1100}
    rule = DetectionRule(1100, 20, "window", "host_pair")
    (moved,) = detected(rule, [first, {**second, "bytes": 100_000}])
    assert (moved.repaired_records, moved.peak_bytes) == (1, 25_000)
    (apart,) = detected(rule, [first, {**second, "bytes": 1000, other: 9}])
    assert (apart.repaired_records, apart.peak_bytes) == (0, 1200)


def test_a_fraction_of_a_byte_above_the_threshold_is_above_it() -> None:
    flow = (4, 0, 1, 1000, 6, 1, 0, 1, 1)
    records = [record(BEGIN + 70, 0, 1000, flow), record(BEGIN, 1000, 1, flow)]
    (found,) = detected(DetectionRule(1000, 60), records)
    assert found.peak_bytes == 1000
    assert detected(DetectionRule(1001, 60), records) == []


APPORTIONED = "\nbuckets as ("
KEYED = {"with_ports": 1, "with_exporters": 1, "cell_mask": 1023, "hash_seed": 7}


def apportioned(records: list[Record], window_ms: int) -> tuple[int, int, int]:
    """(sum, least, number) of the buckets' bytes over all time, by the query's own steps up to the apportioning."""
    text = query_text(
        "alpha_candidates",
        from_ms=0,
        to_ms=2**42,
        window_ms=window_ms,
        threshold_bytes=-1,
        **KEYED,
    )
    assert text.count(APPORTIONED) == 1
    steps = text.partition(APPORTIONED)[0].rstrip().removesuffix(",")
    # without its floor of one byte a record the sum is exact
    query = f"{steps}\nselect sum(bucket_bytes) as s, min(bucket_bytes) as low, count(*) as n from apportioned"
    with lake_of(records) as (lake, names):
        (row,) = ENGINE.run(query, lake, names).to_pylist()
    return int(row["s"]), int(row["low"]), int(row["n"])


@examples(0.3)
@given(st.one_of(short_records(BEGIN), long_records()), st.sampled_from([60_000, 3_600_000]))
def test_apportioning_creates_and_loses_no_byte(records: list[Record], window_ms: int) -> None:
    total, least, buckets = apportioned(records, window_ms)
    assert total == sum(one["bytes"] for one in records)
    assert least >= 0
    assert buckets >= len(records)


@examples(0.2)
@given(short_records(BEGIN), st.integers(1, 30))
def test_apportioning_over_small_buckets_loses_nothing_either(records: list[Record], window_ms: int) -> None:
    assert apportioned(records, window_ms)[0] == sum(one["bytes"] for one in records)
