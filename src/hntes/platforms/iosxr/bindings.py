"""The statements of an IOS-XR interface that bind programs."""

from typing import Literal

from hntes.platforms.cisco.parser.reader import Binder, read_access_list, read_input_policy
from hntes.platforms.iosxr.tunnel_selection import read_pbr_policy


def bindings(version: Literal[4, 6]) -> tuple[tuple[tuple[str, ...], Binder], ...]:
    """The bindings of one address family, as `Bindings` of the shared parser."""
    return (
        ((f"ipv{version}", "access-group"), read_access_list),
        (("service-policy", "input"), read_input_policy),
        (("service-policy", "type"), read_pbr_policy),
    )
