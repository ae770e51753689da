"""FlowSpec rules as octets, read by a decoder that was written from the RFCs apart from the one in use."""

from ipaddress import IPv4Network, IPv6Network

from hypothesis import given
from hypothesis import strategies as st

from hntes.addresses import Network
from hntes.delivery.flowspec.nlri import Community, WireError, attributes, nlri, rule_of
from hntes.delivery.flowspec.rule import FlowSpecRule, RouteTarget, parse_rules, rules_text

COMMUNITIES = st.builds(Community, st.integers(1, 65_534), st.integers(0, 65_535))
TARGETS = st.one_of(
    st.none(),
    st.builds(RouteTarget, st.integers(1, 65_535), st.integers(0, 2**32 - 1)),
    st.builds(RouteTarget, st.integers(65_536, 2**32 - 1), st.integers(0, 65_535)),
)


def _networks(ip_version: int) -> st.SearchStrategy[Network]:
    kind, bits = (IPv4Network, 32) if ip_version == 4 else (IPv6Network, 128)
    return st.builds(
        lambda address, length: kind((address, length), strict=False), st.integers(0, 2**bits - 1), st.integers(0, bits)
    )


RULES = st.sampled_from((4, 6)).flatmap(
    lambda version: st.builds(FlowSpecRule, _networks(version), _networks(version), st.integers(0, 63), TARGETS)
)


def bits_of(octets: bytes) -> str:
    return "".join(f"{each:08b}" for each in octets)


def prefixes(ip_version: int, octets: bytes) -> dict[int, str]:
    """By component type the bits of the prefix. RFC 8955, 4.1, 4.2.2.1 and 4.2.2.2; RFC 8956, 3.1 and 3.2."""
    assert octets[0] == len(octets) - 1 < 240
    bits = bits_of(octets[1:])
    found: dict[int, str] = {}
    while bits:
        kind, length = int(bits[:8], 2), int(bits[8:16], 2)
        bits = bits[16:]
        if ip_version == 6:
            assert int(bits[:8], 2) == 0, "an offset"
            bits = bits[8:]
        assert kind > max(found, default=0), "components stand in the order of their types"
        padded = -(-length // 8) * 8
        found[kind], padding = bits[:length], bits[length:padded]
        assert set(padding) <= {"0"}
        bits = bits[padded:]
    return found


def actions(path_attributes: list[bytes]) -> tuple[list[int], list[str], list[int]]:
    """DSCPs, route targets, and the types of all attributes. RFC 4271, 4.3; RFC 8955, 7.4 and 7.5, and its table 7."""
    dscps, targets, kinds = [], [], []
    for each in path_attributes:
        kind, length, value = each[1], each[2], each[3:]
        assert length == len(value)
        kinds.append(kind)
        for at in range(0, len(value) if kind == 16 else 0, 8):
            community = int.from_bytes(value[at : at + 8], "big")
            high, low = community >> 48, community & (2**48 - 1)
            if high == 0x8009:
                dscps.append(low)
            else:
                shift = {0x8008: 32, 0x8208: 16}[high]
                targets.append(f"{low >> shift}:{low & (2**shift - 1)}")
    return dscps, targets, kinds


def bits_of_prefix(network: Network) -> str:
    return bits_of(network.network_address.packed)[: network.prefixlen]


@given(RULES, COMMUNITIES)
def test_a_rule_is_written_as_the_rfcs_say(rule: FlowSpecRule, community: Community) -> None:
    octets, path_attributes = nlri(rule.pair), attributes(rule, community)
    assert prefixes(rule.ip_version, octets) == {1: bits_of_prefix(rule.destination), 2: bits_of_prefix(rule.source)}
    targets = [str(rule.redirect)] if rule.redirect else []
    assert actions(path_attributes) == ([rule.dscp], targets, [1, 3, 8, 16])
    assert rule_of(rule.ip_version, octets, path_attributes, community) == rule


@given(RULES, COMMUNITIES, st.data())
def test_octets_that_were_changed_are_no_rule_or_another_one(
    rule: FlowSpecRule, community: Community, data: st.DataObject
) -> None:
    octets, path_attributes = nlri(rule.pair), attributes(rule, community)
    if data.draw(st.booleans(), "in the pair"):
        octets = _changed(octets, data)
    else:
        # but the first octet, whose flags say how an attribute travels and nothing of the rule
        path_attributes[3] = path_attributes[3][:1] + _changed(path_attributes[3][1:], data)
    try:
        read = rule_of(rule.ip_version, octets, path_attributes, community)
    except WireError:
        return
    assert read != rule
    # what is read is what would be written: there is no second form of a rule
    assert (nlri(read.pair), attributes(read, community)[3][3:]) == (octets, path_attributes[3][3:])


def _changed(octets: bytes, data: st.DataObject) -> bytes:
    at = data.draw(st.integers(0, len(octets) - 1), "octet")
    other = data.draw(st.integers(0, 255).filter(lambda value: value != octets[at]), "value")
    return octets[:at] + bytes([other]) + octets[at + 1 :]


@given(st.sets(RULES, max_size=3))
def test_the_text_of_rules_is_read_as_these_rules(rules: set[FlowSpecRule]) -> None:
    assert set(parse_rules(rules_text(rules))) == rules


@given(st.binary(max_size=40), st.lists(st.binary(max_size=24), max_size=4), st.sampled_from((4, 6)))
def test_octets_of_anybody_are_a_rule_or_refused(octets: bytes, path_attributes: list[bytes], ip_version: int) -> None:
    try:
        rule_of(ip_version, octets, path_attributes, Community(64512, 17))
    except WireError:
        return
