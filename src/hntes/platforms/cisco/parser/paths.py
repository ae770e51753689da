"""Redirections of Cisco platforms: policy routing of IOS-XE, and tunnel selection by forward class of IOS-XR.

Sources: Cisco's YANG module of route maps (IOS-XE), the MPLS configuration guide of ASR 9000 (policy-based tunnel
selection). ABF of IOS-XR stands in access lists and is read with them.
"""

import re
from typing import Literal

from hntes.platforms.cisco.parser.classes import DEFAULT_CLASS, ClassReader
from hntes.platforms.cisco.parser.lists import ListReader
from hntes.platforms.cisco.parser.text import CiscoText, distinct, one_of
from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.effective import Action, Entry, NextHop, Path, Program, Tunnel
from hntes.platforms.values import address, number

_PBR = ("type", "pbr")
_TRAFFIC = ("type", "traffic")
_TUNNEL = re.compile(r"Tunnel(\d+)")


def route_map(text: CiscoText, lists: ListReader, name: str, ip_version: Literal[4, 6], user: Section) -> Program:
    """A route map that an interface of IOS-XE routes by; a packet that it does not take is routed as usual."""
    clauses: dict[int, Section] = {}
    for section in text.sections("route-map", name):
        if len(section.words) != 4 or section.words[2] != "permit":
            raise section.refused("only `route-map NAME permit NUMBER` is understood")
        clauses[number(section.words[3], 0, 65_535, section.line, section.text, "clause")] = section
        section.take()
    if not clauses:
        raise user.refused(f"route-map {name} is not in the text")
    entries: list[Entry] = []
    for each in sorted(clauses):
        entries += _clause(lists, clauses[each], ip_version)
    return Program("paths", tuple(entries), Action(), name)


def _clause(lists: ListReader, section: Section, ip_version: Literal[4, 6]) -> list[Entry]:
    family = "ip" if ip_version == 4 else "ipv6"
    lines = [line for line in distinct(section) if line.words[0] != "description"]
    for line in lines:
        line.end()
        if line.words[0] not in ("match", "set"):
            raise line.refused("is not understood in a route map")
    match, where = one_of(lines, "match"), one_of(lines, "set")
    if where is None:
        raise section.refused("sets no path")
    action = Action("accept", path=_set(where, ip_version))
    where.take()
    if match is None:
        # Without a condition the clause takes every packet.
        return [Entry((), (), action, section.words[3], section.line)]
    if match.words[:3] != ("match", family, "address") or len(match.words) < 4:
        raise match.refused(f"only `match {family} address LIST` is understood")
    match.take()
    return [entry for name in match.words[3:] for entry in lists.permitted(name, ip_version, match, action)]


def _set(line: Section, ip_version: Literal[4, 6]) -> Path:
    family = "ip" if ip_version == 4 else "ipv6"
    if line.words[:-1] == ("set", family, "next-hop"):
        # Policy routing looks the hop up in the routing table itself.
        return NextHop(address(line.words[-1], ip_version, line.line, line.text), resolves=True)
    tunnel = _TUNNEL.fullmatch(line.words[-1])
    if line.words[:-1] == ("set", "interface") and tunnel is not None:
        return Tunnel(int(tunnel[1]))
    raise line.refused("the path is not understood")


def pbr_policy(text: CiscoText, classes: ClassReader, name: str, ip_version: Literal[4, 6], user: Section) -> Program:
    """A policy of type pbr on IOS-XR: the forward class of packets, and the tunnel that serves it."""
    entries: list[Entry] = []
    for class_name, section in classes.policy(name, user, *_PBR):
        lines = distinct(section)
        for line in lines:
            line.end()
            if line.words[:-1] != ("set", "forward-class"):
                raise line.refused("is not understood in a policy of type pbr")
        mark = one_of(lines, "set")
        path = None if mark is None else _tunnel_of(text, mark)
        action = Action("accept", path=path)
        if class_name == DEFAULT_CLASS:
            if path is not None:
                entries.append(Entry((), (), action, class_name, section.line))
        else:
            entries += classes.entries(class_name, section, ip_version, action, *_TRAFFIC)
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
                served[0].take()  # of two classes, which one holds?
    if len(found) != 1:
        raise mark.refused(f"{len(found)} tunnels of the text have forward-class {forward_class}; needs one")
    return Tunnel(found[0])
