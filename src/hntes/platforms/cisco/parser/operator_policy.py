"""An operator's output policy: its classes in order, and which packets each takes.

Sources: Cisco's command references of `match` (QoS, IOS-XR and IOS-XE) and its YANG modules of class maps. A class
takes what no class before it takes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.errors import ParseError
from hntes.rules.qos.model import Carrier

DEFAULT_CLASS = "class-default"
Match = Literal["match-any", "match-all"]
CARRIERS: tuple[Carrier, ...] = get_args(Carrier)
# The words before the values of a mark that a packet carries, and how many bits it has.
_MARKS = {
    ("dscp",): 6,
    ("precedence",): 3,
    ("mpls", "experimental", "topmost"): 3,
    ("mpls", "experimental", "imposition"): 3,
    ("cos",): 3,
    ("cos", "inner"): 3,
}
# A word as a value; None: it is none.
Reader = Callable[[str], int | None]
_FAMILIES = ("ip", "ipv4", "ipv6")
_DSCP = {
    "default": 0, "ef": 46, "le": 1,
    **{f"cs{each}": 8 * each for each in range(8)},
    **{f"af{number}{drop}": 8 * number + 2 * drop for number in range(1, 5) for drop in range(1, 4)},
}  # fmt: skip
_PRECEDENCES = ("routine", "priority", "immediate", "flash", "flash-override", "critical", "internet", "network")
_DSCP_NAMES = {number: name for name, number in _DSCP.items() if name != "default"}


@dataclass(frozen=True)
class Condition:
    """One match: of numbers that carry a class, of marks, or of something else (`values` is None).

    Marks are values of `bits` bits; `carrier` is the kind of the numbers. `is_always`: it takes any packet.
    """

    section: Section
    carrier: Carrier | None
    bits: int
    values: frozenset[int] | None
    is_always: bool = False

    def takes(self, carrier: Carrier, number: int) -> bool | None:
        """Whether it takes an unmarked packet with this number; None: not known."""
        if self.is_always:
            return True
        if self.values is None:
            return None
        if self.carrier is None:
            return 0 in self.values
        # Nothing of HNTES sets the other number, which stays 0.
        return (number if self.carrier == carrier else 0) in self.values

    def marks(self) -> frozenset[str] | None:
        """The marks as names where they have one, else as bits; None: it matches something else."""
        if self.values is None or self.carrier is not None:
            return None
        if self.bits == 6:
            return frozenset(_DSCP_NAMES.get(each, f"{each:06b}") for each in self.values)
        return frozenset(f"{each:0{self.bits}b}" for each in self.values)


@dataclass(frozen=True)
class OperatorClass:
    """A class of a policy: its statements in the policy, and its conditions; class-default has none."""

    name: str
    section: Section
    conditions: tuple[Condition, ...]
    is_any: bool

    def takes(self, carrier: Carrier, number: int) -> bool | None:
        """Whether it takes an unmarked packet with this number, if no class before it does; None: not known."""
        if self.name == DEFAULT_CLASS:
            return True
        found = [each.takes(carrier, number) for each in self.conditions]
        decisive = self.is_any
        if decisive in found:
            return decisive
        return None if None in found else not decisive

    def numbers(self, carrier: Carrier) -> frozenset[int]:
        """The numbers of that kind that its conditions name."""
        return frozenset(number for each in self.conditions if each.carrier == carrier for number in each.values or ())


def classes_of(root: Section, policy: str, user: Section, default_match: Match) -> tuple[OperatorClass, ...]:
    """The classes of a policy in order of evaluation, class-default last; the lines that define them are taken.

    Raises:
        ParseError: the policy or a class is not in the text, or a statement outside of classes is not understood.
    """
    section = _one(root, "policy-map", policy, user)
    section.take()
    found: dict[str, OperatorClass] = {}
    for each in section:
        if each.words[0] == "description":
            continue
        if each.words[0] != "class" or len(each.words) != 2:
            raise each.refused(f"is not understood in `{section.text}`")
        each.take()
        name = each.words[1]
        if name in found:
            raise each.refused(f"class {name} is also in line {found[name].section.line}: ambiguous")
        found[name] = _class(root, name, _with_child_policy(each), default_match)
    # A router does not list a class-default without statements.
    unlisted = OperatorClass(DEFAULT_CLASS, Section(("class", DEFAULT_CLASS), section.line, 1), (), True)
    last = found.pop(DEFAULT_CLASS, unlisted)
    return (*found.values(), last)


def carrier_of(classes: tuple[OperatorClass, ...], user: Section) -> Carrier:
    """What carries classes to this policy; QoS groups where no class says it.

    Raises:
        ParseError: some of its classes match QoS groups, others traffic classes.
    """
    used = [each for each in CARRIERS if any(one.numbers(each) for one in classes)]
    if len(used) > 1:
        raise user.refused("matches QoS groups and traffic classes: not understood")
    return used[0] if used else "qos-group"


def _with_child_policy(section: Section) -> Section:
    """A class with the policy below it as a statement of its own: IOS-XE lists it one blank deeper than `shape`."""
    lines: list[Section] = []
    for line in section:
        deeper = [each for each in line if each.begins("service-policy")]
        if deeper:
            line.take()
            others = [each for each in line if not each.begins("service-policy")]
            line = Section(line.words, line.line, line.indent, others)
        lines += [line, *deeper]
    return Section(section.words, section.line, section.indent, lines, section.is_taken)


def _class(root: Section, name: str, section: Section, default_match: Match) -> OperatorClass:
    if name == DEFAULT_CLASS:
        return OperatorClass(name, section, (), True)
    stated = _one(root, "class-map", name, section)
    stated.take()
    lines = [each for each in stated if each.words[0] != "description"]
    for each in lines:
        each.take()
    ways = [each for each in stated.words if each in get_args(Match)]
    way = ways[0] if ways else default_match
    return OperatorClass(name, section, tuple(_condition(each) for each in lines), way == "match-any")


def _one(root: Section, kind: str, name: str, user: Section) -> Section:
    """The one section of that kind and name, among those without another `type` than qos."""
    found = [
        each for each in root
        if each.words[0] == kind and each.words[-1] == name
        and ("type" not in each.words[:-1] or each.words[1:3] == ("type", "qos"))
    ]  # fmt: skip
    if len(found) != 1:
        raise user.refused(f"{kind} {name} is defined {len(found)} times in the text")
    return found[0]


def _condition(line: Section) -> Condition:
    words = line.words[1:]
    if line.words[0] != "match":
        raise ParseError(line.line, line.text, "is not understood in a class-map")
    if words == ("any",):
        return Condition(line, None, 0, None, is_always=True)
    if words[:1] and words[0] in _FAMILIES and words[1:2] in (("dscp",), ("precedence",)):
        words = words[1:]
    if words[:1] and words[0] in CARRIERS:
        carrier = next(each for each in CARRIERS if each == words[0])
        return Condition(line, carrier, 0, _values(words[1:], _number))
    if words[:1] == ("discard-class",):
        return Condition(line, None, 2, _values(words[1:], _number))
    for first in sorted(_MARKS, key=len, reverse=True):
        if words[: len(first)] == first:
            read = _precedence if first == ("precedence",) else _dscp if first == ("dscp",) else _number
            return Condition(line, None, _MARKS[first], _values(words[len(first) :], read))
    return Condition(line, None, 0, None)


def _values(words: tuple[str, ...], read: Reader) -> frozenset[int] | None:
    """The values of a match; None where one of them is not understood."""
    found = list(_each(words, read))
    known = frozenset(each for each in found if each is not None)
    return known if found and None not in found else None


def _each(words: tuple[str, ...], read: Reader) -> Iterator[int | None]:
    for word in words:
        first, dash, last = word.partition("-")
        if dash and first.isdigit() and last.isdigit() and int(last) - int(first) in range(513):
            yield from range(int(first), int(last) + 1)
        else:
            yield read(word)


def _number(word: str) -> int | None:
    return int(word) if word.isdigit() else None


def _dscp(word: str) -> int | None:
    return _DSCP.get(word, _number(word))


def _precedence(word: str) -> int | None:
    return _PRECEDENCES.index(word) if word in _PRECEDENCES else _number(word)
