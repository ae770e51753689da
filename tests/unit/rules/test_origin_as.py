"""The AS of a host is that of the longest prefix which holds it, as found one prefix after the other."""

from ipaddress import IPv4Network, IPv6Network, ip_network

from hypothesis import given
from hypothesis import strategies as st

from hntes.addresses import Network
from hntes.rules.columns import Addresses, whole
from hntes.rules.origin_as import NO_AS, Origins

NAMES = ("AS64500", "AS64501", "AS64502")
# Few bits, so that prefixes lie in each other, at each end of an address and across both halves of IPv6's.
BITS = st.lists(st.integers(0, 127), max_size=3).map(lambda chosen: sum(1 << bit for bit in set(chosen)))


@st.composite
def networks(draw: st.DrawFn) -> Network:
    number = draw(BITS)
    if draw(st.booleans()):
        return IPv4Network((number & 0xFFFFFFFF, draw(st.integers(0, 32))), strict=False)
    return IPv6Network((number, draw(st.integers(0, 128))), strict=False)


def origins(rows: list[tuple[Network, int]]) -> Origins:
    return Origins.of(
        NAMES,
        whole([prefix.version for prefix, _ in rows]),
        Addresses.of([int(prefix.network_address) for prefix, _ in rows]),
        whole([prefix.prefixlen for prefix, _ in rows]),
        whole([origin for _, origin in rows]),
    )


def longest(rows: list[tuple[Network, int]], host: Network) -> str:
    holding = [
        (-prefix.prefixlen, row)
        for row, (prefix, _) in enumerate(rows)
        if prefix.version == host.version and host.network_address in prefix
    ]
    return NAMES[rows[min(holding)[1]][1]] if holding else NO_AS


@given(st.lists(st.tuples(networks(), st.integers(0, 2)), max_size=12), st.lists(networks(), max_size=12))
def test_the_longest_prefix_counts_and_of_the_same_the_first(
    rows: list[tuple[Network, int]], hosts: list[Network]
) -> None:
    table = origins(rows)
    version = whole([host.version for host in hosts])
    found = table.numbers(version, Addresses.of([int(host.network_address) for host in hosts]))
    assert [table.names[one] for one in found.tolist()] == [longest(rows, host) for host in hosts]
    assert table.prefixes == len({prefix for prefix, _ in rows})


def test_a_default_route_holds_all_of_its_version() -> None:
    table = origins([(ip_network("0.0.0.0/0"), 1)])
    hosts = Addresses.of([0, (1 << 32) - 1, 0])
    found = table.numbers(whole([4, 4, 6]), hosts).tolist()
    assert [table.names[one] for one in found] == ["AS64501", "AS64501", NO_AS]
