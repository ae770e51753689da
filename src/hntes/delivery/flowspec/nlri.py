"""BGP encoding of FlowSpec rules: the NLRI of a pair, and the path attributes with the actions.

Sources: RFC 8955 section 4 (NLRI) and 7 (actions), RFC 8956 section 3.1 (IPv6 prefixes, here with offset 0), RFC 4271
section 4.3 (attributes), RFC 1997 (communities), RFC 4360 (extended communities).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network

from hntes.addresses import Network
from hntes.delivery.flowspec.rule import FlowSpecRule, RouteTarget, RuleError
from hntes.errors import HntesError
from hntes.rules.pairs import PrefixPair

AFI = {4: 1, 6: 2}
SAFI = 133
DESTINATION, SOURCE = 1, 2
ORIGIN, AS_PATH, NEXT_HOP, LOCAL_PREF, COMMUNITIES, MP_REACH, EXTENDED = 1, 2, 3, 5, 8, 14, 16
MARKING, REDIRECT_AS2, REDIRECT_AS4 = b"\x80\x09", b"\x80\x08", b"\x82\x08"

_WELL_KNOWN, _OPTIONAL, _LONG = 0x40, 0xC0, 0x10
_TWO_OCTET_LENGTH = 0xF0
_IGP = b"\x00"
# Attributes that do not affect the rule.
_BESIDE = frozenset({ORIGIN, AS_PATH, NEXT_HOP, LOCAL_PREF, MP_REACH})


class WireError(HntesError, ValueError):
    """An encoding that is not a rule of HNTES; the message says what is wrong."""


@dataclass(frozen=True, order=True)
class Community:
    """The community that marks the rules of one installation (RFC 1997)."""

    asn: int
    number: int

    def __str__(self) -> str:
        return f"{self.asn}:{self.number}"

    @property
    def octets(self) -> bytes:
        return self.asn.to_bytes(2, "big") + self.number.to_bytes(2, "big")


def nlri(pair: PrefixPair) -> bytes:
    """The NLRI: its length, then the destination and source components in order of type."""
    body = _prefix(DESTINATION, pair.destination) + _prefix(SOURCE, pair.source)
    # RFC 8955, 4.1: one octet below 240; two prefixes never need more
    return bytes([len(body)]) + body


def pair_of(ip_version: int, octets: bytes) -> PrefixPair:
    """The pair of an NLRI with exactly these two components.

    Raises:
        WireError: it has other components, or is not in the form of `nlri`.
    """
    if not octets or octets[0] >= _TWO_OCTET_LENGTH or octets[0] != len(octets) - 1:
        raise WireError("the length of the rule is not that of two prefixes")
    rest, found = octets[1:], []
    for kind in (DESTINATION, SOURCE):
        network, rest = _read_prefix(ip_version, kind, rest)
        found.append(network)
    if rest:
        raise WireError(f"matches more than a source and a destination: component {rest[0]}")
    return PrefixPair(found[1], found[0])


def attributes(rule: FlowSpecRule, community: Community) -> list[bytes]:
    """The path attributes of a rule, with headers. The next hop is meaningless, but speakers require one."""
    actions = MARKING + bytes(5) + bytes([rule.dscp])
    if rule.redirect is not None:
        actions = _redirect(rule.redirect) + actions
    return [
        _attribute(_WELL_KNOWN, ORIGIN, _IGP),
        _attribute(_WELL_KNOWN, NEXT_HOP, bytes(4)),
        _attribute(_OPTIONAL, COMMUNITIES, community.octets),
        _attribute(_OPTIONAL, EXTENDED, actions),
    ]


def communities_of(path_attributes: Sequence[bytes]) -> frozenset[Community]:
    """The communities among a path's attributes.

    Raises:
        WireError: an attribute is truncated.
    """
    value = _values(path_attributes).get(COMMUNITIES, b"")
    return frozenset(
        Community(int.from_bytes(each[:2], "big"), int.from_bytes(each[2:], "big")) for each in _chunks(value, 4)
    )


def rule_of(ip_version: int, octets: bytes, path_attributes: Sequence[bytes], community: Community) -> FlowSpecRule:
    """The rule of an NLRI and its path attributes.

    Raises:
        WireError: it is not a rule of HNTES: another component, action, community or attribute.
    """
    pair = pair_of(ip_version, octets)
    values = _values(path_attributes)
    if others := sorted(set(values) - _BESIDE - {COMMUNITIES, EXTENDED}):
        raise WireError(f"{pair}: has path attribute {others[0]}")
    if communities_of(path_attributes) != {community}:
        raise WireError(f"{pair}: has other communities than {community}")
    dscp, redirect = _actions(pair, _chunks(values.get(EXTENDED, b""), 8))
    try:
        return FlowSpecRule(pair.source, pair.destination, dscp, redirect)
    except RuleError as cause:
        raise WireError(str(cause)) from cause


def _prefix(kind: int, network: Network) -> bytes:
    used = network.network_address.packed[: _octets(network.prefixlen)]
    # RFC 8956, 3.1: the length of an IPv6 prefix is followed by its offset
    offset = b"\x00" if network.version == 6 else b""
    return bytes([kind, network.prefixlen]) + offset + used


def _read_prefix(ip_version: int, kind: int, octets: bytes) -> tuple[Network, bytes]:
    head = 2 if ip_version == 4 else 3
    width = 32 if ip_version == 4 else 128
    if len(octets) < head or octets[0] != kind:
        raise WireError(f"lacks the {'destination' if kind == DESTINATION else 'source'} component at its place")
    length = octets[1]
    end = head + _octets(length)
    if length > width or len(octets) < end or (ip_version == 6 and octets[2] != 0):
        raise WireError(f"a prefix of length {length} is truncated, too long or has an offset")
    packed = octets[head:end].ljust(width // 8, b"\x00")
    try:
        network: Network = IPv4Network((packed, length)) if ip_version == 4 else IPv6Network((packed, length))
    except ValueError as cause:
        raise WireError(f"{cause}") from cause
    return network, octets[end:]


def _octets(length: int) -> int:
    return (length + 7) // 8


def _redirect(target: RouteTarget) -> bytes:
    if target.asn > 0xFFFF:
        return REDIRECT_AS4 + target.asn.to_bytes(4, "big") + target.number.to_bytes(2, "big")
    return REDIRECT_AS2 + target.asn.to_bytes(2, "big") + target.number.to_bytes(4, "big")


def _actions(pair: PrefixPair, communities: Sequence[bytes]) -> tuple[int, RouteTarget | None]:
    dscps: list[int] = []
    redirects: list[RouteTarget] = []
    for each in communities:
        kind, value = each[:2], each[2:]
        if kind == MARKING and not any(value[:5]):
            dscps.append(value[5])
        elif kind == REDIRECT_AS2 and value[:2] != b"\x00\x00":
            redirects.append(RouteTarget(int.from_bytes(value[:2], "big"), int.from_bytes(value[2:], "big")))
        elif kind == REDIRECT_AS4 and value[:2] != b"\x00\x00":
            redirects.append(RouteTarget(int.from_bytes(value[:4], "big"), int.from_bytes(value[4:], "big")))
        else:
            raise WireError(f"{pair}: has action {each.hex()}")
    if len(dscps) != 1 or len(redirects) > 1:
        raise WireError(f"{pair}: has {len(dscps)} markings and {len(redirects)} redirects")
    return dscps[0], redirects[0] if redirects else None


def _attribute(flags: int, kind: int, value: bytes) -> bytes:
    return bytes([flags, kind, len(value)]) + value


def _values(path_attributes: Sequence[bytes]) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    for kind, value in _read(path_attributes):
        if kind in found:
            raise WireError(f"duplicate path attribute {kind}")
        found[kind] = value
    return found


def _read(path_attributes: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    for each in path_attributes:
        head = 4 if each and each[0] & _LONG else 3
        if len(each) < head or int.from_bytes(each[2:head], "big") != len(each) - head:
            raise WireError("truncated path attribute")
        yield each[1], each[head:]


def _chunks(value: bytes, size: int) -> list[bytes]:
    if len(value) % size:
        raise WireError(f"{len(value)} bytes are not a multiple of {size}")
    return [value[at : at + size] for at in range(0, len(value), size)]
