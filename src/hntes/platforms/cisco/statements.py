"""An IOS-XR or IOS-XE configuration as statements, each as its lines from the top, and the part owned by HNTES.

HNTES owns the lists, classes, policies and route-maps with its name prefix, and the interface lines that refer to them.
On IOS-XR it also owns the forward-class of a tunnel while its policy for that class is present. List entries are
normalised, since their addresses are printed in several forms: 192.0.2.0/24 may be `192.0.2.0 0.0.0.255`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from ipaddress import IPv4Address
from itertools import takewhile

from hntes.platforms.cisco.own_objects import is_own_object, refers_to_own
from hntes.platforms.cisco.parser.tree import LISTS, Section, read_sections
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.errors import ParseError
from hntes.platforms.owned_config import LISTINGS, OwnedConfig, Statement

_ADDRESS = r"(?<![\d.])(?<!host )(\d+(?:\.\d+){3})"
_WITH_WILDCARD = re.compile(rf"{_ADDRESS} (\d+(?:\.\d+){{3}})(?= |\Z)")
_HOST = re.compile(r"(?<= )(?:(\d+(?:\.\d+){3})/32|([0-9a-f:]+)/128)(?= |\Z)")


@lru_cache(maxsize=LISTINGS)
def owned(configuration: str) -> OwnedConfig:
    """The part of a whole configuration owned by HNTES.

    Raises:
        DeliveryError: the text cannot be parsed as a configuration.
    """
    own, _ = _parted(configuration)
    classes = (each[:2] for each in own if each[0].startswith("policy-map ") and each[1:])
    return OwnedConfig(tuple(own), tuple(dict.fromkeys(classes)))


def foreign(configuration: str) -> frozenset[Statement]:
    """The part of a whole configuration not owned by HNTES.

    Raises:
        DeliveryError: the text cannot be parsed as a configuration.
    """
    _, others = _parted(configuration)
    return frozenset(others)


def text_of(part: OwnedConfig) -> str:
    """An owned part as text, in the form that HNTES renders."""
    lines: list[str] = []
    above: Statement = ()
    for statement in part.statements:
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(above, statement, strict=False)))
        if above and not shared:
            lines.append("!")
        lines += [" " * depth + statement[depth] for depth in range(shared, len(statement))]
        above = statement
    return "".join(f"{line}\n" for line in lines)


def _parted(configuration: str) -> tuple[list[Statement], list[Statement]]:
    """The owned and the foreign statements. An interface without a line is none."""
    try:
        root = read_sections(configuration)
    except ParseError as cause:
        raise DeliveryError(f"the router's answer cannot be parsed as a configuration: {cause}") from cause
    has_policy = any(is_own_object(each) and each.begins("policy-map", "type", "pbr") for each in root)
    own: list[Statement] = []
    others: list[Statement] = []
    for section in root:
        if section.words[0] == "interface":
            for line in section:
                (own if _refers(line, section, has_policy) else others).extend(_statements(line, (_line(section),)))
        else:
            (own if is_own_object(section) else others).extend(_statements(section, ()))
    return own, others


def _refers(line: Section, interface: Section, has_policy: bool) -> bool:
    """Whether an interface line refers to an object of HNTES."""
    if line.begins("forward-class"):
        return has_policy and interface.words[-1].startswith("tunnel-te")
    return refers_to_own(line)


def _statements(section: Section, above: Statement) -> Iterator[Statement]:
    path = (*above, _line(section, above))
    for child in section:
        yield from _statements(child, path)
    if not section.children:
        yield path


def _line(section: Section, above: Statement = ()) -> str:
    """A line in the form that HNTES renders."""
    words = section.words
    if words[:2] == ("interface", "preconfigure"):
        words = (words[0], *words[2:])
    is_entry = bool(above) and tuple(above[0].split()[:2]) in LISTS
    return _entry(" ".join(words)) if is_entry else " ".join(words)


def _entry(text: str) -> str:
    return _HOST.sub(lambda found: f"host {found[1] or found[2]}", _WITH_WILDCARD.sub(_as_prefix, text))


def _as_prefix(found: re.Match[str]) -> str:
    try:
        wildcard = int(IPv4Address(found[2]))
    except ValueError:
        return found[0]
    if wildcard & (wildcard + 1):
        return found[0]
    return f"{found[1]}/{32 - wildcard.bit_length()}"
