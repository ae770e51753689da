"""Numbers of IP protocols that collectors write by name."""

from hntes.etl.sources.rows.row import RowError

# IANA's keywords of the protocols that collectors name, in lower case, and spellings of pmacct and goflow2.
_NUMBERS = {
    "hopopt": 0, "icmp": 1, "igmp": 2, "ggp": 3, "ipv4": 4, "ipencap": 4, "tcp": 6, "egp": 8, "igp": 9, "udp": 17,
    "rdp": 27, "dccp": 33, "ipv6": 41, "ipv6-route": 43, "ipv6-frag": 44, "rsvp": 46, "gre": 47, "esp": 50, "ah": 51,
    "ipv6-icmp": 58, "icmp6": 58, "icmpv6": 58, "ipv6-nonxt": 59, "ipv6-opts": 60, "eigrp": 88, "ospf": 89,
    "ospfigp": 89, "ipip": 94, "etherip": 97, "encap": 98, "pim": 103, "ipcomp": 108, "vrrp": 112, "l2tp": 115,
    "isis": 124, "sctp": 132, "udplite": 136, "mpls-in-ip": 137,
}  # fmt: skip
# IANA's reserved number: one of the protocols that the collector has no name for.
UNNAMED = 255


def protocol_number(written: str | int) -> int:
    """The number of a protocol as a collector writes it; UNNAMED for a name that is not known here.

    Raises:
        RowError: it is a number beyond 255.
    """
    if isinstance(written, int):
        return written
    if not written.isdecimal():
        return _NUMBERS.get(written.lower(), UNNAMED)
    number = int(written[:4])
    if number > UNNAMED:
        raise RowError(f"{written[:20]} is no IP protocol: Expected 0 to 255")
    return number
