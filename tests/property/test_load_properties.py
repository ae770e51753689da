"""The load by interface and minute: SQL against its definition, and nothing created or lost."""

from datetime import date
from ipaddress import ip_network

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from hntes.addresses import Network
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.measure.interface_load import measure_day, minute_loads, percentile
from hntes.etl.measure.minutes import ETHERNET_BYTES_PER_PACKET, RouterMinutes
from tests.property.test_detection_properties import BEGIN, END, lake_of, long_records, record
from tests.support.alpha_definition import Record
from tests.support.examples import examples
from tests.support.load_definition import Defined, loads

DAY = date(2026, 11, 20)
ENGINE = DuckEngine(threads=2)
NETWORKS = {
    4: ["0.0.0.0/0", "10.0.0.0/24", "10.0.0.1/32", "255.255.255.0/24", "128.0.0.0/1", "255.255.255.255/32"],
    6: ["::/0", "2001:db8::/32", "ffff:ffff:ffff:ffff::/64", "8000::/1", "2001:db8::a00:1/128", "8000::8000:0:0:0/65"],
}


def pairs() -> st.SearchStrategy[list[tuple[Network, Network]]]:
    one = st.sampled_from([4, 6]).flatmap(lambda v: st.tuples(*[st.sampled_from(NETWORKS[v]).map(ip_network)] * 2))
    return st.lists(one, max_size=4)


def metered() -> st.SearchStrategy[tuple[int, ...]]:
    """Few flows, so that records of several metering points and interfaces meet in one."""
    return st.tuples(
        st.sampled_from([4, 4, 6]), st.integers(0, 2), st.integers(0, 2), st.sampled_from([1000, 1001]), st.just(6),
        st.sampled_from([1, 1, 2]), st.sampled_from([0, 0, 1]), st.sampled_from([1, 2]), st.just(1),
    )  # fmt: skip


def minutes_around(moment_ms: int) -> st.SearchStrategy[list[Record]]:
    """Records of up to some minutes around a moment, often from one edge of a minute to another."""
    start = st.one_of(st.sampled_from([-60_000, -1, 0, 1, 60_000]), st.integers(-200_000, 200_000))
    duration = st.one_of(st.sampled_from([0, 1, 60_000, 120_000]), st.integers(0, 300_000))
    byte_count = st.one_of(st.integers(0, 100), st.integers(0, 10**10))
    drawn = st.tuples(start, duration, byte_count, metered(), st.sampled_from([0, 5, 7]))
    made = drawn.map(lambda d: {**record(moment_ms + d[0], d[1], d[2], d[3]), "output_interface": d[4]})
    return st.lists(made, min_size=1, max_size=8)


def found_as_defined(found: RouterMinutes) -> tuple[dict[tuple[int, int, bool], int], ...]:
    byte_count, packets = {}, {}
    for index, interface in found.interfaces.items():
        for in_alpha, queue in ((False, interface.beta), (True, interface.alpha)):
            for minute, load in queue.items():
                byte_count[index, minute, in_alpha] = load.bytes
                packets[index, minute, in_alpha] = load.packets
    return byte_count, packets


def check(found: RouterMinutes, expected: Defined) -> None:
    assert found_as_defined(found) == (expected.bytes, expected.packets)
    assert (found.repeated_bytes, found.repeated_records) == (expected.repeated_bytes, expected.repeated_records)


@examples(0.3)
@given(st.sampled_from([BEGIN, BEGIN + 43_200_000, END]).flatmap(minutes_around), pairs(), st.booleans())
def test_the_load_is_its_definition(
    records: list[Record], rules: list[tuple[Network, Network]], disjoint: bool
) -> None:
    expected = loads(records, rules, BEGIN, END, disjoint)
    with lake_of(records) as (lake, names):
        found = minute_loads(ENGINE, lake, names, DAY, rules, sum_exporters=disjoint)
    event(f"repeats: {expected.repeated_bytes > 0}, alpha: {any(key[2] for key in expected.bytes)}")
    check(found, expected)


@examples(0.2)
@given(minutes_around(BEGIN + 43_200_000), pairs(), pairs(), st.booleans())
def test_traffic_of_pairs_in_force_and_of_new_ones_is_its_definition(
    records: list[Record], rules: list[tuple[Network, Network]], running: list[tuple[Network, Network]], disjoint: bool
) -> None:
    """What the pairs in force match, and what of the rules' traffic they do not; the load itself stays the same."""
    with lake_of(records) as (lake, names):
        found = minute_loads(ENGINE, lake, names, DAY, rules, in_force=running, sum_exporters=disjoint)
        _, _, profiles = measure_day(ENGINE, lake, names, "r1", DAY, rules, in_force=running, sum_exporters=disjoint)
    check(found, loads(records, rules, BEGIN, END, disjoint))
    in_force = of_alpha(loads(records, running, BEGIN, END, disjoint))
    either = of_alpha(loads(records, [*rules, *running], BEGIN, END, disjoint))
    assert flat(found, "in_force_bytes") == in_force
    new = {key: value - in_force.get(key, 0) for key, value in either.items() if value - in_force.get(key, 0)}
    assert {key: value for key, value in flat(found, "new_bytes").items() if value} == new
    event(f"in force: {any(in_force.values())}, new: {bool(new)}")
    whole = loads(records, [], BEGIN, END, disjoint).bytes
    for profile in profiles:
        for values, expected in ((profile.queued_bytes, in_force), (profile.new_bytes, new)):
            assert list(values) == binned(expected, profile.interface_index)
        three = zip(profile.queued_bytes, profile.new_bytes, profile.beta_bytes, strict=True)
        everything = {(index, minute): value for (index, minute, _), value in whole.items()}
        assert list(map(sum, three)) == binned(everything, profile.interface_index)


def of_alpha(defined: Defined) -> dict[tuple[int, int], int]:
    return {(index, minute): value for (index, minute, in_alpha), value in defined.bytes.items() if in_alpha}


def flat(found: RouterMinutes, name: str) -> dict[tuple[int, int], int]:
    return {
        (index, minute): value
        for index, interface in found.interfaces.items()
        for minute, value in getattr(interface, name).items()
    }


def binned(values: dict[tuple[int, int], int], index: int) -> list[int]:
    """Sums of five minutes from midnight."""
    found = [0] * 288
    for (interface, minute), value in values.items():
        if interface == index:
            found[(minute * 60_000 - BEGIN) // 300_000] += value
    return found


@examples(0.1)
@given(long_records(), pairs())
def test_the_load_is_its_definition_for_long_records_and_large_counters(
    records: list[Record], rules: list[tuple[Network, Network]]
) -> None:
    with lake_of(records) as (lake, names):
        check(minute_loads(ENGINE, lake, names, DAY, rules), loads(records, rules, BEGIN, END))


@examples(0.15)
@given(minutes_around(END), pairs())
def test_no_byte_is_created_or_lost_over_interfaces_queues_and_days(
    records: list[Record], rules: list[tuple[Network, Network]]
) -> None:
    total = repeated = 0
    with lake_of(records) as (lake, names):
        for day in (date(2026, 11, 20), date(2026, 11, 21)):
            measured, found, _ = measure_day(ENGINE, lake, names, "r1", day, rules)
            total += sum(one.beta_bytes + one.alpha_bytes for one in found)
            repeated += measured.repeated_bytes
    assert total + repeated == sum(one["bytes"] for one in records)


@examples(0.1)
@given(minutes_around(END), st.randoms(use_true_random=False))
def test_order_and_partition_of_records_do_not_matter(records: list[Record], chance: object) -> None:
    shuffled = chance.sample(records, len(records))  # type: ignore[attr-defined]
    cut = chance.randrange(len(records) + 1)  # type: ignore[attr-defined]
    pieces = [piece for piece in (shuffled[:cut], shuffled[cut:]) if piece]
    with lake_of(records) as (lake, names):
        whole = measure_day(ENGINE, lake, names, "r1", DAY, [])
    with lake_of(*pieces) as (lake, names):
        assert measure_day(ENGINE, lake, names, "r1", DAY, []) == whole


@given(
    st.lists(st.integers(1, 50), max_size=20), st.integers(0, 20), st.sampled_from([500, 950, 990, 999])
)  # fmt: skip
def test_percentiles_are_the_inverse_of_the_distribution(values: list[int], silent: int, per_mille: int) -> None:
    everything = values + [0] * silent
    if everything:
        expected = np.percentile(everything, per_mille / 10, method="inverted_cdf")
        assert percentile(sorted(values, reverse=True), per_mille, len(everything)) == expected


def test_the_fullest_minute_its_error_and_what_a_packet_takes_beside_its_bytes() -> None:
    flow = (4, 0, 1, 1000, 6, 1, 0, 1, 1)
    one = {**record(BEGIN + 60_000, 50, 10_000_000, flow), "packets": 10_000, "sampling_factor": 100}
    two = {**record(BEGIN + 180_000, 50, 9_000_000, flow), "packets": 9_000, "sampling_factor": 0}
    rows = [{**one, "output_interface": 7}, {**two, "output_interface": 7}, record(BEGIN, 0, 5, flow)]
    with lake_of(rows) as (lake, names):
        measured, (unknown, seven), _ = measure_day(ENGINE, lake, names, "r1", DAY, [])
    assert (measured.minutes, measured.pairs) == (3, 0)
    assert (unknown.interface_index, unknown.records, unknown.beta_bytes) == (0, 1, 5)
    wire = 10_000_000 + 10_000 * ETHERNET_BYTES_PER_PACKET
    assert (seven.beta_peak_ms, seven.beta_peak_wire_bytes) == (BEGIN + 60_000, wire)
    # 100 sampled packets of 1000 bytes: 10 % less the finite share sampled, sqrt(0.99 / 100)
    assert seven.beta_peak_sd_bytes is not None
    assert abs(seven.beta_peak_sd_bytes - wire * 0.0994987) <= 20
    assert (seven.beta_p50_wire_bytes, seven.beta_p999_wire_bytes) == (9_000_000 + 9_000 * 38, wire)
    with lake_of([rows[1]]) as (lake, names):
        _, (blind,), _ = measure_day(ENGINE, lake, names, "r1", DAY, [])
    assert blind.beta_peak_sd_bytes is None
