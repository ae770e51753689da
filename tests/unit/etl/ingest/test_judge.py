"""From raw records to lake rows: every record is counted once, and nothing is taken for what it is not."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.schema import LAKE_SCHEMA, MULTIPLIED_BY_COLLECTOR, MULTIPLIED_HERE, TIME_REPAIRED
from hntes.etl.sources.source import Exporter
from tests.support.judged import judge
from tests.support.raw_records import BIG, FIRST_MS, ONE, accounted, addresses, judged, only_row, outcomes, raw


def test_a_record_becomes_a_row_with_all_its_fields() -> None:
    row = only_row(judged({}))
    assert row == {
        "first_ms": FIRST_MS, "last_ms": FIRST_MS + 30_000, "ip_version": 4,
        "src_hi": 0, "src_lo": 10 << 24 | 1, "dst_hi": 0, "dst_lo": 10 << 24 | 1 << 8 | 1,
        "src_port": 40_000, "dst_port": 443, "protocol": 6, "input_interface": 501, "output_interface": 502,
        "direction": 0, "bytes": 15_000, "packets": 10, "sampling_factor": 1,
        "exporter_hi": 0, "exporter_lo": 192 << 24 | 2 << 8 | 1, "exporter_domain": 1, "record_flags": 0, "tos": 0,
    }  # fmt: skip


@pytest.mark.parametrize(("exported", "kept"), [(None, 0), (0, 0), (186, 186), (255, 255)])
def test_the_type_of_service_is_that_of_the_record_or_0(exported: int | None, kept: int) -> None:
    assert only_row(judged({"src_tos": exported}))["tos"] == kept


def test_an_ipv6_record_keeps_its_addresses() -> None:
    change = {"src4_addr": None, "dst4_addr": None, "src6_addr": "2001:db8::1", "dst6_addr": "fe80::ffff:0:0:2"}
    assert addresses(judged(change)) == [(6, "2001:db8::1", "fe80::ffff:0:0:2")]


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        # templates of Cisco and Huawei carry both forms: for an IPv4 packet the IPv6 fields repeat the IPv4 address
        ({"src6_addr": "::10.0.0.1", "dst6_addr": "::10.0.1.1"}, (4, "10.0.0.1", "10.0.1.1")),
        ({"src6_addr": "::", "dst6_addr": "::"}, (4, "10.0.0.1", "10.0.1.1")),
        (
            {"src4_addr": "0.0.0.0", "dst4_addr": "0.0.0.0", "src6_addr": "2001:db8::1", "dst6_addr": "2001:db8::2"},  # noqa: S104
            (6, "2001:db8::1", "2001:db8::2"),
        ),
        ({"src6_addr": "2001:db8::1", "dst6_addr": "2001:db8::2"}, (6, "2001:db8::1", "2001:db8::2")),
        ({"src4_addr": None, "dst4_addr": None, "src6_addr": "1::a00:1", "dst6_addr": "1::5"}, (6, "1::a00:1", "1::5")),
    ],
)
def test_records_with_both_forms_of_an_address_are_what_they_are(
    change: dict[str, Any], wanted: tuple[int, str, str]
) -> None:
    assert addresses(judged(change)) == [wanted]


def test_icmp_keeps_type_and_code_where_others_keep_the_port() -> None:
    change = {"proto": 1, "src_port": None, "dst_port": None, "icmp_type": 3, "icmp_code": 4}
    row = only_row(judged(change))
    assert (row["src_port"], row["dst_port"]) == (0, 3 * 256 + 4)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"src4_addr": None}, "no_address"),
        ({"dst4_addr": "0.0.0.0"}, "no_address"),  # noqa: S104
        ({"src4_addr": None, "src6_addr": "2001:db8::1"}, "no_address"),
        ({"in_bytes": BIG + 1}, "absurd_counter"),
        ({"in_packets": BIG + 1}, "absurd_counter"),
        ({"in_bytes": 2**64 - 1}, "absurd_counter"),
        ({"first": "1970-01-01T00:00:00.000"}, "no_time"),
        ({"first": None}, "no_time"),
        ({"last": "12026-11-20T18:20:30.006"}, "no_time"),
        ({"first": "2026-11-20T19:20:30.007"}, "end_before_start"),
        ({"first": "2026-10-20T18:20:30.006"}, "too_long"),
        ({"last": "2026-11-20T18:25:31.001"}, "in_future"),
        ({"type": "EVENT", "in_bytes": 0}, "not_a_flow"),
        ({"type": "EVENT", "in_bytes": None}, "not_a_flow"),
        ({"type": "STAT"}, "not_a_flow"),
    ],
)
def test_what_is_set_aside_names_its_rule_and_keeps_its_record(change: dict[str, Any], reason: str) -> None:
    result = judged({}, change, {})
    records = {outcome: n for (_, outcome), (n, _) in result.counts.items()}
    assert records == {"kept": 2, f"set_aside:{reason}": 1}
    assert result.set_aside["reason"].to_pylist() == [reason]
    assert result.set_aside["router"].to_pylist() == ["r1"]


def test_the_largest_believable_counters_are_kept() -> None:
    row = only_row(judged({"in_bytes": BIG, "in_packets": BIG}))
    assert (row["bytes"], row["packets"]) == (BIG, BIG)


def test_a_counter_that_only_its_factor_makes_absurd_is_set_aside() -> None:
    claim = RouterExporters("r1", sampling={"192.0.2.1": 1_000_000})
    most = BIG // 1_000_000
    full = {"in_packets": 10**8}
    records = [{"in_bytes": most} | full, {"in_bytes": most + 1} | full, {"in_bytes": 2**50} | full]
    result = judged(*records, claims=[claim])
    assert result.counts["r1", "set_aside:absurd_counter"] == (2, most + 1 + 2**50)
    assert only_row(result)["bytes"] == most * 1_000_000
    assert [found.records for found in result.evidence] == [1]


def test_counts_of_absurd_counters_fit_a_database_column() -> None:
    result = judged(*[{"in_bytes": 2**64 - 1}] * 5)
    records, byte_count = result.counts["r1", "set_aside:absurd_counter"]
    assert records == 5
    assert byte_count == 2**63 - 1


def test_firewall_events_that_count_bytes_are_flows() -> None:
    assert judged({"type": "EVENT"}).rows.num_rows == 1


def test_an_egress_record_may_count_in_the_egress_counter_alone() -> None:
    change = {"direction": 1, "in_bytes": 0, "in_packets": 0, "out_bytes": 7000, "out_packets": 5}
    result = judged(change)
    row = only_row(result)
    assert (row["bytes"], row["packets"]) == (7000, 5)
    assert result.counts == {("r1", "kept"): (1, 7000), ("r1", "noted:egress_counter"): (1, 7000)}


@pytest.mark.parametrize(
    "change",
    [
        {"out_bytes": 15_000, "out_packets": 10},  # the same traffic again, as some firewalls do
        {"out_bytes": 900, "out_packets": 3, "direction": 1},
        {"out_bytes": 900, "in_bytes": 0},  # perhaps the other direction
    ],
)
def test_a_second_counter_is_not_added_but_told(change: dict[str, Any]) -> None:
    result = judged(change)
    assert only_row(result)["bytes"] == change.get("in_bytes", 15_000)
    assert result.counts["r1", "noted:out_bytes_not_used"] == (1, change["out_bytes"])


def test_each_router_gets_its_exporters_records_and_the_rest_is_told() -> None:
    claims = [
        RouterExporters("r1", frozenset({"192.0.2.1"})),
        RouterExporters("r2", frozenset({"192.0.2.2", "2001:db8::2"})),
    ]
    result = judged(
        {},
        {"ip4_router": "192.0.2.2"},
        {"ip4_router": None, "ip6_router": "2001:db8::2"},
        {"ip4_router": "192.0.2.3", "in_bytes": 7},
        {"ip4_router": "192.0.2.3", "in_bytes": 8},
        claims=claims,
    )
    assert result.owner.tolist() == [0, 1, 1]
    assert result.counts == {
        ("r1", "kept"): (1, 15_000),
        ("r2", "kept"): (2, 30_000),
        ("", "unclaimed:192.0.2.3"): (2, 15),
    }


def test_a_router_without_named_exporters_takes_all() -> None:
    result = judged({}, {"ip4_router": None}, {"ip4_router": "192.0.2.9"})
    assert result.owner.tolist() == [0, 0, 0]


def test_nameless_records_get_the_exporter_that_the_file_names() -> None:
    claims = [RouterExporters("r1", frozenset({"192.0.2.1"})), RouterExporters("r2", frozenset({"2001:db8::2"}))]
    exporters = [Exporter(1, "192.0.2.1", None, False), Exporter(2, "2001:db8::2", None, False)]
    nameless = [{"ip4_router": None, "export_sysid": number} for number in (1, 2, 3)]
    result = judged(*nameless, claims=claims, exporters=exporters)
    assert result.owner.tolist() == [0, 1]
    assert result.counts["", "unclaimed:0.0.0.0"] == (1, 15_000)


def test_a_records_own_exporter_counts_before_the_files_list() -> None:
    result = judged({}, exporters=[Exporter(1, "198.51.100.1", None, False)])
    assert only_row(result)["exporter_lo"] == 192 << 24 | 2 << 8 | 1


def test_marked_records_are_not_multiplied_and_unmarked_ones_are() -> None:
    general = Exporter(1, "192.0.2.1", 1000, True)
    result = judged({"sampled": 1}, {"sampled": 0}, exporters=[general])
    assert result.rows["bytes"].to_pylist() == [15_000, 15_000_000]
    assert result.rows["packets"].to_pylist() == [10, 10_000]
    assert result.rows["sampling_factor"].to_pylist() == [1000, 1000]
    assert result.rows["record_flags"].to_pylist() == [MULTIPLIED_BY_COLLECTOR, MULTIPLIED_HERE]
    assert result.counts["r1", "repaired:before_sampling_option"] == (1, 15_000)
    assert {(found.source, found.factor, found.records) for found in result.evidence} == {
        ("collector", 1000, 1),
        ("announced", 1000, 1),
    }


def test_each_exporter_has_a_factor_of_its_own() -> None:
    claim = RouterExporters("r1", sampling={"192.0.2.1": 100, "2001:db8::2": 7})
    result = judged({}, {"ip4_router": None, "ip6_router": "2001:db8::2"}, {"ip4_router": "192.0.2.9"}, claims=[claim])
    assert result.rows["bytes"].to_pylist() == [1_500_000, 105_000, 15_000]
    assert result.rows["sampling_factor"].to_pylist() == [100, 7, 1]


def test_a_repaired_time_is_marked_and_counted() -> None:
    result = judged({"first": ONE["last"], "last": ONE["first"]})
    row = only_row(result)
    assert (row["first_ms"], row["last_ms"]) == (FIRST_MS, FIRST_MS + 30_000)
    assert row["record_flags"] == TIME_REPAIRED
    assert result.counts["r1", "repaired:end_before_start"] == (1, 15_000)


def test_old_records_are_kept_and_noted() -> None:
    result = judged({"received": "2026-11-21T18:20:30.007"})
    assert result.counts == {("r1", "kept"): (1, 15_000), ("r1", "noted:days_old"): (1, 15_000)}


def test_a_file_without_records_is_judged_too() -> None:
    result = judge([raw()], [RouterExporters("r1")], [], 0)
    assert (result.rows.num_rows, result.counts, result.evidence) == (0, {}, [])


odd = st.fixed_dictionaries(
    {},
    optional={
        "in_bytes": st.sampled_from([0, 1, BIG, BIG + 1, 2**63, 2**64 - 1]),
        "sampled": st.sampled_from([0, 1]),
        "export_sysid": st.integers(0, 3),
        "src4_addr": st.sampled_from([None, "10.0.0.1", "255.255.255.255"]),
        "src6_addr": st.sampled_from([None, "::", "::1", "ffff::1", "::10.0.0.1"]),
        "dst6_addr": st.sampled_from([None, "::", "2001:db8::", "::10.0.1.1"]),
        "ip4_router": st.sampled_from([None, "192.0.2.1", "192.0.2.2", "192.0.2.3"]),
        "first": st.sampled_from([None, "1970-01-01T00:00:00.000", "2026-11-20T18:20:40.000"]),
        "received": st.sampled_from([None, "2020-01-01T00:00:00.000"]),
        "type": st.sampled_from([None, "EVENT", "STAT"]),
    },
)


@given(st.lists(odd, max_size=12), st.integers(1, 12))
def test_whatever_comes_is_counted_once_and_its_order_does_not_matter(records: list[dict[str, Any]], cut: int) -> None:
    claims = [
        RouterExporters("r1", frozenset({"192.0.2.1"}), {"192.0.2.1": 1000}),
        RouterExporters("r2", frozenset({"192.0.2.2"})),
    ]
    exporters = [Exporter(1, "192.0.2.1", 1000, True), Exporter(2, "192.0.2.2", None, False)]
    whole = judge([raw(*records)], claims, exporters, 300_000)
    assert accounted(whole) == len(records)
    assert whole.rows.num_rows + whole.set_aside.num_rows <= len(records)
    assert all(byte_count >= 0 for byte_count in whole.rows["bytes"].to_pylist())
    parts = judge([raw(*records[cut:]), raw(*records[:cut])], claims, exporters, 300_000)
    assert parts.counts == whole.counts
    order = [(name, "ascending") for name in LAKE_SCHEMA.names]
    assert parts.rows.sort_by(order) == whole.rows.sort_by(order)
    assert np.bincount(parts.owner, minlength=2).tolist() == np.bincount(whole.owner, minlength=2).tolist()


def test_exporters_whose_address_halves_are_each_others_have_clocks_of_their_own() -> None:
    """The first is an hour ahead; the exclusive or of both halves is the same for both."""
    ahead = {"ip4_router": None, "ip6_router": "2001:db8:0:1::2", "last": "2026-11-20T19:20:30.006"}
    right = {"ip4_router": None, "ip6_router": "2001:db8:0:2::1", "dst_port": 80}
    changes = [ahead | {"first": ahead["last"]}] * 60 + [right] * 40
    result = judged(*changes, claims=[RouterExporters("r1", clock="collector")])
    ends = {(row["dst_port"], row["last_ms"] // 60_000) for row in result.rows.to_pylist()}
    received = FIRST_MS // 60_000
    assert ends == {(443, received), (80, received)}
    assert outcomes(result)["repaired:clock_shift"] == 60
