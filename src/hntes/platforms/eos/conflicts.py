"""Conflicts between an EOS router's own statements and those of HNTES.

Sources: EOS User Manual, "Quality of Service", "Traffic Management" (an interface has one traffic policy and one QoS
policy map on input, and one QoS profile); `classes_in_use` for traffic classes.
"""

from collections.abc import Iterator

from hntes.platforms.adopted import BULK_MARKS, waiting_reason
from hntes.platforms.cisco.conflicts import unit_name
from hntes.platforms.cisco.parser.tree import Section, interface_name
from hntes.platforms.conflict import Collision
from hntes.platforms.eos.classes import CONTROL_QUEUE, traffic_class
from hntes.platforms.eos.classes_in_use import UNMARKED, ClassUse, uses
from hntes.platforms.eos.kept_lines import kept_lines
from hntes.platforms.eos.parser.listing import interface_lines, read_listing
from hntes.platforms.router_addresses import reaches
from hntes.rules.qos.model import InterfaceBinding, RouterModel
from hntes.settings.terms import NETWORK_CONTROL

_QUEUEING = ("tx-queue", "uc-tx-queue", "mc-tx-queue", "shape", "priority-flow-control")
_BEST_EFFORT = traffic_class(0)


def eos_collisions(model: RouterModel, running: str) -> Iterator[Collision]:
    """Each conflicting statement of an EOS configuration.

    Raises:
        ParseError: the text is no such configuration.
    """
    root = read_listing("\n".join(kept_lines(running)))
    yield from _places(model, root)
    for each in model.interfaces:
        if each.is_edge:
            yield from _edge(model, root, each)
    for name in sorted({each.name for each in model.interfaces if each.is_core}):
        yield from _core(root, name)
    yield from _queue_maps(root)
    yield from _classes(model, root)


def _at(line: Section, reason: str) -> Collision:
    return Collision(line.line, line.text, reason)


def _places(model: RouterModel, root: Section) -> Iterator[Collision]:
    """Interfaces that are missing, bridge packets on an edge, or are members of a port channel."""
    listed = {interface_name(each.words): each for each in root if each.words[0] == "interface"}
    is_routed = any(each.text == "switchport default mode routed" for each in root)
    for name in sorted({name for each in model.interfaces for name in (each.name, unit_name(each))}):
        if name not in listed:
            yield Collision(0, f"interface {name}", "is missing: is the file the router's whole configuration?")
    for each in model.interfaces:
        lines = interface_lines(root, each.name)
        if each.name in listed:
            for line in lines:
                if line.begins("channel-group"):
                    channel = f"Port-Channel{''.join(line.words[1:2])}"
                    yield _at(line, f"makes {each.name} a member of {channel}: name that in the settings instead")
            bridges = not is_routed and not any(line.words == ("no", "switchport") for line in lines)
            if each.is_edge and each.unit == 0 and bridges:
                reason = "is a switchport: HNTES classifies packets on routed ports and subinterfaces"
                yield _at(listed[each.name], reason)


def _edge(model: RouterModel, root: Section, edge: InterfaceBinding) -> Iterator[Collision]:
    name = unit_name(edge)
    for line in interface_lines(root, name):
        yield from _classifying(root, line, f"is in the place of HNTES' on {name}")
        yield from _back(model, line, name)
    for line in interface_lines(root, edge.name) if edge.unit else ():
        yield from _classifying(root, line, f"may also classify what enters by {name}")


def _classifying(root: Section, line: Section, what: str) -> Iterator[Collision]:
    """A policy of the operator's on input, by itself or in a QoS profile."""
    way = "remove it there, or leave the interface out of the settings"
    if line.begins("traffic-policy", "input"):
        yield _at(line, f"{what}: an interface has one traffic policy; {way}")
    if _is_qos_policy(line):
        yield _at(line, f"{what}: its classes and HNTES' would both set the traffic class; {way}")
    if line.begins("service-profile"):
        for each in root:
            if each.words == ("qos", "profile", line.words[-1]) and any(map(_is_qos_policy, each)):
                yield _at(line, f"{what}: the profile has a policy map on input; {way}")


def _is_qos_policy(line: Section) -> bool:
    return line.begins("service-policy", "type", "qos", "input") or line.begins("service-policy", "input")


def _back(model: RouterModel, line: Section, name: str) -> Iterator[Collision]:
    """A redirect's next hop on this edge interface: packets would leave where they entered; or another table."""
    redirect = model.redirect
    if redirect is None:
        return
    if line.begins("vrf"):
        yield _at(line, f"{name} is in a VRF: the redirect would leave it for the default one")
    if line.words[1:2] == ("address",) and len(line.words) > 2:
        for hop in (redirect.ipv4, redirect.ipv6):
            if hop is not None and reaches(line.words[2], hop):
                yield _at(line, f"the redirect's next hop {hop} is on this edge interface: packets would loop back")


def _core(root: Section, name: str) -> Iterator[Collision]:
    for line in interface_lines(root, name):
        if line.begins("service-profile"):
            yield _at(line, f"is in the place of HNTES' on {name}: a port has one QoS profile; remove it there")
        elif line.words[0] in _QUEUEING:
            yield _at(line, f"queues {name} beside HNTES' QoS profile: remove it there")
    channel = name.removeprefix("Port-Channel")
    for section in root:
        other = interface_name(section.words) or ""
        is_member = channel != name and any(line.words[:2] == ("channel-group", channel) for line in section)
        if other.startswith(f"{name}.") or is_member:
            for line in section:
                if line.begins("service-profile") or line.words[0] in _QUEUEING:
                    what = "a member" if is_member else "a subinterface"
                    yield _at(line, f"queues {what} of {name} separately: remove it, or leave the port out")


def _queue_maps(root: Section) -> Iterator[Collision]:
    """Classes in other tx-queues than those of their numbers, on the whole router."""
    for each in root:
        if each.begins("qos", "map", "traffic-class") and "tx-queue" in each.words and each.words[-1].isdigit():
            *classes, _, _ = each.words[3:-1], "to", "tx-queue"
            named = [word for part in classes for word in part if word.isdigit()]
            if named != [each.words[-1]]:
                yield _at(each, "moves traffic classes to other tx-queues: HNTES needs class N in tx-queue N")


def _classes(model: RouterModel, root: Section) -> Iterator[Collision]:
    """Packets that the operator's maps and policies put into the class of the pairs, or into one without a share."""
    control = model.queue_for(NETWORK_CONTROL)
    pairs = {traffic_class(model.queue_of(each.forwarding_class)) for one in model.filters for each in one.all_terms}
    served = {traffic_class(each.queue) for each in model.forwarding_classes}
    shared = max(served - {CONTROL_QUEUE} if control == CONTROL_QUEUE else served, default=0)
    for use in uses(root):
        reason = _reason(use, pairs - {_BEST_EFFORT}, served, shared)
        if reason is not None:
            yield Collision(use.line, use.statement, reason)


def _reason(use: ClassUse, pairs: set[int], served: set[int], shared: int) -> str | None:
    """Why a use is in the way; `shared` is the highest tx-queue of the text that is round-robin."""
    name = f"traffic class {use.traffic_class}"
    if UNMARKED in use.marks and use.traffic_class != _BEST_EFFORT:
        return f"puts unmarked packets into {name}: HNTES has best effort in class {_BEST_EFFORT}, as by default"
    if use.traffic_class in pairs and not (use.marks and use.marks <= BULK_MARKS):
        waiting = waiting_reason(str(use.traffic_class), use.marks).split(":")[0]
        return f"{waiting}: set [routers.queues] to a class for bulk (queue 1 is traffic class 0)"
    if use.traffic_class not in served and 0 <= use.traffic_class < shared:
        return (
            f"puts packets into {name}, which has no queue in the profile and becomes round-robin, since tx-queue "
            f"{shared} of the plan is: map them to a class of the plan, or set [routers.queues] alpha = 1, "
            f"network_control = {CONTROL_QUEUE}"
        )
    return None
