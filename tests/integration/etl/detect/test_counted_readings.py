"""Alpha flows of several readings beside the counters of their interfaces, which count what is true.

A port in (SNMP index 1) and one out (502) are polled each minute.
"""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hntes.etl.counters.day import day_judge
from hntes.etl.counters.port_octets import port_octets
from hntes.etl.counters.source import IntervalOctets
from hntes.etl.detect.alpha import AlphaFlows, alpha_flows
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.lake.parts import write_table
from hntes.etl.schema import LAKE_SCHEMA
from tests.integration.etl.detect.test_flooded_day import BEGIN, DAY, GB, PORT, RULE, Record, record
from tests.integration.etl.detect.test_guessed_flows import NOON_MS, RATES, SMALL_PORT, TRUE

MINUTE_MS, HOUR_MS = 60_000, 3_600_000
MINUTES, FACTOR, PACKET_BYTES = 1440, 1000, 1500


def others(gbytes: float, hosts: int = 1) -> list[Record]:
    """What other hosts send in each minute of the day: no alpha flows."""
    return [
        record(f"198.19.{host}.{minute % 200}", int(gbytes * GB), minute * MINUTE_MS, MINUTE_MS, 1)
        for minute in range(MINUTES)
        for host in range(hosts)
    ]


def counted(true: Iterable[Record]) -> list[IntervalOctets]:
    """What both ports count of this."""
    octets: defaultdict[int, float] = defaultdict(float)
    for one in true:
        first, last = one["first_ms"] - BEGIN, one["last_ms"] - BEGIN
        for minute in range(first // MINUTE_MS, (last - 1) // MINUTE_MS + 1):
            inside = min(last, (minute + 1) * MINUTE_MS) - max(first, minute * MINUTE_MS)
            octets[minute] += one["bytes"] * inside / (last - first)
    return [
        IntervalOctets(str(index), "in" if index == 1 else "out", begin, begin + MINUTE_MS, int(octets[minute]))
        for minute in range(-60, MINUTES + 60)
        for begin in [BEGIN + minute * MINUTE_MS]
        for index in (1, PORT)
    ]


def found(folder: Path, records: list[Record], true: Iterable[Record]) -> AlphaFlows:
    columns = {name: [one[name] for one in records] for name in LAKE_SCHEMA.names}
    write_table(folder / "lake" / "part.parquet", pa.table(columns, schema=LAKE_SCHEMA))
    engine, lake, parts = DuckEngine(), folder / "lake", ["part.parquet"]
    flows = port_octets(engine, lake, parts, (BEGIN - HOUR_MS, BEGIN + 25 * HOUR_MS), 0)
    files_s = {BEGIN + 300_000 * number: 300 for number in range(288)}
    judge = day_judge(DAY, counted(true), {"in": 1, "out": PORT}, flows, files_s, 0.1)
    return alpha_flows(engine, lake, parts, "r1", DAY, RULE, RATES, judge=judge)


def sampled(records: Iterable[Record], chance: np.random.Generator) -> list[Record]:
    """As a meter estimates them that takes 1 packet in FACTOR."""
    drawn = [(one, int(chance.binomial(one["packets"], 1 / FACTOR)) * FACTOR) for one in records]
    return [
        one | {"packets": packets, "bytes": packets * PACKET_BYTES, "sampling_factor": FACTOR}
        for one, packets in drawn
        if packets
    ]


@pytest.mark.parametrize("gbytes", [1.03, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_flow_that_is_sampled_at_ingress_and_at_egress_is_believed(tmp_path: Path, seed: int, gbytes: float) -> None:
    """Its fullest minutes by the two are not the same; by one of them it may hardly be an alpha flow."""
    steady = [
        record("198.18.1.1", int(gbytes * GB), NOON_MS + minute * MINUTE_MS, MINUTE_MS, 1) for minute in range(60)
    ]
    true, chance = [*others(0.3, hosts=3), *steady], np.random.default_rng(seed)
    egress = [one | {"direction": 1} for one in sampled(true, chance)]
    flows = found(tmp_path, [*sampled(true, chance), *egress], true)
    assert [(flow.source, flow.doubt) for flow in flows.observations] == [("198.18.1.1", "none")]


@pytest.mark.parametrize("later_ms", [0, 3 * HOUR_MS])
def test_a_true_flow_is_read_without_what_was_added_at_other_ports(tmp_path: Path, later_ms: int) -> None:
    times = {"first_ms": TRUE["first_ms"] + later_ms, "last_ms": TRUE["first_ms"] + later_ms + 50_000}
    forged = TRUE | times | {"bytes": 20 * GB, "input_interface": 9, "output_interface": SMALL_PORT}
    true = [*others(0.1), TRUE]
    (flow,) = found(tmp_path, [*true, forged], true).observations
    assert (flow.doubt, flow.peak_bytes) == ("none", TRUE["bytes"])


@pytest.mark.parametrize("times", [1, 40])
def test_a_true_flow_is_read_without_what_was_added_at_other_times(tmp_path: Path, times: int) -> None:
    later = [TRUE["first_ms"] + 3 * HOUR_MS + 120_000 * number for number in range(times)]
    forged = [TRUE | {"first_ms": at, "last_ms": at + 30_000, "bytes": 2 * GB + at % 999} for at in later]
    true = [*others(0.1), TRUE]
    (flow,) = found(tmp_path, [*true, *forged], true).observations
    assert (flow.doubt, flow.peak_bytes, flow.records) == ("none", TRUE["bytes"], 1)


@pytest.mark.parametrize("direction", [0, 1])
def test_a_forged_flow_is_doubted_by_whatever_meter(tmp_path: Path, direction: int) -> None:
    true = [*others(0.1), TRUE]
    forged = record("10.66.1.1", 2 * GB, NOON_MS + HOUR_MS, 30_000, 1) | {"direction": direction}
    doubts = {flow.source: flow.doubt for flow in found(tmp_path, [*true, forged], true).observations}
    assert doubts == {"198.18.1.1": "none", "10.66.1.1": "above_counters"}


def test_unlisted_flows_are_counted_by_their_doubt(tmp_path: Path) -> None:
    """Of 1,200 at an interface without counters 1,000 doubted flows are listed: those fill no port."""
    true = [*others(0.1), TRUE]
    elsewhere = [
        record(f"10.66.{n // 250}.{n % 250}", 11 * GB // 10, n * MINUTE_MS, 30_000, 998) | {"output_interface": 999}
        for n in range(1200)
    ]
    flows = found(tmp_path, [*true, *elsewhere], true)
    assert flows.unlisted == {"no_counters": 200}
    (note,) = flows.notes
    assert note.startswith("1200 alpha flows (200 of them counted, not listed) at interfaces that have no counters")
