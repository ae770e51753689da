"""From an IOS-XR text to its effective model."""

from collections.abc import Iterable
from typing import Literal

from hntes.platforms.cisco.parser.reader import Binder, read_access_list, read_cisco, read_input_policy
from hntes.platforms.effective import EffectiveModel
from hntes.platforms.iosxr.syntax import SYNTAX
from hntes.platforms.iosxr.tunnel_selection import read_pbr_policy
from hntes.rules.qos.model import InterfaceBinding


def parse(text: str, interfaces: Iterable[InterfaceBinding], *, is_whole: bool) -> EffectiveModel:
    """What the text does to packets."""
    return read_cisco(SYNTAX, _bindings, text, interfaces, is_whole)


def _bindings(version: Literal[4, 6]) -> tuple[tuple[tuple[str, ...], Binder], ...]:
    return (
        ((f"ipv{version}", "access-group"), read_access_list),
        (("service-policy", "input"), read_input_policy),
        (("service-policy", "type"), read_pbr_policy),
    )
