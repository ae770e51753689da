"""The traffic classes into which a router's own configuration puts packets.

Sources: EOS User Manual, "Quality of Service" (routed ports trust DSCP by default; `qos map`); "Traffic Management"
(`set traffic-class`); the configurations that Arista's AVD is tested with (traffic-policies: `set traffic class`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hntes.platforms.cisco.parser.tree import Section, below
from hntes.platforms.eos.classes import DEFAULT_CLASSES
from hntes.platforms.eos.parser.listing import traffic_policies
from hntes.platforms.eos.statements import is_own

# Code points with a name: RFC 2474, 2597, 3246, 5865, 8622. Others are marks of nobody unless a map names them.
_NAMES = {
    **{8 * number + 2 * drop: f"af{number}{drop}" for number in range(1, 5) for drop in range(1, 4)},
    **{8 * number: f"cs{number}" for number in range(8)},
    46: "ef",
    44: "va",
    1: "le",
}
UNMARKED = "cs0"
_MAP = re.compile(r"qos map (?P<kind>dscp|cos|exp) (?P<marks>[\d ,-]+) to traffic-class (?P<number>[0-7])(?: .*)?")


@dataclass(frozen=True)
class ClassUse:
    """A statement that puts packets with some marks into a traffic class; no marks: any packets. Line 0: a default."""

    traffic_class: int
    marks: frozenset[str]
    line: int
    statement: str


def uses(root: Section) -> Iterator[ClassUse]:
    """The uses that maps and policies of the operator's state, whether bound or not, and the defaults that hold."""
    yield from _mapped(root, "dscp", 64)
    if any(line.words[:3] == ("qos", "trust", "cos") for line in below(root)):
        yield from _mapped(root, "cos", 8)
    if any(each.begins("mpls", "ip") for each in root):
        yield from _mapped(root, "exp", 8)
    for policy in traffic_policies(root):
        if not is_own(policy, Section(("traffic-policies",), 0, 0)):
            yield from (_stated(line) for line in below(policy) if line.words[:3] == ("set", "traffic", "class"))
    for each in root:
        if each.begins("policy-map"):
            yield from (_stated(line) for line in below(each) if line.words[:2] == ("set", "traffic-class"))


def _stated(line: Section) -> ClassUse:
    number = line.words[-1]
    return ClassUse(int(number) if number.isdigit() else -1, frozenset(), line.line, line.text)


def _mapped(root: Section, kind: str, marks: int) -> Iterator[ClassUse]:
    """The uses of one map, those of a class by one statement together."""
    default = f"qos map {kind} (by default)"
    places = {mark: (DEFAULT_CLASSES[mark >> 3 if marks == 64 else mark], 0, default) for mark in range(marks)}
    for each in root:
        said = _MAP.fullmatch(each.text)
        if said is not None and said["kind"] == kind:
            named = (mark for mark in _numbers(said["marks"]) if mark < marks)
            places |= {mark: (int(said["number"]), each.line, each.text) for mark in named}
    found: dict[tuple[int, int, str], set[str]] = {}
    for mark, place in places.items():
        if place[1] or marks == 8 or mark in _NAMES:
            found.setdefault(place, set()).add(_name(mark, marks))
    for (number, line, statement), names in found.items():
        yield ClassUse(number, frozenset(names), line, statement)


def _name(mark: int, marks: int) -> str:
    return _NAMES.get(mark, f"{mark:06b}") if marks == 64 else f"{mark:03b}"


def _numbers(text: str) -> Iterator[int]:
    """The numbers of `0 1 2`, `0-7` or `0,1`."""
    for each in re.split(r"[ ,]+", text.strip()):
        first, _, last = each.partition("-")
        if first.isdigit() and (last or first).isdigit() and len(first) < 3 and len(last) < 3:
            yield from range(int(first), int(last or first) + 1)
