"""IP addresses and prefixes of either family."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def plain(address: Address) -> Address:
    """An IPv4 address that is written in IPv6 form (::ffff:192.0.2.1; RFC 4291, section 2.5.5.2) as the IPv4 address.

    Example:
        >>> from ipaddress import ip_address
        >>> str(plain(ip_address("::ffff:192.0.2.1"))), str(plain(ip_address("2001:db8::1")))
        ('192.0.2.1', '2001:db8::1')
    """
    return getattr(address, "ipv4_mapped", None) or address
