"""Bytes in no packets: damaged or forged where the exporter counts packets, a template without a counter elsewhere."""

from pathlib import Path

import pytest

from tests.integration.etl.detect.test_flooded_day import GB, Record, found, record

TRUE = record("198.18.1.1", 2 * GB, 7_200_000, 30_000)
UNCOUNTED = record("198.18.1.2", 2 * GB, 10_800_000, 30_000) | {"packets": 0}
# 74 GB in a minute, as much as the port of 10 Gb/s carries.
FULL = record("198.18.1.3", 74 * GB, 7_200_000, 60_000) | {"packets": 0}


def doubts(folder: Path, records: list[Record]) -> dict[str, str]:
    return {flow.source: flow.doubt for flow in found(folder, records).observations}


def test_bytes_in_no_packets_are_doubted_beside_records_with_packets(tmp_path: Path) -> None:
    flows = found(tmp_path, [TRUE, UNCOUNTED])
    assert {flow.source: flow.doubt for flow in flows.observations} == {
        "198.18.1.1": "none", "198.18.1.2": "no_packets",
    }  # fmt: skip
    assert [flow.implausible for flow in flows.observations] == [False, True]
    (note,) = flows.notes
    assert note.startswith("1 alpha flow in no packets, of exporters that count packets: implausible")


def test_an_exporter_without_a_packet_counter_is_believed(tmp_path: Path) -> None:
    assert doubts(tmp_path, [TRUE | {"packets": 0}, UNCOUNTED]) == {"198.18.1.1": "none", "198.18.1.2": "none"}


@pytest.mark.parametrize("other", [{"exporter_lo": 7}, {"ip_version": 6}], ids=["exporter", "IP version"])
def test_what_another_counts_says_nothing(tmp_path: Path, other: Record) -> None:
    assert doubts(tmp_path, [TRUE | other, UNCOUNTED])["198.18.1.2"] == "none"


def test_few_bytes_in_no_packets_do_not_doubt_a_flow(tmp_path: Path) -> None:
    tail = TRUE | {"first_ms": TRUE["last_ms"], "last_ms": TRUE["last_ms"] + 10, "packets": 0, "bytes": 900}
    assert doubts(tmp_path, [TRUE, tail]) == {"198.18.1.1": "none"}


def test_a_doubted_flow_takes_no_room_of_its_port(tmp_path: Path) -> None:
    beside = record("198.18.1.4", 40 * GB, 7_200_000, 60_000)
    assert doubts(tmp_path, [beside, FULL]) == {"198.18.1.3": "no_packets", "198.18.1.4": "none"}
