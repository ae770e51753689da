"""Rules as octets, against those that the RFCs print and those that another implementation made."""

import pytest

from hntes.delivery.flowspec.nlri import Community, WireError, attributes, communities_of, nlri, pair_of, rule_of
from hntes.delivery.flowspec.rule import FlowSpecRule, RouteTarget
from hntes.rules.pairs import PrefixPair

COMMUNITY = Community(64512, 17)
# RFC 8955, 4.3, the second example without its ports: to 192.0.2.0/24, from 203.0.113.0/24.
RFC_8955 = (PrefixPair.parse("203.0.113.0/24>192.0.2.0/24"), bytes.fromhex("0a 01 18 c00002 02 18 cb0071"))
# As GoBGP 3.10 wrote it, from its own command line.
GOBGP_6 = (
    PrefixPair.parse("2001:db8:1::/64>2001:db8:2::/64"),
    bytes.fromhex("16 01 40 00 20010db800020000 02 40 00 20010db800010000"),
)
OF_GOBGP = [
    bytes.fromhex("40010102"),
    bytes.fromhex("c00804fc000011"),
    bytes.fromhex("c010108008fc000000006480090000000000 08"),
]


@pytest.mark.parametrize(("pair", "octets"), [RFC_8955, GOBGP_6])
def test_the_octets_of_a_pair(pair: PrefixPair, octets: bytes) -> None:
    assert nlri(pair) == octets
    assert pair_of(pair.ip_version, octets) == pair


def test_a_rule_of_another_implementation_is_read() -> None:
    pair, octets = RFC_8955
    expected = FlowSpecRule(pair.source, pair.destination, 8, RouteTarget(64512, 100))
    assert rule_of(4, octets, OF_GOBGP, COMMUNITY) == expected


def test_a_rule_comes_back_with_its_target_in_either_form() -> None:
    pair, octets = GOBGP_6
    for target in (None, RouteTarget(64512, 4_294_967_295), RouteTarget(4_200_000_000, 65_535)):
        rule = FlowSpecRule(pair.source, pair.destination, 47, target)
        assert rule_of(6, octets, attributes(rule, COMMUNITY), COMMUNITY) == rule


@pytest.mark.parametrize(
    ("ip_version", "octets"),
    [
        (4, ""),
        (4, "05 01 18 c00002"),  # no source
        (4, "0a 02 18 cb0071 01 18 c00002"),  # in the wrong order
        (4, "0d 01 18 c00002 02 18 cb0071 03 81 06"),  # TCP alone
        (4, "0a 01 18 c00002 02 19 cb0071"),  # cut off
        (4, "0a 01 17 c00003 02 18 cb0071"),  # host bits
        (4, "0b 01 18 c00002 02 18 cb0071"),  # another length
        (4, "f00a 01 18 c00002 02 18 cb0071"),  # a length of two octets where one does
        (6, "16 01 40 20 20010db800020000 02 40 00 20010db800010000"),  # an offset
        (6, "0a 01 81 00 2001 02 40 00 2001"),  # longer than an address
    ],
)
def test_what_is_not_a_pair_is_refused(ip_version: int, octets: str) -> None:
    with pytest.raises(WireError):
        pair_of(ip_version, bytes.fromhex(octets))


@pytest.mark.parametrize(
    "extended",
    [
        "",
        "8009000000000108",  # not the DSCP alone
        "8009000000000040",  # 64 is no DSCP
        "8009000000000008 8009000000000009",
        "8009000000000008 8006000000000000",  # discarded as well
        "8009000000000008 8007000000000002",  # sampled as well
        "8009000000000008 8008fc0000000064 8008fc0000000065",
        "8009000000000008 8208000000010064",  # a short AS number in the long form
        "80090000000000",
    ],
)
def test_what_does_more_or_less_than_a_rule_is_refused(extended: str) -> None:
    value = bytes.fromhex(extended)
    beside = [*OF_GOBGP[:2], bytes([0xC0, 16, len(value)]) + value]
    with pytest.raises(WireError):
        rule_of(4, RFC_8955[1], beside, COMMUNITY)


def test_other_communities_and_attributes_are_refused() -> None:
    more = bytes.fromhex("c00808fc000011ffffff01")
    assert communities_of([more]) == {COMMUNITY, Community(65535, 65281)}
    for given in ([more, OF_GOBGP[2]], [*OF_GOBGP, bytes.fromhex("80040400000001")], [*OF_GOBGP, OF_GOBGP[0]]):
        with pytest.raises(WireError):
            rule_of(4, RFC_8955[1], given, COMMUNITY)
    with pytest.raises(WireError, match="truncated"):
        communities_of([b"\xc0\x08\x04\xfc"])
