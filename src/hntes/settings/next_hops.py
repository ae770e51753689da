"""Addresses that are invalid as next hops: a redirect to one would lose all redirected traffic."""

from hntes.addresses import Address


def unusable(address: Address) -> str | None:
    """Why an address is invalid as a next hop, None if it is valid.

    Sources: RFC 6890 and RFC 1122 (IPv4 special addresses), RFC 4291 (IPv6). A link-local next hop needs an interface,
    which a redirect does not name.

    Example:
        >>> from ipaddress import ip_address
        >>> unusable(ip_address("240.0.0.1"))
        'is reserved'
        >>> unusable(ip_address("192.0.2.1")) is None
        True
    """
    # ip_address() takes any text behind % as the name of a zone, line breaks too, and would print it again
    if getattr(address, "scope_id", None) is not None:
        return "names a zone, which a redirect does not"
    mapped = getattr(address, "ipv4_mapped", None)
    if mapped is not None:
        return "is an IPv4 address in IPv6 form"
    if address.version == 4 and int(address) == 2**32 - 1:
        return "is the broadcast address"
    kinds = (
        ("is_unspecified", "is the unspecified address"),
        ("is_loopback", "is a loopback address"),
        ("is_multicast", "is a multicast address"),
        ("is_link_local", "is a link-local address, which needs an interface"),
        ("is_reserved", "is reserved"),
    )
    for kind, words in kinds:
        if getattr(address, kind):
            return words
    return "is of the network 0.0.0.0/8" if address.version == 4 and int(address) < 2**24 else None
