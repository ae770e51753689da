"""Beta bytes between hosts of pairs: SQL against the definition, written down a record at a time."""

from collections import defaultdict
from datetime import date
from fractions import Fraction
from ipaddress import ip_network

from hypothesis import event, given
from hypothesis import strategies as st

from hntes.addresses import Network
from hntes.etl.addresses import address_of
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.measure.beta_between import BetaBetween, beta_between
from hntes.etl.schema import LAKE_SCHEMA
from hntes.sql.entries import ObservationEntry
from tests.property.test_detection_properties import BEGIN, END, lake_of
from tests.property.test_load_properties import minutes_around, pairs
from tests.support.alpha_definition import FLOW, Record, shares
from tests.support.entries import observation
from tests.support.examples import examples
from tests.support.load_definition import in_alpha

DAY = date(2026, 11, 20)
ENGINE = DuckEngine(threads=2)


def defined(
    records: list[Record], rules: list[tuple[Network, Network]], alpha: set[tuple[int, ...]], disjoint: bool
) -> dict[tuple[str, str], int]:
    """By hosts: each 5-tuple that is no alpha flow at the metering point that read most of it in (BEGIN, END]."""
    found: dict[tuple[str, str], int] = defaultdict(int)
    readings: dict[tuple[int, ...], dict[tuple[int, ...], list[int]]] = defaultdict(dict)
    for record, share in zip(records, shares(records), strict=True):
        if not (record["last_ms"] > BEGIN and share.start_ms <= END and in_alpha(record, rules)):
            continue
        flow = tuple(record[name] for name in FLOW)
        exporter = (0, 0) if disjoint else (record["exporter_hi"], record["exporter_lo"])
        sums = readings[flow].setdefault((-record["direction"], *exporter), [0, 0, 0])
        sums[0] += record["bytes"] if record["output_interface"] > 0 else 0
        sums[1] += record["bytes"]
        sums[2] += _of_day(record, share.start_ms)
    for flow, points in readings.items():
        best = min(points, key=lambda point: (-points[point][0], -points[point][1], point))
        if flow not in alpha and points[best][2]:
            at = dict(zip(FLOW, flow, strict=True))
            hosts = [str(address_of(at["ip_version"], at[f"{end}_hi"], at[f"{end}_lo"])) for end in ("src", "dst")]
            found[hosts[0], hosts[1]] += points[best][2]
    return found


def _of_day(record: Record, start_ms: int) -> int:
    """What a counter that grows evenly gains from BEGIN to END, in whole bytes."""
    duration = record["last_ms"] - start_ms
    if duration == 0:
        return record["bytes"]
    from_share, to_share = (Fraction(min(max(at - start_ms, 0), duration), duration) for at in (BEGIN, END))
    return int(record["bytes"] * to_share) - int(record["bytes"] * from_share)


def as_observation(flow: tuple[int, ...]) -> ObservationEntry:
    at = dict(zip(FLOW, flow, strict=True))
    source, destination = (address_of(at["ip_version"], at[f"{end}_hi"], at[f"{end}_lo"]) for end in ("src", "dst"))
    return observation(
        ip_version=at["ip_version"], source=str(source), destination=str(destination), source_port=at["src_port"],
        destination_port=at["dst_port"], protocol=at["protocol"],
    )  # fmt: skip


@examples(0.3)
@given(
    st.sampled_from([BEGIN, BEGIN + 43_200_000, END]).flatmap(minutes_around), pairs(), st.booleans(), st.integers(0, 2)
)
def test_beta_between_hosts_is_its_definition(
    records: list[Record], rules: list[tuple[Network, Network]], disjoint: bool, alpha_flows: int
) -> None:
    alpha = set(sorted({tuple(record[name] for name in FLOW) for record in records})[:alpha_flows])
    with lake_of(records) as (lake, names):
        found = beta_between(
            ENGINE, lake, names, DAY, rules, [as_observation(flow) for flow in alpha], sum_exporters=disjoint
        )
    expected = defined(records, rules, alpha, disjoint)
    event(f"hosts with beta: {len(expected)}")
    assert {(one.source, one.destination): one.bytes for one in found} == expected


def test_a_flow_that_was_metered_twice_counts_once_and_without_ports_all_between_the_hosts_is_alpha() -> None:
    flow = {"ip_version": 4, "src_lo": 0x0A000001, "dst_lo": 0x0A000002, "src_port": 1000, "protocol": 6}
    times = {"first_ms": BEGIN + 1000, "last_ms": BEGIN + 2000, "sampling_factor": 1}
    one = dict.fromkeys(LAKE_SCHEMA.names, 0) | flow | times | {"bytes": 700, "packets": 1}
    both = [one, {**one, "direction": 1, "output_interface": 7}]
    rules = [(ip_network("10.0.0.0/24"), ip_network("10.0.0.0/24"))]
    all_ports = observation(
        source="10.0.0.1", destination="10.0.0.2", source_port=None, destination_port=None, protocol=None
    )
    with lake_of(both) as (lake, names):
        found = beta_between(ENGINE, lake, names, DAY, rules, [])
        none = beta_between(ENGINE, lake, names, DAY, rules, [all_ports])
    assert (found, none) == ([BetaBetween("10.0.0.1", "10.0.0.2", 700)], [])
