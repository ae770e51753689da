"""Records that cannot be true, of a factor that was never heard of, or of addresses in another form."""

from typing import Any

import pytest

from hntes.etl.ingest.exporter_baseline import ExporterBaseline
from hntes.etl.ingest.ports import PortRates
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.source import Exporter
from tests.support.judged import judge
from tests.support.raw_records import ONE, addresses, judged, outcomes, raw

SECOND = {"last": "2026-11-20T18:20:01.006"}
NO_TIME = {"last": ONE["first"]}
TEN_GIGABIT = PortRates({501: 10**9, 502: 10**10}, 10**10)


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        # one packet of NetFlow v5 that claims what the counters of its form hold
        ({"in_bytes": 4_200_000_000, "in_packets": 3_000_000, **NO_TIME}, "set_aside:faster_than_port"),
        ({"in_bytes": 4_200_000_000, "in_packets": 64_086}, "kept"),  # in 30 s: 1.12 Gb/s of 10 Gb/s
        ({"in_bytes": 4_200_000_000, "in_packets": 64_000}, "set_aside:oversized_packets"),
        ({"in_bytes": 65_576, "in_packets": 1}, "set_aside:oversized_packets"),
        ({"in_bytes": 65_575, "in_packets": 1}, "kept"),
        # from the port of 1 Gb/s: 137.5 MB in 1 s and the tenth of a second by which the times may be wrong
        ({"in_bytes": 137_500_000, "in_packets": 100_000, "input_snmp": 501, **SECOND}, "kept"),
        ({"in_bytes": 152_000_000, "in_packets": 100_000, "input_snmp": 501, **SECOND}, "set_aside:faster_than_port"),
        # the same from a port that the settings do not name: the greatest rate counts
        ({"in_bytes": 152_000_000, "in_packets": 100_000, "input_snmp": 7, **SECOND}, "kept"),
        # metered at ingress, it may be dropped before it leaves by the slower port
        ({"in_bytes": 152_000_000, "in_packets": 100_000, "input_snmp": 502, "output_snmp": 501, **SECOND}, "kept"),
        (
            {"in_bytes": 152_000_000, "in_packets": 100_000, "input_snmp": 502, "output_snmp": 501, "direction": 1}
            | SECOND,
            "set_aside:faster_than_port",
        ),
        # packets without bytes take time, too: 20 bytes each
        ({"in_bytes": 1000, "in_packets": 2**32 - 1, **SECOND}, "set_aside:faster_than_port"),
        # a record without a packet counter is judged by its bytes alone
        ({"in_bytes": 4_000_000, "in_packets": 0, **SECOND}, "kept"),
        ({"in_bytes": 4_200_000_000, "in_packets": 0, **SECOND}, "set_aside:faster_than_port"),
        # a full port for a minute
        ({"in_bytes": 70_000_000_000, "in_packets": 50_000_000, "last": "2026-11-20T18:21:00.006",
          "received": "2026-11-20T18:21:01.000", "input_snmp": 502}, "kept"),
    ],
)  # fmt: skip
def test_what_no_port_carries_is_set_aside_by_name(change: dict[str, Any], outcome: str) -> None:
    given = {"input_snmp": 502} | change
    assert outcomes(judged(given, {}, claims=[RouterExporters("r1", ports=TEN_GIGABIT)])) in (
        {"kept": 1, outcome: 1}, {outcome: 2},
    )  # fmt: skip


def test_without_known_rates_no_record_is_too_fast() -> None:
    forged = {"in_bytes": 4_200_000_000, "in_packets": 3_000_000, **NO_TIME}
    assert outcomes(judged(forged)) == {"kept": 1}


def test_an_exporter_that_knows_whole_seconds_only_has_a_second_more() -> None:
    coarse = {"first": "2026-11-20T18:20:00.000", "last": "2026-11-20T18:20:00.000", "input_snmp": 502}
    burst = {"in_bytes": 1_300_000_000, "in_packets": 1_000_000} | coarse
    claim = RouterExporters("r1", ports=TEN_GIGABIT)
    assert outcomes(judged(burst, claims=[claim])) == {"kept": 1}
    assert outcomes(judged(burst, {}, claims=[claim])) == {"set_aside:faster_than_port": 1, "kept": 1}
    other = {"ip4_router": "192.0.2.2"}
    assert outcomes(judged(burst, other, claims=[claim])) == {"kept": 2}


USUAL_100 = ExporterBaseline({"192.0.2.1": frozenset({100})})
UNSAMPLED = ExporterBaseline({}, frozenset({"192.0.2.1"}))
MULTIPLIED = {"sampled": 1, "in_packets": 300, "in_bytes": 300_000}


@pytest.mark.parametrize(
    ("baseline", "announced", "change", "outcome"),
    [
        (USUAL_100, 100, MULTIPLIED, "kept"),
        # no multiples of what they were multiplied by
        (USUAL_100, 1_000_000, MULTIPLIED, "set_aside:sampling_changed"),
        (UNSAMPLED, 1_000_000, MULTIPLIED, "set_aside:sampling_changed"),
        (UNSAMPLED, None, {}, "kept"),
        # multiplied, and the file does not name the rate: only multiples of the usual one can be true
        (USUAL_100, None, MULTIPLIED, "kept"),
        (USUAL_100, None, MULTIPLIED | {"in_packets": 16_383}, "set_aside:sampling_changed"),
        (UNSAMPLED, None, MULTIPLIED, "set_aside:sampling_changed"),
        # an exporter that was never seen
        (ExporterBaseline(), 1_000_000, MULTIPLIED, "kept"),
        (ExporterBaseline({"192.0.2.7": frozenset({100})}), 1000, MULTIPLIED, "kept"),
    ],
)
def test_a_factor_that_the_exporter_never_had_is_not_believed(
    baseline: ExporterBaseline, announced: int | None, change: dict[str, Any], outcome: str
) -> None:
    exporters = [Exporter(1, "192.0.2.1", announced, True)]
    result = judge([raw(change)], [RouterExporters("r1")], exporters, 300_000, baseline=baseline)
    settled = {name for name in outcomes(result) if not name.startswith("repaired:")}
    assert settled == {outcome}
    assert bool(result.warnings) == (outcome != "kept")


@pytest.mark.parametrize(
    ("baseline", "announced", "change", "taken"),
    [
        # three packets of 1500 bytes that the collector multiplied by a million
        (UNSAMPLED, 1_000_000, {"sampled": 1, "in_packets": 3_000_000, "in_bytes": 4_500_000_000}, (4500, 3, 1)),
        (USUAL_100, 1_000_000, {"sampled": 1, "in_packets": 3_000_000, "in_bytes": 4_500_000_000}, (450_000, 300, 100)),
        # before the announcement: would be multiplied here
        (UNSAMPLED, 1_000_000, {"in_packets": 3, "in_bytes": 4500}, (4500, 3, 1)),
        # the smaller of the two, whichever is new: no counter becomes larger than the stored one
        (USUAL_100, 10, {"sampled": 1, "in_packets": 30, "in_bytes": 45_000}, (45_000, 30, 10)),
        (USUAL_100, 1, {"sampled": 1, "in_packets": 3, "in_bytes": 4500}, (4500, 3, 1)),
        # a later file, which no longer names what nfcapd goes on multiplying by
        (ExporterBaseline({}, frozenset({"192.0.2.1"}), {"192.0.2.1": frozenset({7, 1000})}), None,
         {"sampled": 1, "in_packets": 3000, "in_bytes": 4_500_000}, (4500, 3, 1)),
    ],
)  # fmt: skip
def test_the_smaller_of_a_known_and_a_new_factor_counts(
    baseline: ExporterBaseline, announced: int | None, change: dict[str, Any], taken: tuple[int, int, int]
) -> None:
    result = judge(
        [raw(change)], [RouterExporters("r1")], [Exporter(1, "192.0.2.1", announced, True)], 300_000, baseline=baseline
    )
    row = result.rows.to_pylist()[0]
    assert (row["bytes"], row["packets"], row["sampling_factor"]) == taken
    assert outcomes(result) == {"kept": 1, "repaired:sampling_factor": 1}
    assert f"they were counted with 1:{taken[2]}" in result.warnings[0]
    assert {(one.factor, one.source) for one in result.evidence} >= {(taken[2], "lowered")}


@pytest.mark.parametrize(("others", "lowered"), [(1, 20), (2, 20), (3, 0)])
def test_few_records_that_are_no_multiples_do_not_stop_the_others_from_being_lowered(others: int, lowered: int) -> None:
    """As of a counter of 64 bits that the collector's multiplication passed."""
    exporters = [Exporter(1, "192.0.2.1", 1000, True)]
    true = {"sampled": 1, "in_packets": 3000, "in_bytes": 4_500_000}
    records = raw(*[true] * 20, *[true | {"in_packets": 3001}] * others)
    for tables in ([records], [records[20:], records[:20]]):
        result = judge(tables, [RouterExporters("r1")], exporters, 300_000, baseline=USUAL_100)
        assert outcomes(result).get("kept", 0) == lowered
        assert outcomes(result)["set_aside:sampling_changed"] == others + 20 - lowered
        assert set(result.rows["bytes"].to_pylist()) == ({450_000} if lowered else set())


@pytest.mark.parametrize(
    ("announced", "change", "outcome"),
    [
        (100, MULTIPLIED, "kept"),
        (1000, MULTIPLIED, "set_aside:sampling_changed"),
        (50, MULTIPLIED, "kept"),
        (None, MULTIPLIED, "kept"),
        (None, MULTIPLIED | {"in_packets": 16_383}, "set_aside:sampling_changed"),
        (None, {}, "kept"),
        (1000, {}, "kept"),  # multiplied by the settings' factor, whatever is announced
    ],
)
def test_what_the_settings_say_of_sampling_counts_before_history(
    announced: int | None, change: dict[str, Any], outcome: str
) -> None:
    claim = RouterExporters("r1", sampling={"192.0.2.1": 100}, allowed_factors={"192.0.2.1": (50,)})
    exporters = [Exporter(1, "192.0.2.1", announced, True)]
    baseline = ExporterBaseline({"192.0.2.1": frozenset({1000})})
    result = judge([raw(change)], [claim], exporters, 300_000, baseline=baseline)
    assert outcomes(result) == {outcome: 1}
    contradicted = outcome != "kept" or (announced == 1000 and not change)
    assert bool(result.warnings) == contradicted


def test_a_doubt_says_which_lines_make_the_factor_believed() -> None:
    exporters = [Exporter(1, "192.0.2.1", 1000, True)]
    (warning,) = judge([raw(MULTIPLIED)], [RouterExporters("r1")], exporters, 300_000, baseline=USUAL_100).warnings
    assert '[[routers.sampling]] exporter = "192.0.2.1" factor = 1000 allowed_factors = [100]' in warning
    assert "router r1" in warning


@pytest.mark.parametrize(
    ("source", "destination", "found"),
    [
        ("::ffff:10.0.0.1", "::ffff:10.0.1.1", (4, "10.0.0.1", "10.0.1.1")),
        ("::ffff:a00:1", "::ffff:a00:101", (4, "10.0.0.1", "10.0.1.1")),
        ("::ffff:10.0.0.1", "2001:db8::1", None),
        ("::10.0.0.1", "2001:db8::1", None),
        ("2001:db8::1", "::1", None),
        ("2001:db8::1", "2001:db8::2", (6, "2001:db8::1", "2001:db8::2")),
    ],
)
def test_an_ipv4_address_in_ipv6_form_is_the_ipv4_address(
    source: str, destination: str, found: tuple[int, str, str] | None
) -> None:
    six = {"src4_addr": None, "dst4_addr": None, "src6_addr": source, "dst6_addr": destination}
    result = judged(six)
    assert addresses(result) == ([found] if found else [])
    assert outcomes(result) == {"kept" if found else "set_aside:no_address": 1}
