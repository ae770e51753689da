"""The statements of an IOS-XE interface that bind programs."""

from typing import Literal

from hntes.platforms.cisco.parser.reader import Binder, read_access_list, read_input_policy
from hntes.platforms.iosxe.route_maps import read_route_map


def bindings(version: Literal[4, 6]) -> tuple[tuple[tuple[str, ...], Binder], ...]:
    """The bindings of one address family, as `Bindings` of the shared parser."""
    family = "ip" if version == 4 else "ipv6"
    return (
        ((family, "access-group" if version == 4 else "traffic-filter"), read_access_list),
        (("service-policy", "input"), read_input_policy),
        ((family, "policy"), read_route_map),
    )
