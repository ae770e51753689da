"""Conflicts between an IOS-XR or IOS-XE router's own statements and those of HNTES.

An interface has one attachment of each kind (docs/reference/rendering.md): one input and one output policy, one access
list and one route-map per family. A QoS group has one meaning on the whole router.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hntes.platforms.cisco.adopted import adopted_collisions, way_to_keep
from hntes.platforms.cisco.own_objects import is_own_object
from hntes.platforms.cisco.parser.operator_policy import Match
from hntes.platforms.cisco.parser.tree import Section, below, interface_name, is_routed
from hntes.platforms.cisco.parser.unparsed import bundle_of, is_member
from hntes.platforms.conflict import Collision
from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.registry import platform_of
from hntes.platforms.router_addresses import reaches
from hntes.rules.qos.model import InterfaceBinding, RouterModel

Words = tuple[str, ...]
_FREE_SHOWN = 5
# Sections that can set or match a QoS group.
_SETTING = ("class-map", "policy-map", "route-map", "route-policy", "table-map")


@dataclass(frozen=True)
class RedirectPlaces:
    """The leading words of the statements by which an edge interface refers to a redirect of HNTES.

    `by_family` are those per family with pairs, `once` those per interface.
    """

    by_family: Mapping[int, Words]
    once: tuple[Words, ...] = ()


NO_REDIRECT = RedirectPlaces({})


def cisco_collisions(
    model: RouterModel, root: Section, redirect: RedirectPlaces, default_match: Match
) -> Iterator[Collision]:
    """Each conflicting statement of an IOS-XR or IOS-XE configuration, except on tunnels."""
    for section in root:
        if section.words[:2] == ("interface", "range"):
            yield found_in(section, "may apply any statement; provide the file as the router lists it")
    yield from _places(model, root)
    used = [each for each in model.filters if each.all_terms]
    for each in model.interfaces:
        if each.is_edge:
            versions = [one.ip_version for one in used if one.ip_version in each.ip_versions]
            places = [("service-policy", "input"), *redirect.once]
            places += [redirect.by_family[version] for version in versions if version in redirect.by_family]
            yield from _edge(model, root, each, places)
    for name in sorted({each.name for each in model.interfaces if each.is_core}):
        yield from _port(root, name, default_match, is_kept=model.adopted is not None)
    if model.adopted is not None:
        yield from adopted_collisions(model, model.adopted, root, default_match)
    else:
        yield from _groups(model, root)


def found_in(section: Section, reason: str) -> Collision:
    """A collision at one line."""
    return Collision(section.line, section.text, reason)


def _places(model: RouterModel, root: Section) -> Iterator[Collision]:
    """Judged interfaces that are missing, bridge packets, or are members of a bundle."""
    sections = {interface_name(each.words): each for each in root if each.words[0] == "interface"}
    for name in sorted({name for each in model.interfaces for name in (each.name, unit_name(each))}):
        section = sections.get(name)
        if section is None:
            yield Collision(0, f"interface {name}", _missing(name, sections))
            continue
        if not is_routed(section.words):
            yield found_in(section, "bridges packets, which no filter of HNTES sees")
        bundle = bundle_of(section)
        if bundle is not None:
            yield found_in(section, f"is a member of bundle {bundle}: name the bundle in the settings instead")


def _missing(name: str, sections: Iterable[str | None]) -> str:
    port, _, unit = name.partition(".")
    if not unit or port not in sections:
        return "is missing: is the file the router's whole configuration?"
    units = sorted(each.partition(".")[2] for each in sections if each is not None and each.startswith(f"{port}."))
    return f"is missing: HNTES would create it, and no packet would enter by it; {port} has units {', '.join(units)}"


def unit_name(interface: InterfaceBinding) -> str:
    """The name of the interface in the configuration: that of the port, or of its unit."""
    return interface.name if interface.unit == 0 else f"{interface.name}.{interface.unit}"


def _statements(root: Section, name: str) -> list[Section]:
    return [line for each in root if interface_name(each.words) == name for line in each]


def _is_foreign(line: Section, *first: str) -> bool:
    """Whether a statement of this kind refers to a foreign object."""
    return line.begins(*first) and not any(OWN_NAME.fullmatch(word) for word in line.words[len(first) :])


def _edge(model: RouterModel, root: Section, edge: InterfaceBinding, places: list[Words]) -> Iterator[Collision]:
    unit = unit_name(edge)
    for line in _statements(root, unit):
        for place in places:
            if _is_foreign(line, *place) and line.words[-1] not in ("egress", "out"):
                way = _way_out(root, line) if place == ("service-policy", "input") else ""
                yield found_in(line, f"is in the place of HNTES's on {unit}: an interface has one of this kind{way}")
        yield from _back(model, line)
        if line.words[0] == "vrf" and model.redirect is not None:
            yield found_in(line, f"{unit} is in a VRF: the redirect would leave it for the global table")
    for line in _statements(root, edge.name) if edge.unit else ():
        if line.begins("service-policy", "input"):
            yield found_in(line, f"also covers {unit}")
    for section in root if not edge.unit else ():
        if (interface_name(section.words) or "").startswith(f"{edge.name}."):
            yield from (
                found_in(line, f"excludes an input policy of {unit}: a port has one, or its units do")
                for line in section
                if line.begins("service-policy", "input")
            )


def _way_out(root: Section, attached: Section) -> str:
    """What to do about an operator's input policy."""
    return _marks_alone(root, attached) or (
        ". Let the neighbour or a port upstream do what it does and remove it here, or leave this interface out of the "
        "settings: its pairs then stay in best effort"
    )


def _marks_alone(root: Section, attached: Section) -> str:
    """For an input policy that only marks: why the alpha class cannot be added to it, and what to do; else ""."""
    named = [each for each in root if each.words[0] == "policy-map" and each.words[-1] == attached.words[-1]]
    classes = [each for policy in named for each in policy if each.words[0] == "class"]
    marks = [mark for each in classes for mark in each if not mark.begins("end-")]
    if not marks or any(each.words[0] != "set" for each in marks):
        return ""
    first = next((each for each in classes if each.words[-1] != "class-default"), None)
    if first is not None:
        why = f"`{first.text}` (line {first.line}) would match a pair's packets before a class added after it"
    else:
        why = f"a pair's packets would lose `{marks[0].text}` (line {marks[0].line})"
    return (
        f". {attached.words[-1]} only marks, but HNTES does not add to it: {why}. Mark these packets on the neighbour "
        "or on a port upstream, and remove the policy from this interface"
    )


def _back(model: RouterModel, line: Section) -> Iterator[Collision]:
    """A redirect's next hop on this edge interface: packets would leave where they entered."""
    hops = () if model.redirect is None else (model.redirect.ipv4, model.redirect.ipv6)
    if line.words[1:2] != ("address",) or len(line.words) < 3:
        return
    address = "/".join(line.words[2:4]) if line.words[0] != "ipv6" and "/" not in line.words[2] else line.words[2]
    for hop in hops:
        if hop is not None and reaches(address, hop):
            yield found_in(line, f"the redirect's next hop {hop} is on this edge interface: packets would loop back")


def _port(root: Section, name: str, default_match: Match, *, is_kept: bool) -> Iterator[Collision]:
    for line in _statements(root, name):
        if _is_foreign(line, "service-policy", "output") and not is_kept:
            way = way_to_keep(root, line, default_match)
            yield found_in(line, f"is in the place of HNTES's on {name}: a port has one output policy; {way}")
    for section in root:
        is_unit = (interface_name(section.words) or "").startswith(f"{name}.")
        if is_unit or (section.words[0] == "interface" and is_member(section, name)):
            what = "a unit" if is_unit else "a member"
            for line in section:
                if line.begins("service-policy", "output"):
                    yield found_in(
                        line,
                        f"queues {what} of {name} separately and bypasses the policy of HNTES: attach a policy to the "
                        "port alone, or leave the port out of the settings",
                    )


def _groups(model: RouterModel, root: Section) -> Iterator[Collision]:
    """QoS groups of the plan that the router's own policies, classes or routes (QPPB) set or match."""
    groups = {str(each.queue) for each in model.forwarding_classes if each.queue != 0}
    stated = [
        (line, value)
        for section in root
        if section.words[0] in _SETTING and not is_own_object(section)
        for line in below(section)
        for value in _group_values(line.words)
    ]
    taken = {int(value) for _, value in stated if value.isdigit()}
    numbers = range(1, platform_of(model.platform).capabilities.queues)
    free = ", ".join(str(each) for each in itertools.islice((one for one in numbers if one not in taken), _FREE_SHOWN))
    for line, value in stated:
        if not value.isdigit():
            yield found_in(line, "may set any QoS group: set a number that HNTES leaves free")
        elif value in groups:
            yield found_in(
                line, f"QoS group {value} is used by the plan: set [routers.queues] to free numbers, such as {free}"
            )


def _group_values(words: Words) -> Iterator[str]:
    """The values behind `qos-group` and `set-qos-transmit`: numbers, or how another value is mapped."""
    for index, word in enumerate(words):
        if word in ("qos-group", "set-qos-transmit"):
            rest = words[index + 1 :]
            numbers = list(itertools.takewhile(str.isdigit, rest))
            yield from numbers or rest[:1]
