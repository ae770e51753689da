"""Tunnel selection of IOS-XR: a policy of type pbr sets a forward class, which a tunnel serves.

Source: the MPLS configuration guide of ASR 9000 (policy-based tunnel selection).
"""

import re
from typing import Literal

from hntes.platforms.cisco.parser.classes import DEFAULT_CLASS
from hntes.platforms.cisco.parser.reader import Objects
from hntes.platforms.cisco.parser.text import CiscoText, distinct, one_of
from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.effective import Action, Entry, Program, Tunnel
from hntes.platforms.values import number

_PBR = ("type", "pbr")
_TRAFFIC = ("type", "traffic")


def read_pbr_policy(objects: Objects, line: Section, version: Literal[4, 6]) -> Program:
    """The policy of type pbr of an interface."""
    if line.words[:4] != ("service-policy", "type", "pbr", "input") or len(line.words) != 5:
        raise line.refused("the service policy is not understood")
    return _pbr_policy(objects, line.words[4], version, line)


def _pbr_policy(objects: Objects, name: str, ip_version: Literal[4, 6], user: Section) -> Program:
    entries: list[Entry] = []
    for class_name, section in objects.classes.policy(name, user, *_PBR):
        lines = distinct(section)
        for line in lines:
            line.end()
            if line.words[:-1] != ("set", "forward-class"):
                raise line.refused("is not understood in a policy of type pbr")
        mark = one_of(lines, "set")
        path = None if mark is None else _tunnel_of(objects.text, mark)
        action = Action("accept", path=path)
        if class_name == DEFAULT_CLASS:
            if path is not None:
                entries.append(Entry((), (), action, class_name, section.line))
        else:
            entries += objects.classes.entries(class_name, section, ip_version, action, *_TRAFFIC)
    return Program("paths", tuple(entries), Action(), name)


def _tunnel_of(text: CiscoText, mark: Section) -> Tunnel:
    forward_class = number(mark.words[2], 1, 7, mark.line, mark.text, "forward-class")
    mark.take()
    found = []
    for section in text.sections("interface"):
        tunnel = re.fullmatch(r"tunnel-te(\d+)", section.words[-1])
        served = [line for line in section if line.words[0] == "forward-class"]
        for line in served:
            line.end()
            number(line.words[-1], 1, 7, line.line, line.text, "forward-class")
        if tunnel is not None and any(line.words == ("forward-class", str(forward_class)) for line in served):
            found.append(int(tunnel[1]))
            section.take()
            if len(served) == 1:
                served[0].take()  # two classes would be ambiguous
    if len(found) != 1:
        raise mark.refused(f"{len(found)} tunnels of the text have forward-class {forward_class}; needs one")
    return Tunnel(found[0])
