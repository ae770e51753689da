"""Observations and day statuses: a day is replaced as a whole and read as a history."""

from dataclasses import replace
from datetime import date
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine

from hntes.sql import day_status, observations
from hntes.sql.entries import DayEntry, ObservationEntry
from hntes.sql.errors import InvalidEntryError
from hntes.sql.host_totals import HostTotal, believed_bytes_by_day, host_totals, observation_days
from hntes.sql.observations import SeenFlow
from hntes.sql.session import reading, transaction
from tests.support.entries import observation

DAY = date(2026, 3, 1)
NEXT = date(2026, 3, 2)
FLOW = observation(day=DAY, flow_bytes=2**62, burst_bytes=10**10)
HOST_PAIR = replace(
    FLOW, flow_id="f0", flow_key="host_pair", source_port=None, destination_port=None, protocol=None, borderline=True,
    peak_sd_bytes=5, sampling_factor=100,
)  # fmt: skip
DAY_STATUS = DayEntry("r1", DAY, 86_400, 86_400, 288, 0, 10**10, True, "")


def test_a_day_is_replaced_as_a_whole_and_no_other_day_is_touched(store: Engine) -> None:
    kept = replace(FLOW, day=NEXT)
    elsewhere = replace(FLOW, router="r2")
    with transaction(store) as session:
        observations.replace_day(session, "r1", DAY, [FLOW])
        observations.replace_day(session, "r1", NEXT, [kept])
        observations.replace_day(session, "r2", DAY, [elsewhere])
        observations.replace_day(session, "r1", DAY, [HOST_PAIR])
    with reading(store) as session:
        assert observations.history(session, "r1", NEXT) == (HOST_PAIR, kept)
        assert observations.history(session, "r2", NEXT) == (elsewhere,)


def test_a_replay_reads_the_same_flows_with_fewer_columns(store: Engine) -> None:
    later = replace(FLOW, day=NEXT, implausible=True)
    with transaction(store) as session:
        observations.replace_day(session, "r1", DAY, [FLOW, HOST_PAIR])
        observations.replace_day(session, "r1", NEXT, [later])
        observations.replace_day(session, "r2", DAY, [replace(FLOW, router="r2")])
    with reading(store) as session:
        found = observations.seen_flows(session, "r1", NEXT)
        wanted = observations.history(session, "r1", NEXT)
        assert sorted(found) == sorted(
            SeenFlow(*(getattr(entry, name) for name in SeenFlow._fields)) for entry in wanted
        )
        assert [seen.day for seen in observations.seen_flows(session, "r1", NEXT, NEXT)] == [NEXT]
        assert {seen.day for seen in observations.seen_flows(session, "r1", DAY)} == {DAY}


def test_bytes_by_day_leave_out_what_cannot_be_true_and_fit_their_column(store: Engine) -> None:
    cannot_be = replace(FLOW, flow_id="f9", implausible=True)
    with transaction(store) as session:
        observations.replace_day(session, "r1", DAY, [FLOW, cannot_be])
        observations.replace_day(session, "r1", NEXT, [replace(FLOW, day=NEXT, flow_id=f"f{n}") for n in range(3)])
        observations.replace_day(session, "r2", DAY, [replace(FLOW, router="r2")])
    with reading(store) as session:
        assert believed_bytes_by_day(session, "r1", DAY, NEXT) == {DAY: 2**62, NEXT: 2**63 - 1}
        assert believed_bytes_by_day(session, "r1", DAY, DAY) == {DAY: 2**62}


def test_forged_counters_that_add_up_to_more_than_a_column_holds_stop_nobody(store: Engine) -> None:
    flows = [replace(FLOW, flow_id=f"f{n}", flow_bytes=2**62 + n) for n in range(5)]
    most = 2**63 - 1
    beyond = replace(HOST_PAIR, router="r2", flow_bytes=2**70, burst_bytes=2**69, peak_bytes=2**68, peak_sd_bytes=2**67)
    with transaction(store) as session:
        observations.replace_day(session, "r1", DAY, flows)
        observations.replace_day(session, "r2", DAY, [beyond])
    carried = 5 * 2**62 + 10
    with reading(store) as session:
        assert observations.day_sums(session, "r1", DAY).flow_bytes == carried
        assert [total.flow_bytes for total in host_totals(session, "r1", DAY)] == [most]
        assert [hosts.flow_bytes for hosts in observations.host_flows(session, "r1", DAY, DAY)] == [carried]
        (held,) = observations.history(session, "r2", DAY)
    assert (held.flow_bytes, held.burst_bytes, held.peak_bytes, held.peak_sd_bytes) == (most,) * 4


def test_an_empty_day_removes_what_was_there(store: Engine) -> None:
    with transaction(store) as session:
        observations.replace_day(session, "r1", DAY, [FLOW, HOST_PAIR])
        observations.replace_day(session, "r1", DAY, [])
        assert observations.history(session, "r1", NEXT) == ()


def test_a_history_ends_with_its_day_and_is_sorted(store: Engine) -> None:
    with transaction(store) as session:
        observations.replace_day(session, "r1", NEXT, [replace(FLOW, day=NEXT)])
        observations.replace_day(session, "r1", DAY, [FLOW, HOST_PAIR])
        assert observations.history(session, "r1", DAY) == (HOST_PAIR, FLOW)
        assert observations.history(session, "r1", NEXT, NEXT) == (replace(FLOW, day=NEXT),)


@pytest.mark.parametrize("foreign", [replace(FLOW, router="r2"), replace(FLOW, day=NEXT)])
def test_an_observation_of_another_partition_is_refused(store: Engine, foreign: ObservationEntry) -> None:
    with transaction(store) as session, pytest.raises(InvalidEntryError, match="f1"):
        observations.replace_day(session, "r1", DAY, [foreign])


def test_day_statuses(store: Engine) -> None:
    incomplete = replace(DAY_STATUS, day=NEXT, complete=False, reason="12 of 288 files missing")
    with transaction(store) as session:
        day_status.replace_day_status(session, replace(DAY_STATUS, complete=False))
        day_status.replace_day_status(session, incomplete)
        day_status.replace_day_status(session, DAY_STATUS)
        assert day_status.day_status(session, "r1", DAY) == DAY_STATUS
        assert day_status.day_status(session, "r2", DAY) is None
        assert day_status.day_statuses(session, "r1", NEXT) == (DAY_STATUS, incomplete)
        assert day_status.day_statuses(session, "r1", DAY) == (DAY_STATUS,)
        assert day_status.day_statuses(session, "r1", NEXT, NEXT) == (incomplete,)


def test_totals_of_a_day_add_up_what_passed_between_two_hosts(store: Engine) -> None:
    small = replace(FLOW, flow_bytes=5, peak_bytes=4)
    other_port = replace(small, flow_id="f2", source_port=1, flow_bytes=7, peak_bytes=3)
    other_host = replace(small, flow_id="f3", source="198.18.10.6", borderline=not FLOW.borderline)
    odd = replace(small, flow_id="f4", flow_bytes=9, implausible=True, borderline=False)
    ipv6 = replace(small, flow_id="f5", ip_version=6, source="2001:db8::1", destination="2001:db8::2")
    with transaction(store) as session:
        observations.replace_day(session, "r1", DAY, [small, other_port, other_host, odd, ipv6])
        observations.replace_day(session, "r1", NEXT, [replace(small, day=NEXT)])
        observations.replace_day(session, "r2", DAY, [replace(small, router="r2")])
        observations.replace_day(session, "r3", DAY, [replace(small, router="r3")])
        observations.replace_day(session, "r3", DAY, [])
    with reading(store) as session:
        assert host_totals(session, "r1", DAY) == [
            HostTotal("198.18.10.6", FLOW.destination, 1, 5, 4, int(not FLOW.borderline)),
            HostTotal(FLOW.source, FLOW.destination, 2, 12, 4, 2 * FLOW.borderline),
            HostTotal(FLOW.source, FLOW.destination, 1, 9, 4, 0, implausible=True),
            HostTotal("2001:db8::1", "2001:db8::2", 1, 5, 4, int(FLOW.borderline)),
        ]
        assert [each.day for each in observation_days(session, "r1")] == [DAY, NEXT]
        assert [each.day for each in observation_days(session, "r1", (NEXT, NEXT))] == [NEXT]
        assert observation_days(session, "r3") == ()


@pytest.mark.parametrize(
    ("source", "destination"),
    [
        ("198.18.10.0/24", "203.0.113.0/24"), ("198.18.10.1/32", "203.0.113.9/32"), ("198.18.8.0/21", "0.0.0.0/0"),
        ("198.18.11.0/24", "203.0.113.0/24"), ("2001:db8::/32", "2001:db8:1::/48"), ("2001:db8::7/128", "::/0"),
        ("2001:db8:0:1::/64", "2001:db8:1::/64"),
    ],
)  # fmt: skip
def test_flows_between_prefixes_are_found_by_the_beginnings_of_texts(
    store: Engine, source: str, destination: str
) -> None:
    hosts = [
        ("198.18.10.1", "203.0.113.9"), ("198.18.10.10", "203.0.113.9"), ("198.18.100.1", "203.0.113.9"),
        ("198.18.9.255", "203.0.114.9"), ("2001:db8::7", "2001:db8:1::9"), ("2001:db8:0:1::7", "2001:db8:1::9"),
        ("2001:db9::7", "2001:db8:10::9"),
    ]  # fmt: skip
    days = (DAY, NEXT)
    flows = [
        replace(
            FLOW,
            flow_bytes=10**12,
            day=day,
            flow_id=f"{one} > {other}",
            source=one,
            destination=other,
            ip_version=6 if ":" in one else 4,
        )
        for day in days
        for one, other in hosts
    ]
    with transaction(store) as session:
        for day in days:
            observations.replace_day(session, "r1", day, [flow for flow in flows if flow.day == day])
            observations.replace_day(
                session, "r2", day, [replace(flow, router="r2") for flow in flows if flow.day == day]
            )
    wanted = ip_network(source), ip_network(destination)
    expected = [
        flow
        for flow in sorted(flows, key=lambda flow: (flow.day, flow.flow_id))
        if ip_address(flow.source) in wanted[0] and ip_address(flow.destination) in wanted[1]
    ]
    with reading(store) as session:
        assert list(observations.between(session, "r1", *wanted, days)) == expected
        first = [flow for flow in expected if flow.day == DAY]
        assert list(observations.between(session, "r1", *wanted, (DAY, DAY))) == first
        sums = observations.day_sums(session, "r1", DAY)
        assert (sums.flows, sums.implausible_flows, sums.flow_bytes) == (7, 0, 7 * 10**12)
        assert observations.day_sums(session, "r9", DAY) == observations.DaySums(0, 0, 0)


@given(st.ip_addresses(), st.integers(0, 128), st.integers(0, 2**128 - 1))
def test_all_hosts_of_a_prefix_begin_with_its_head(base: IPv4Address | IPv6Address, length: int, other: int) -> None:
    prefix = ip_network(f"{base}/{min(length, base.max_prefixlen)}", strict=False)
    host = prefix.network_address + other % prefix.num_addresses
    assert str(host).startswith(observations.text_head(prefix))
