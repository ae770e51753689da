"""From an IOS-XE text to its effective model."""

from collections.abc import Iterable
from typing import Literal

from hntes.platforms.cisco.parser.reader import Binder, read_access_list, read_cisco, read_input_policy
from hntes.platforms.effective import EffectiveModel
from hntes.platforms.iosxe.route_maps import read_route_map
from hntes.platforms.iosxe.syntax import SYNTAX
from hntes.rules.qos.model import InterfaceBinding


def parse(text: str, interfaces: Iterable[InterfaceBinding], *, is_whole: bool) -> EffectiveModel:
    """What the text does to packets."""
    return read_cisco(SYNTAX, _bindings, text, interfaces, is_whole)


def _bindings(version: Literal[4, 6]) -> tuple[tuple[tuple[str, ...], Binder], ...]:
    family = "ip" if version == 4 else "ipv6"
    return (
        ((family, "access-group" if version == 4 else "traffic-filter"), read_access_list),
        (("service-policy", "input"), read_input_policy),
        ((family, "policy"), read_route_map),
    )
