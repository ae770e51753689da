"""A preview: a pair's fate follows from the rules before and after, its traffic from the flows between its prefixes."""

import random
from datetime import date
from ipaddress import ip_address, ip_network

import pytest

from hntes.rules.backtest import preview
from hntes.rules.backtest.preview import touched_by_exclusion, touched_by_pin
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import ExclusionEntry
from hntes.sql.observations import SeenFlow

DAY = date(2026, 11, 20)
PIN = PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")


@pytest.mark.parametrize(
    ("before", "after", "becomes"),
    [((), (PIN,), "added"), ((PIN,), (PIN,), "kept"), ((PIN,), (), "removed"), ((), (), "not added")],
)
def test_a_pin_that_an_exclusion_keeps_out_does_not_come(
    before: tuple[PrefixPair, ...], after: tuple[PrefixPair, ...], becomes: str
) -> None:
    (touched,) = touched_by_pin(PIN, frozenset(before), frozenset(after), ())
    assert (touched.pair, touched.becomes) == (PIN, becomes)


def test_traffic_and_hosts_are_those_between_the_prefixes() -> None:
    """Of pairs of many lengths and both versions that hold each other; the definition asks each flow of each pair."""
    random.seed(7)
    four, six = (
        (f"198.18.{n}.{m}" for n in range(4) for m in (1, 200)),
        (f"2001:db8:{n}::{m}" for n in (0, 1) for m in (1, 9)),
    )
    hosts = [*four], [*six]
    ends = [random.choices(random.choice(hosts), k=2) for _ in range(400)]
    flows = [_flow(source, destination, number) for number, (source, destination) in enumerate(ends, 1)]
    pairs = [
        PrefixPair.parse(each)
        for each in (
            "198.18.0.0/16>198.18.0.0/16", "198.18.0.0/24>198.18.1.0/24", "198.18.0.0/24>198.18.1.200/32",
            "198.18.2.0/23>198.18.0.0/25", "2001:db8::/32>2001:db8:1::/48", "2001:db8::1/128>2001:db8::/64",
        )
    ]  # fmt: skip
    excluded = ip_network("198.18.1.0/24")
    entry = ExclusionEntry("*", "destination", str(excluded), "anna", "maintenance", DAY, DAY)
    touched = {each.pair: each for each in touched_by_exclusion(entry, frozenset(pairs), frozenset(), flows)}
    assert touched.keys() == set(pairs)
    for pair, found in touched.items():
        mine = [
            flow
            for flow in flows
            if not flow.implausible and pair.contains(ip_address(flow.source), ip_address(flow.destination))
        ]
        at = {flow.destination for flow in mine} if pair.destination.overlaps(excluded) else set()
        inside = {host for host in at if ip_address(host) in excluded}
        assert mine, pair
        assert found.alpha_bytes == sum(flow.flow_bytes for flow in mine), pair
        assert (found.hosts_inside, found.hosts_outside) == (frozenset(inside), frozenset(at - inside)), pair


def test_a_host_is_not_looked_at_again_for_each_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a thousand pairs with a month of flows an exclusion of a router may touch all."""
    looks: list[str] = []

    def looked_at(host: str) -> object:
        looks.append(host)
        return ip_address(host)

    monkeypatch.setattr(preview, "ip_address", looked_at)
    pairs = [PrefixPair.parse(f"198.18.{n}.0/24>203.0.113.0/24") for n in range(100)]
    flows = [_flow(f"198.18.{n}.7", "203.0.113.9", day) for n in range(100) for day in range(30)]
    entry = ExclusionEntry("*", "either", "203.0.113.0/24", "anna", "maintenance", DAY, DAY)
    assert len(touched_by_exclusion(entry, frozenset(pairs), frozenset(), flows)) == 100
    assert len(looks) <= 400  # both ends of a hundred pairs of hosts, and those of each pair


def _flow(source: str, destination: str, number: int) -> SeenFlow:
    return SeenFlow(DAY, f"{number}", source, destination, number, number, number, None, False, number % 7 == 0)
