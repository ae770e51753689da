"""Folding observations of hosts into days of prefix pairs."""

from datetime import date

from hntes.rules.lifetime.pair_days import PairDay, pair_days
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import DailyTotal

DAY, NEXT = date(2026, 3, 1), date(2026, 3, 2)
FLOW = DailyTotal(DAY, "198.18.10.7", "203.0.113.9", 1, 100, 40)
NEIGHBOUR = FLOW._replace(source="198.18.10.8", flow_bytes=1, peak_bytes=60)
IPV6 = FLOW._replace(source="2001:db8::1", destination="2001:db8:0:1::1")


def test_hosts_of_one_prefix_add_up() -> None:
    pair = PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")
    assert pair_days([NEIGHBOUR, FLOW], 24, 64) == (PairDay(pair, DAY, 2, 101, 60),)


def test_other_lengths_give_other_pairs() -> None:
    assert [str(entry.pair) for entry in pair_days([FLOW, NEIGHBOUR, IPV6], 32, 48)] == [
        "198.18.10.7/32 > 203.0.113.9/32",
        "198.18.10.8/32 > 203.0.113.9/32",
        "2001:db8::/48 > 2001:db8::/48",
    ]


def test_days_are_apart_and_in_order() -> None:
    found = pair_days([FLOW._replace(day=NEXT), FLOW], 24, 64)
    assert [(entry.day, entry.flows) for entry in found] == [(DAY, 1), (NEXT, 1)]


def test_no_observations_no_days() -> None:
    assert pair_days([], 24, 64) == ()


def test_a_day_is_weak_if_all_its_flows_are() -> None:
    weak = NEIGHBOUR._replace(weak_flows=1)
    assert [entry.is_weak for entry in pair_days([weak, FLOW], 24, 64)] == [False]
    assert [entry.is_weak for entry in pair_days([weak, FLOW._replace(weak_flows=1)], 24, 64)] == [True]
    assert [entry.is_weak for entry in pair_days([FLOW._replace(flows=2, weak_flows=1)], 24, 64)] == [False]


def test_flows_that_cannot_be_true_count_for_nothing_beside_one_that_can() -> None:
    forged = FLOW._replace(flow_bytes=9_000, peak_bytes=9_000, implausible=True)
    assert pair_days([FLOW, forged], 24, 64) == pair_days([FLOW], 24, 64)
    (alone,) = pair_days([forged], 24, 64)
    assert (alone.flows, alone.bytes, alone.peak_bytes, alone.is_implausible) == (0, 0, 0, True)
