"""IP addresses and prefixes of either family."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from socket import AF_INET, AF_INET6, inet_pton

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

IPV4_BYTES = 4
_IPV4_HEAD = bytes(12)


def plain(address: Address) -> Address:
    """An IPv4 address that is written in IPv6 form (::ffff:192.0.2.1; RFC 4291, section 2.5.5.2) as the IPv4 address.

    Example:
        >>> from ipaddress import ip_address
        >>> str(plain(ip_address("::ffff:192.0.2.1"))), str(plain(ip_address("2001:db8::1")))
        ('192.0.2.1', '2001:db8::1')
    """
    return getattr(address, "ipv4_mapped", None) or address


def network(text: str) -> Network:
    """A prefix, or a host as the prefix of its length.

    Raises:
        ValueError: it is neither, has host bits, or names a zone (fe80::1%eth0; RFC 4007, section 11).

    Example:
        >>> network("198.18.10.5"), network("2001:db8::/32")
        (IPv4Network('198.18.10.5/32'), IPv6Network('2001:db8::/32'))
    """
    # ip_network() takes any text behind % as the name of a zone, line breaks too, and would print it again
    if "%" in text:
        raise ValueError(f"{text!r} names a zone, which no packet has")
    return ip_network(text)


def packed(address: str) -> bytes:
    """An address in 16 bytes in network byte order; IPv4 takes the last four of them."""
    # ip_address() takes several times as long, and there are years of hosts
    return inet_pton(AF_INET6, address) if ":" in address else _IPV4_HEAD + inet_pton(AF_INET, address)


def unpacked(content: bytes) -> str:
    """The canonical text of an address in 4 (IPv4) or 16 bytes.

    Example:
        >>> unpacked(bytes([192, 0, 2, 1])), unpacked(packed("2001:db8::1"))
        ('192.0.2.1', '2001:db8::1')
    """
    return str(IPv4Address(content) if len(content) == IPV4_BYTES else IPv6Address(content))
