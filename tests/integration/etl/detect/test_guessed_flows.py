"""Forged records with the addresses and ports of a true flow: it is believed as it would be without them.

The port of the true flow carries 10 Gb/s, 97.5 GB in a minute with the tolerance; port 503 carries 1 Gb/s.
"""

from collections.abc import Iterable
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest

from hntes.etl.detect import claims
from hntes.etl.detect.alpha import AlphaFlows, DetectionRule, alpha_flows
from hntes.etl.detect.claim_parts import Claim
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.lake.parts import write_table
from hntes.etl.schema import LAKE_SCHEMA
from tests.integration.etl.detect.test_flooded_day import GB, PORT, RULE, Record, record

DAY = date(2026, 11, 20)
SMALL_PORT = 503
RATES = {PORT: 10**10, SMALL_PORT: 10**9}
NOON_MS, HOUR_MS = 43_200_000, 3_600_000
TRUE = record("198.18.1.1", 12 * GB // 10, NOON_MS, 30_000, 1)
# 1.5 GB in each of twenty minutes
LONG = record("198.18.1.1", 30 * GB, NOON_MS, 20 * 60_000, 1)
# of the same minute
LARGE = record("198.18.1.1", 150 * GB, NOON_MS, 60_000, 1)
ELSEWHERE = record("198.18.1.1", 20 * GB, NOON_MS, 50_000, 1) | {"output_interface": SMALL_PORT}


def moved(one: Record, later_ms: int) -> Record:
    return one | {name: one[name] + later_ms for name in ("first_ms", "last_ms")}


def found(folder: Path, records: list[Record], rule: DetectionRule = RULE) -> AlphaFlows:
    columns = {name: [one[name] for one in records] for name in LAKE_SCHEMA.names}
    write_table(folder / "lake" / "part.parquet", pa.table(columns, schema=LAKE_SCHEMA))
    return alpha_flows(DuckEngine(), folder / "lake", ["part.parquet"], "r1", DAY, rule, RATES)


def pieces(whole: Record, count: int) -> list[Record]:
    """One after the other, of equal length and bytes."""
    length = (whole["last_ms"] - whole["first_ms"]) // count
    return [
        whole
        | {"first_ms": whole["first_ms"] + n * length, "last_ms": whole["first_ms"] + (n + 1) * length}
        | {name: whole[name] // count for name in ("bytes", "packets")}
        for n in range(count)
    ]


def alike(whole: Record, count: int) -> list[Record]:
    """Of about the same time, so that none repeats another."""
    return [whole | {"first_ms": whole["first_ms"] + n} for n in range(count)]


@pytest.mark.parametrize(
    ("forged", "true"),
    [
        ([LARGE], [TRUE]),
        ([LARGE], pieces(TRUE, 7)),
        (alike(LARGE, 40), pieces(TRUE, 3)),
        ([LARGE | {"input_interface": 9}], [TRUE]),
        ([LARGE | {"exporter_lo": 9}], [TRUE]),
        ([LARGE | {"direction": 1}], [TRUE]),
        ([ELSEWHERE], pieces(TRUE, 3)),
        ([ELSEWHERE | {"input_interface": 9}], pieces(TRUE, 3)),
        (pieces(ELSEWHERE, 50), [TRUE]),
        ([ELSEWHERE | {"output_interface": SMALL_PORT, "input_interface": n} for n in range(20)], [TRUE]),
        ([TRUE | {"bytes": 90 * GB, "packets": 0, "first_ms": TRUE["first_ms"] - 20_000}], [TRUE]),
        (alike(TRUE | {"bytes": GB // 2, "packets": 0}, 5), pieces(TRUE, 3)),
        ([moved(LARGE, 3 * HOUR_MS)], pieces(TRUE, 3)),
        ([moved(LARGE, 120_000 * n) for n in range(-300, 300) if n], pieces(TRUE, 3)),
        # no window is apart from the forged ones
        ([moved(LARGE, -70_000), moved(LARGE, 40_000)], pieces(TRUE, 3)),
        ([moved(LARGE, 600_000), *alike(moved(LARGE, 3 * HOUR_MS), 5)], pieces(LONG, 20)),
    ],
)
def test_a_true_flow_is_read_without_what_was_added_to_it(
    tmp_path: Path, forged: list[Record], true: list[Record]
) -> None:
    others = [record(f"198.18.2.{n}", 2 * GB, NOON_MS + 3_600_000 * n, 30_000, 1) for n in range(8)]
    (alone,) = found(tmp_path / "alone", true).observations
    flows = found(tmp_path / "forged", [*others, *true, *forged])
    doubts = {flow.source: flow.doubt for flow in flows.observations}
    assert set(doubts.values()) == {"none"}
    assert alone in flows.observations
    assert flows.reduced_flows == 1
    assert flows.notes[-1].startswith("1 alpha flow counted without some of the records")


def test_a_record_with_the_start_of_a_true_flow_does_not_shorten_it(tmp_path: Path) -> None:
    """A record of one byte that ends a millisecond before it: so 110 GB would have been sent in that millisecond."""
    true = record("198.18.1.1", 110 * GB, NOON_MS, 300_000, 1)
    early = true | {"last_ms": true["last_ms"] - 1, "bytes": 1, "packets": 1}
    (flow,) = found(tmp_path, [true, early]).observations
    assert (flow.doubt, flow.peak_bytes) == ("none", 22 * GB)


def test_the_readings_of_two_metering_points_do_not_fill_a_port_together(tmp_path: Path) -> None:
    """26 GB in half a minute are 70 % of 10 Gb/s."""
    true = TRUE | {"bytes": 26 * GB, "packets": 17_000_000}
    forged = ELSEWHERE | {"bytes": 60 * GB, "direction": 7, "input_interface": 9}
    (flow,) = found(tmp_path, [true, true | {"direction": 1}, forged]).observations
    assert (flow.doubt, flow.peak_bytes) == ("none", 26 * GB)


def test_no_reading_that_a_port_cannot_carry_is_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of many claims of one flow is judged by itself, also those that are made of the same one."""
    names: list[list[str]] = []
    layers = claims._layers

    def seen(judged: Iterable[Claim]) -> list[list[Claim]]:
        listed = list(judged)
        names.append([claim.name for claim in listed])
        return layers(listed)

    monkeypatch.setattr(claims, "_layers", seen)
    five_minutes = record("10.9.9.9", 50 * GB, NOON_MS, 300_000, 1)
    last = five_minutes["last_ms"]
    early = five_minutes | {"last_ms": last - 1, "bytes": 1, "packets": 1}
    more = [five_minutes | {"last_ms": last + n, "bytes": 50 * GB + n} for n in range(8)]
    minute = record("10.9.9.9", 60 * GB, NOON_MS + 3 * HOUR_MS, 60_000, 1)
    (flow,) = found(tmp_path, [early, *more, *alike(minute, 5)]).observations
    assert flow.doubt == "none"
    assert flow.peak_bytes < 10**10 / 8 * 60 * 1.3
    assert names
    assert all(len(set(of_round)) == len(of_round) for of_round in names)


def test_a_flow_that_is_impossible_in_all_its_parts_is_doubted(tmp_path: Path) -> None:
    forged = [LARGE, LARGE | {"first_ms": LARGE["first_ms"] + 1, "bytes": 140 * GB}, TRUE | {"bytes": GB // 2}]
    flows = found(tmp_path, forged)
    assert [(flow.doubt, flow.flow_bytes) for flow in flows.observations] == [("port_rate", 290 * GB + GB // 2)]
    assert flows.reduced_flows == 0


def test_the_parts_of_many_forged_flows_are_judged_together(tmp_path: Path) -> None:
    """Each of two hundred is possible by either of its records, 1.1 GB in ten seconds; all of them are not."""
    forged = [record(f"10.66.1.{n}", 11 * GB // 10, NOON_MS + half, 10_000, 1) for n in range(200) for half in (0, 100)]
    assert {flow.doubt for flow in found(tmp_path, forged).observations} == {"port_rate"}


def test_host_pairs_are_read_without_what_was_added_to_them(tmp_path: Path) -> None:
    forged = [LARGE | {"src_port": 7}, ELSEWHERE | {"src_port": 8}]
    flows = found(tmp_path, [TRUE, *forged], DetectionRule(flow_key="host_pair"))
    assert [(flow.doubt, flow.peak_bytes) for flow in flows.observations] == [("none", TRUE["bytes"])]


def test_beside_a_flood_a_true_flow_is_read_without_what_was_added_to_it(tmp_path: Path) -> None:
    true = record("198.18.1.1", 12 * GB // 10, NOON_MS, 10_000, 1)
    added = alike(true | {"bytes": 9 * GB}, 2)
    flood = [record(f"10.66.{n // 250}.{n % 250}", 80 * GB, NOON_MS - 20_000, 60_000, 1) for n in range(1100)]
    flows = found(tmp_path, [true, *added, *flood])
    assert [flow.source for flow in flows.observations if flow.doubt == "none"] == ["198.18.1.1"]
    assert len(flows.observations) + flows.unlisted_flows == 1101


@pytest.mark.parametrize("forged_records", [1, 4])
def test_few_records_with_packets_say_nothing_of_an_exporter_without_a_counter(
    tmp_path: Path, forged_records: int
) -> None:
    true = [record(f"198.18.1.{n}", 2 * GB, 7_200_000 * n, 30_000, 1) | {"packets": 0} for n in range(1, 7)]
    forged = [record(f"10.66.1.{n}", 2 * GB, 43_200_000, 30_000, 1) for n in range(forged_records)]
    flows = found(tmp_path, [*true, *forged])
    assert {flow.doubt for flow in flows.observations if flow.source.startswith("198")} == {"none"}


def test_few_records_without_packets_say_nothing_of_an_exporter_with_a_counter(tmp_path: Path) -> None:
    true = [record(f"198.18.1.{n}", 2 * GB, 7_200_000 * n, 30_000, 1) for n in range(1, 7)]
    forged = [record(f"10.66.1.{n}", 8 * GB, 43_200_000, 30_000, 1) | {"packets": 0} for n in range(5)]
    doubts = {flow.source: flow.doubt for flow in found(tmp_path, [*true, *forged]).observations}
    assert {doubt for source, doubt in doubts.items() if source.startswith("10.")} == {"no_packets"}


def test_of_more_records_than_are_read_again_those_of_flows_with_few_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "_MOST_ROWS", 3)
    large = record("198.18.1.2", 150 * GB, 3_600_000, 60_000, 1)
    records = [TRUE, LARGE, record("198.18.1.2", 2 * GB, 3_600_000, 30_000, 1), *alike(large, 2)]
    doubts = {flow.source: flow.doubt for flow in found(tmp_path, records).observations}
    assert doubts == {"198.18.1.1": "none", "198.18.1.2": "port_rate"}
