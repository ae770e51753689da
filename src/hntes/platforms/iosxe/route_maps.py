"""Policy routing of IOS-XE: the route map of an interface.

Source: Cisco's YANG module of route maps.
"""

import re
from typing import Literal

from hntes.platforms.cisco.parser.lists import ListReader
from hntes.platforms.cisco.parser.reader import Objects
from hntes.platforms.cisco.parser.text import distinct, one_of
from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.effective import Action, Entry, NextHop, Path, Program, Tunnel
from hntes.platforms.values import address, number

_TUNNEL = re.compile(r"Tunnel(\d+)")


def read_route_map(objects: Objects, line: Section, version: Literal[4, 6]) -> Program:
    """The route map of an interface."""
    if line.words[2:3] != ("route-map",) or len(line.words) != 4:
        raise line.refused("the policy routing is not understood")
    return _route_map(objects, line.words[3], version, line)


def _route_map(objects: Objects, name: str, ip_version: Literal[4, 6], user: Section) -> Program:
    """The program of a route map: a packet without a matching clause is routed as usual."""
    clauses: dict[int, Section] = {}
    for section in objects.text.sections("route-map", name):
        if len(section.words) != 4 or section.words[2] != "permit":
            raise section.refused("only `route-map NAME permit NUMBER` is understood")
        clauses[number(section.words[3], 0, 65_535, section.line, section.text, "clause")] = section
        section.take()
    if not clauses:
        raise user.refused(f"route-map {name} is not in the text")
    entries: list[Entry] = []
    for each in sorted(clauses):
        entries += _clause(objects.lists, clauses[each], ip_version)
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
        # Without a condition the clause matches every packet.
        return [Entry((), (), action, section.words[3], section.line)]
    if match.words[:3] != ("match", family, "address") or len(match.words) < 4:
        raise match.refused(f"only `match {family} address LIST` is understood")
    match.take()
    return [entry for name in match.words[3:] for entry in lists.permitted(name, ip_version, match, action)]


def _set(line: Section, ip_version: Literal[4, 6]) -> Path:
    family = "ip" if ip_version == 4 else "ipv6"
    if line.words[:-1] == ("set", family, "next-hop"):
        # Policy routing resolves the next hop in the routing table.
        return NextHop(address(line.words[-1], ip_version, line.line, line.text), resolves=True)
    tunnel = _TUNNEL.fullmatch(line.words[-1])
    if line.words[:-1] == ("set", "interface") and tunnel is not None:
        return Tunnel(int(tunnel[1]))
    raise line.refused("the path is not understood")
