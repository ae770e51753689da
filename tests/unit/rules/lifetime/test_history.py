"""Observations, packed by hosts and widened to days of prefix pairs."""

import random
from dataclasses import replace
from datetime import date, timedelta
from ipaddress import IPv6Address, ip_address

import pytest

from hntes.rules.lifetime.history import PrefixLengths, joined
from hntes.rules.lifetime.stored_history import bytes_by_day, stored_history
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import ObservationEntry
from hntes.sql.host_totals import ObservationDay, packed_day
from tests.support.entries import observation
from tests.support.rule_sets import LENGTHS, PairDay, pair_days

DAY, NEXT = date(2026, 3, 1), date(2026, 3, 2)
PAIR = PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")
FLOW = observation(
    day=DAY, flow_id="f1", source="198.18.10.7", destination="203.0.113.9", flow_bytes=100, peak_bytes=40,
    borderline=False,
)  # fmt: skip
NEIGHBOUR = replace(FLOW, flow_id="f2", source="198.18.10.8", flow_bytes=1, peak_bytes=60)
IPV6 = replace(FLOW, flow_id="f3", ip_version=6, source="2001:db8::1", destination="2001:db8:0:1::1")
FORGED = replace(FLOW, flow_id="f4", flow_bytes=9_000, peak_bytes=9_000, implausible=True)


def packed_days(*flows: ObservationEntry) -> list[ObservationDay]:
    return [packed_day("r1", day, [f for f in flows if f.day == day]) for day in sorted({f.day for f in flows})]


def days_of(*flows: ObservationEntry, lengths: PrefixLengths = LENGTHS, until: date = NEXT) -> list[PairDay]:
    return pair_days(stored_history(packed_days(*flows), until, lengths))


def test_hosts_of_one_prefix_add_up() -> None:
    assert days_of(NEIGHBOUR, FLOW) == [PairDay(PAIR, DAY, 2, 101, 60)]


def test_other_lengths_give_other_pairs() -> None:
    found = days_of(FLOW, NEIGHBOUR, IPV6, lengths=PrefixLengths((32, 24), (48, 128)))
    assert [str(entry.pair) for entry in found] == [
        "198.18.10.7/32 > 203.0.113.0/24",
        "198.18.10.8/32 > 203.0.113.0/24",
        "2001:db8::/48 > 2001:db8:0:1::1/128",
    ]


def test_days_are_apart_in_order_and_end_with_the_day_asked_for() -> None:
    found = days_of(replace(FLOW, day=NEXT), FLOW)
    assert [(entry.day, entry.flows) for entry in found] == [(DAY, 1), (NEXT, 1)]
    assert [entry.day for entry in days_of(replace(FLOW, day=NEXT), FLOW, until=DAY)] == [DAY]


def test_no_observations_no_days() -> None:
    assert days_of() == []


def test_a_day_is_weak_if_all_its_flows_are() -> None:
    weak = replace(NEIGHBOUR, borderline=True)
    assert [entry.is_weak for entry in days_of(weak, FLOW)] == [False]
    assert [entry.is_weak for entry in days_of(weak, replace(FLOW, borderline=True))] == [True]
    assert [entry.is_weak for entry in days_of(replace(FLOW, flow_id="f5", borderline=True), FLOW)] == [False]


def test_flows_that_cannot_be_true_count_for_nothing_beside_one_that_can() -> None:
    assert days_of(FLOW, FORGED) == days_of(FLOW)


def test_flows_that_cannot_be_true_count_between_hosts_that_were_seen_otherwise_whenever() -> None:
    believed_later = replace(FLOW, day=NEXT)
    assert days_of(FORGED, believed_later, until=DAY) == [PairDay(PAIR, DAY, 0, 0, 0, is_implausible=True)]
    assert days_of(FORGED, replace(NEIGHBOUR, day=NEXT), until=DAY) == []
    assert days_of(FORGED, replace(IPV6, day=NEXT), until=DAY) == []


def test_an_ipv4_host_is_not_the_ipv6_host_of_the_same_number() -> None:
    mapped = replace(FLOW, flow_id="f6", ip_version=6, source="::c612:a07", destination="::cb00:7109")
    assert [entry.pair.ip_version for entry in days_of(FLOW, mapped)] == [4, 6]
    assert days_of(FORGED, replace(mapped, day=NEXT), until=DAY) == []


def test_forged_counters_that_add_up_to_more_than_a_column_holds_are_added_up() -> None:
    flows = [replace(FLOW, flow_id=f"f{n}", day=DAY + timedelta(days=n % 2), flow_bytes=2**63 - 1) for n in range(6)]
    found = days_of(*flows)
    assert [entry.flows for entry in found] == [3, 3]
    assert 0 < sum(entry.bytes for entry in found) <= 2**62


def test_widening_keeps_every_flow_and_byte() -> None:
    chance = random.Random(7)
    flows = [
        replace(
            FLOW, flow_id=str(n), day=DAY + timedelta(days=chance.randrange(2)), flow_bytes=chance.randrange(2**40),
            source=f"10.0.{chance.randrange(4)}.{chance.randrange(256)}", destination=f"10.{chance.randrange(4)}.0.1",
        )
        for n in range(300)
    ]  # fmt: skip
    for length in (8, 17, 24, 32):
        found = days_of(*flows, lengths=PrefixLengths((length, length), (64, 64)))
        assert sum(entry.flows for entry in found) == len(flows)
        assert sum(entry.bytes for entry in found) == sum(flow.flow_bytes for flow in flows)
        assert len({(entry.pair, entry.day) for entry in found}) == len(found)


def test_bytes_of_pairs_are_those_of_the_hosts_in_them_whatever_their_lengths() -> None:
    chance = random.Random(11)
    flows = []
    for n in range(600):
        kind = chance.choice([FLOW, IPV6, FORGED])
        source = f"10.0.{chance.randrange(4)}.{chance.randrange(256)}"
        destination = f"10.{chance.randrange(4)}.0.1"
        hosts = [str(IPv6Address(int(ip_address(host)))) if kind is IPV6 else host for host in (source, destination)]
        day = DAY + timedelta(days=chance.randrange(3))
        flows.append(
            replace(kind, flow_id=str(n), day=day, flow_bytes=1 << n % 50, source=hosts[0], destination=hosts[1])
        )
    ipv4 = ("10.0.1.0/24>10.2.0.0/16", "10.0.0.0/23>10.0.0.0/8", "0.0.0.0/0>10.3.0.1/32")
    pairs = list(map(PrefixPair.parse, (*ipv4, "::a00:0/119>::/0", "::/0>::/0")))
    found = bytes_by_day(packed_days(*flows), pairs, (NEXT, NEXT + timedelta(days=2)))
    for pair, values in zip(pairs, found, strict=True):
        held = [f for f in flows if pair.contains(ip_address(f.source), ip_address(f.destination))]
        believed = [f for f in held if not f.implausible]
        wanted = [sum(f.flow_bytes for f in believed if f.day == NEXT + timedelta(days=n)) for n in range(3)]
        assert list(values) == wanted
        assert wanted[0] + wanted[1] > 0 == wanted[2]


def test_bytes_of_forged_flows_are_added_up() -> None:
    flows = [replace(FLOW, flow_id=f"f{n}", source=f"198.18.10.{n}", flow_bytes=2**63 - 1) for n in range(6)]
    ((found, nothing),) = bytes_by_day(packed_days(*flows), [PAIR], (DAY, NEXT))
    assert 0 < found <= 2**62
    assert nothing == 0


@pytest.mark.parametrize("content", [b"\x04", b"\x05" * 34, b"\x06" * 57])
def test_damaged_totals_are_refused(content: bytes) -> None:
    (day,) = packed_days(FLOW)
    damaged = [replace(day, totals=day.totals + content)]
    for reading in (
        lambda: stored_history(damaged, DAY, LENGTHS),
        lambda: bytes_by_day(damaged, [PAIR], (DAY, DAY)),
    ):
        with pytest.raises(ValueError, match=rf"day {DAY.toordinal()} are damaged: their last {len(content)} bytes"):
            reading()


def test_pairs_are_joined_once_each() -> None:
    texts = ("10.0.0.0/24>10.9.0.0/24", "10.0.0.0/24>10.9.0.0/16", "::a00:0/120>::a09:0/120", "10.0.0.0/25>10.9.0.0/24")
    pairs = [PrefixPair.parse(text) for text in texts]
    own, rows = joined(joined(stored_history([], DAY, LENGTHS).pairs, pairs[:2])[0], [*pairs[1:], *pairs[::-1]])
    assert own.pairs(rows) == [*pairs[1:], *pairs[::-1]]
    assert len(own) == len(pairs)
