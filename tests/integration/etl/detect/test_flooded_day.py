"""A day with more forged flows than are listed: the true ones are found, and each of a listed flow's numbers stays."""

from collections.abc import Callable
from datetime import date
from ipaddress import ip_address
from pathlib import Path

import pyarrow as pa
import pytest

from hntes.etl.addresses import halves
from hntes.etl.detect.alpha import AlphaFlows, DetectionRule, alpha_flows
from hntes.etl.detect.flood import LISTED_FLOWS, Hosts
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.lake.parts import write_table
from hntes.etl.schema import LAKE_SCHEMA

DAY = date(2026, 11, 20)
BEGIN = 1_795_132_800_000  # 2026-11-20T00:00:00Z
GB = 10**9
PORT, RATE_BPS = 502, 10_000_000_000
FORGED = LISTED_FLOWS + 500
RULE = DetectionRule()
Record = dict[str, int]


def record(source: str, byte_count: int, start_ms: int, lasts_ms: int, interface: int = 0) -> Record:
    hosts = [halves(ip_address(text)) for text in (source, "203.0.113.1")]
    return {
        **dict.fromkeys(LAKE_SCHEMA.names, 0),
        "first_ms": BEGIN + start_ms,
        "last_ms": BEGIN + start_ms + lasts_ms,
        "bytes": byte_count,
        "packets": byte_count // 1500,
        "ip_version": 4,
        "src_hi": hosts[0][0],
        "src_lo": hosts[0][1],
        "dst_hi": hosts[1][0],
        "dst_lo": hosts[1][1],
        "src_port": 1000,
        "dst_port": 443,
        "protocol": 6,
        "sampling_factor": 1,
        "input_interface": interface,
        "output_interface": PORT,
    }


def forged(number: int) -> Record:
    """A flow of ten seconds, an hour after midnight."""
    return record(f"10.66.{number // 250}.{number % 250}", 11 * GB // 10, 3_600_000, 10_000)


def forged_in_two(number: int, interface: int = 0) -> list[Record]:
    """The same in two records, the second of them by `interface`."""
    whole = forged(number)
    half = whole | {"bytes": whole["bytes"] // 2, "packets": whole["packets"] // 2, "last_ms": whole["last_ms"] - 5000}
    later = {"first_ms": half["last_ms"], "last_ms": whole["last_ms"], "input_interface": interface}
    return [half, half | later]


def forged_for_long(number: int) -> Record:
    """1.1 GB in each minute of ten."""
    return record(f"10.66.{number // 250}.{number % 250}", 11 * GB, 3_600_000, 600_000)


def found(folder: Path, records: list[Record], known: frozenset[Hosts] = frozenset()) -> AlphaFlows:
    columns = {name: [one[name] for one in records] for name in LAKE_SCHEMA.names}
    write_table(folder / "lake" / "part.parquet", pa.table(columns, schema=LAKE_SCHEMA))
    rates = {PORT: RATE_BPS}
    return alpha_flows(DuckEngine(), folder / "lake", ["part.parquet"], "r1", DAY, RULE, rates, lambda: known)


def test_true_flows_are_found_and_the_forged_are_counted(tmp_path: Path) -> None:
    flood = [forged(number) for number in range(FORGED)]
    large = record("198.18.1.1", 3 * GB, 3_600_000, 10_000)
    later = record("198.18.1.2", 2 * GB, 7_200_000, 30_000)
    halved = [record("198.18.1.3", 6 * GB // 10, 3_600_000 + half * 5000, 4000) for half in (0, 1)]
    flows = found(tmp_path, [*flood, large, later, *halved])
    marks = {flow.source: flow.implausible for flow in flows.observations}
    assert {source: mark for source, mark in marks.items() if source.startswith("198.18")} == {
        "198.18.1.1": True, "198.18.1.2": False, "198.18.1.3": True,
    }  # fmt: skip
    assert sum(marks.values()) == LISTED_FLOWS
    assert flows.unlisted_flows == FORGED + 2 - LISTED_FLOWS
    (note,) = flows.notes
    assert note.startswith(f"{FORGED + 2} alpha flows ({flows.unlisted_flows} of them counted, not listed) would")


@pytest.mark.parametrize(
    "form",
    [
        forged_in_two,
        lambda number: [forged_for_long(number)],
        lambda number: [forged(number), forged(number) | {"input_interface": 9}],
    ],
    ids=["of two records", "of long records", "by two interfaces"],
)
def test_no_form_of_a_flood_is_listed_flow_by_flow(tmp_path: Path, form: Callable[[int], list[Record]]) -> None:
    flood = [one for number in range(FORGED) for one in form(number)]
    true = record("198.18.1.2", 2 * GB, 7_200_000, 30_000)
    flows = found(tmp_path, [*flood, true])
    assert [flow.source for flow in flows.observations if not flow.implausible] == ["198.18.1.2"]
    assert len(flows.observations) == LISTED_FLOWS + 1
    assert flows.unlisted_flows == FORGED - LISTED_FLOWS


def test_flows_between_hosts_that_were_seen_otherwise_are_listed(tmp_path: Path) -> None:
    flood = [forged(number) for number in range(FORGED)]
    seen = flood[1200]
    known = frozenset({(seen["src_hi"], seen["src_lo"], seen["dst_hi"], seen["dst_lo"])})
    sources = {flow.source for flow in found(tmp_path / "known", flood, known).observations}
    assert "10.66.4.200" in sources
    assert len(sources) == LISTED_FLOWS + 1
    assert "10.66.4.200" not in {flow.source for flow in found(tmp_path / "new", flood).observations}


def test_a_listed_flow_is_what_it_is_without_the_flood(tmp_path: Path) -> None:
    true = record("198.18.1.2", 2 * GB, 7_200_000, 30_000)
    flows = found(tmp_path / "flooded", [*map(forged, range(FORGED)), true])
    (alone,) = found(tmp_path / "alone", [true]).observations
    assert alone in flows.observations
