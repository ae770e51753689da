"""Settings by which HNTES takes QoS groups that a Cisco router leaves free."""

from collections.abc import Iterator

from hntes.platforms.cisco.parser.tree import below, read_sections
from hntes.platforms.proposal import Proposal

_CLASSES = ("class-map", "policy-map", "route-map", "route-policy", "table-map")


def proposals(running: str, groups: int) -> Iterator[Proposal]:
    """What could be set for a router with so many QoS groups.

    Raises:
        ParseError: the text is not a configuration of the platform.
    """
    lines = [line for section in read_sections(running) if section.words[0] in _CLASSES for line in below(section)]
    marking = [line.words for line in lines if {"qos-group", "set-qos-transmit"} & set(line.words)]
    taken = {int(word) for words in marking for word in words if word.isdigit()}
    free = [each for each in range(1, groups) if each not in taken]
    if taken and len(free) > 2:
        yield Proposal("groups", {"queues": dict(zip(("network_control", "alpha", "scavenger"), free, strict=False))})
