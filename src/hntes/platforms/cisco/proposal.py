"""Settings by which a Cisco router keeps its classes, or HNTES takes QoS groups that it leaves free."""

from collections.abc import Iterator, Sequence
from typing import get_args

from hntes.platforms.adopted import BULK_MARKS
from hntes.platforms.cisco.adopted import marks_beside, pairs_class, policies_of, queueing_classes
from hntes.platforms.cisco.parser.operator_policy import Match, OperatorClass, carrier_of
from hntes.platforms.cisco.parser.tree import Section, below, read_sections
from hntes.platforms.effective import BEST_EFFORT
from hntes.platforms.errors import ParseError
from hntes.platforms.proposal import Proposal
from hntes.settings.adopt import ShareableMark

_CLASSES = ("class-map", "policy-map", "route-map", "route-policy", "table-map")
_SETTING = ("qos-group", "traffic-class", "set-qos-transmit")


def proposals(running: str, cores: Sequence[str], default_match: Match, groups: int) -> Iterator[Proposal]:
    """What could be set for a router with these core ports and so many QoS groups, the preferred first.

    Raises:
        ParseError: the text is not a configuration of the platform.
    """
    root = read_sections(running)
    attached = [line for line in policies_of(root, cores).values() if line is not None]
    if len({line.words[-1] for line in attached}) == 1:
        yield from _adopting(root, attached[0], default_match)
        yield from _sharing(root, attached[0], default_match)
    yield from _free_groups(root, groups)


def _adopting(root: Section, attached: Section, default_match: Match) -> Iterator[Proposal]:
    """The classes of the policy that take packets by a number: first those into which something is put.

    The check of conflicts refuses those into which other than bulk transfers are put.
    """
    classes = _classes(root, attached, default_match)
    try:
        carrier = carrier_of(classes, attached)
    except ParseError:
        return  # the plan as it is was refused with the line that attaches the policy
    used = {word for line in _class_lines(root) if set(_SETTING) & set(line.words) for word in line.words}
    ranked = []
    for each in classes:
        numbers = each.numbers(carrier) - {BEST_EFFORT}
        if numbers:
            ranked.append((not used & {str(number) for number in numbers}, each.name))
    for _, name in sorted(ranked):
        yield Proposal("class", {"adopt": {"forwarding_class": name, "policy": attached.words[-1]}})


def _sharing(root: Section, attached: Section, default_match: Match) -> Iterator[Proposal]:
    """The classes of the policy with interactive data in them besides, those of the lower marks first.

    The operator has to accept that it waits behind the pairs.
    """
    known = get_args(ShareableMark)
    found = []
    for each in _classes(root, attached, default_match):
        try:
            pairs = pairs_class(root, attached, each.name, default_match)
        except ParseError:
            continue  # no number brings packets into it
        marks = marks_beside(root, pairs, default_match)
        needed = frozenset() if marks is None else marks - BULK_MARKS
        if needed and needed <= frozenset(known):
            found.append((max(known.index(mark) for mark in needed), each.name, sorted(needed)))
    for _, name, shares_with in sorted(found):
        keys = {"forwarding_class": name, "policy": attached.words[-1], "shares_with": shares_with}
        yield Proposal("class", {"adopt": keys})


def _classes(root: Section, attached: Section, default_match: Match) -> tuple[OperatorClass, ...]:
    """The classes of the policy; none where it is not understood: the plan as it is was refused with that line."""
    try:
        return queueing_classes(root, attached.words[-1], attached, default_match)[:-1]
    except ParseError:
        return ()


def _free_groups(root: Section, groups: int) -> Iterator[Proposal]:
    marking = [line.words for line in _class_lines(root) if {"qos-group", "set-qos-transmit"} & set(line.words)]
    taken = {int(word) for words in marking for word in words if word.isdigit()}
    free = [each for each in range(1, groups) if each not in taken]
    if taken and len(free) > 2:
        yield Proposal("groups", {"queues": dict(zip(("network_control", "alpha", "scavenger"), free, strict=False))})


def _class_lines(root: Section) -> list[Section]:
    """The lines that set or match a QoS group, among others."""
    return [line for section in root if section.words[0] in _CLASSES for line in below(section)]
