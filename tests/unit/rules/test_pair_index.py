"""An index of pairs finds what looking at each of them finds."""

from ipaddress import ip_address, ip_network

from hypothesis import given
from hypothesis import strategies as st

from hntes.rules.pair_index import PairIndex
from hntes.rules.pairs import PrefixPair

# Few addresses and all lengths, so that prefixes hold each other and hosts.
V4 = st.sampled_from(["198.18.10.7", "198.18.10.8", "198.18.11.7", "203.0.113.9", "203.0.113.200", "1.0.0.0"])
V6 = st.sampled_from(["2001:db8::7", "2001:db8::8", "2001:db8:0:1::7", "2001:db8:1::9", "::"])


@st.composite
def pairs(draw: st.DrawFn) -> PrefixPair:
    hosts, longest = draw(st.sampled_from([(V4, 32), (V6, 128)]))
    lengths = st.integers(0, longest)
    source, destination = (ip_network(f"{draw(hosts)}/{draw(lengths)}", strict=False) for _ in range(2))
    return PrefixPair(source, destination)


@given(st.lists(pairs(), max_size=12), st.sampled_from([V4, V6]).flatmap(lambda hosts: st.tuples(hosts, hosts)))
def test_it_finds_the_pairs_that_hold_two_hosts(listed: list[PrefixPair], hosts: tuple[str, str]) -> None:
    source, destination = map(ip_address, hosts)
    expected = {pair for pair in listed if pair.contains(source, destination)}
    assert set(PairIndex(listed).holding(*hosts)) == expected


def test_each_pair_is_found_once() -> None:
    pair = PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")
    assert PairIndex([pair, pair]).holding("198.18.10.7", "203.0.113.9") == [pair]
    assert PairIndex([]).holding("198.18.10.7", "203.0.113.9") == []
