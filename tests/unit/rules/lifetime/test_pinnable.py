"""Pairs that an operator may pin, and those that cannot be meant."""

import pytest

from hntes.rules.lifetime.pinnable import check_pinnable
from hntes.rules.pairs import PairError, PrefixPair

REFUSED: dict[str, str] = {
    "198.0.0.0/8>0.0.0.0/0": "the source 198.0.0.0/8 is shorter than /16",
    "198.18.0.0/16>202.0.0.0/15": "the destination 202.0.0.0/15 is shorter than /16",
    "127.0.0.0/24>203.0.113.0/24": "holds loopback addresses",
    "203.0.113.0/24>169.254.7.0/24": "holds link-local addresses",
    "203.0.113.0/24>224.0.1.0/24": "holds multicast addresses",
    "203.0.113.0/24>240.0.1.0/24": "holds reserved addresses",
    "0.0.0.0/32>203.0.113.0/24": "holds unspecified addresses",
    "2001:db8::/31>2001:db8::/64": "min_ipv6_prefix_length",
    "fe80::/64>2001:db8::/64": "holds link-local addresses",
    "2001:db8::/64>ff02::/64": "holds multicast addresses",
    "::1/128>2001:db8::/64": "holds loopback addresses",
    "::ffff:198.18.10.0/120>2001:db8::/64": "holds IPv4-mapped addresses",
}


@pytest.mark.parametrize("pair", list(REFUSED))
def test_a_pair_that_cannot_be_meant_is_refused(pair: str) -> None:
    reason = REFUSED[pair]
    with pytest.raises(PairError, match=reason):
        check_pinnable(PrefixPair.parse(pair), 16, 32)


@pytest.mark.parametrize("pair", ["198.18.0.0/16>203.0.113.9/32", "2001:db8::/32>2001:db8:1::5/128"])
def test_pairs_of_hosts_and_networks_are_taken(pair: str) -> None:
    check_pinnable(PrefixPair.parse(pair), 16, 32)


def test_settings_may_say_otherwise() -> None:
    check_pinnable(PrefixPair.parse("198.0.0.0/8>0.0.0.0/0"), 0, 0)
