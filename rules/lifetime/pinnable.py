"""Limits on the pairs that an operator may pin."""

from ipaddress import IPv6Network

from hntes.addresses import Network
from hntes.rules.pairs import PairError, PrefixPair


def check_pinnable(pair: PrefixPair, min_ipv4_length: int, min_ipv6_length: int) -> None:
    """Refuse a pair that is too wide, or whose packets no router forwards from edge to core.

    Raises:
        PairError: with the prefix and the reason.
    """
    shortest = min_ipv4_length if pair.ip_version == 4 else min_ipv6_length
    key = f"min_ipv{pair.ip_version}_prefix_length"
    for side, prefix in (("source", pair.source), ("destination", pair.destination)):
        if prefix.prefixlen < shortest:
            raise PairError(
                f"{pair}: the {side} {prefix} is shorter than /{shortest}; pin the prefixes of the hosts that send and "
                f"receive, or lower {key} in [pins]"
            )
        reason = _unforwarded(prefix)
        if reason is not None:
            raise PairError(f"{pair}: the {side} {prefix} holds {reason} addresses, whose packets no router forwards")


def _unforwarded(prefix: Network) -> str | None:
    kinds = (
        ("is_loopback", "loopback"),
        ("is_link_local", "link-local"),
        ("is_multicast", "multicast"),
        ("is_unspecified", "unspecified"),
    )
    words = next((word for kind, word in kinds if getattr(prefix, kind)), None)
    if words is None and prefix.version == 4 and int(prefix.network_address) >= 240 << 24:
        return "reserved"
    if words is None and isinstance(prefix, IPv6Network) and prefix.subnet_of(_MAPPED):
        return "IPv4-mapped"
    return words


_MAPPED = IPv6Network("::ffff:0:0/96")  # IPv4 in the sockets of a host, on no wire
