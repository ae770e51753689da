"""Conflicts between a Junos router's own statements and those of HNTES.

HNTES's statements are inherited from the group `hntes`: the router's own statement in the same place overrides them
silently (docs/decisions/0029-transitions.md), so each such place is a collision. Sources: Juniper's pages on filters in
lists (one filter or one list per direction), on forwarding classes (`class` and `queue` are mutually exclusive) and on
CoS-based forwarding, as named in docs/reference/rendering.md.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from hntes.platforms.conflict import Collision
from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.junos.adopted import adopted_collisions
from hntes.platforms.junos.classes_in_use import class_uses
from hntes.platforms.junos.input_filters import filter_collisions
from hntes.platforms.junos.parser.inheritance import names_of
from hntes.platforms.junos.parser.listing import is_with_inheritance, read_listing
from hntes.platforms.junos.parser.port_statements import statements_of
from hntes.platforms.junos.parser.tree import Node, below
from hntes.platforms.junos.places import is_active, members, place_collisions
from hntes.platforms.junos.render import SHARED_QUEUE_CLASS
from hntes.platforms.junos.running import OBJECTS, expanded_tree
from hntes.platforms.junos.transition import GROUP
from hntes.platforms.router_addresses import reaches
from hntes.rules.qos.model import InterfaceBinding, RouterModel

_FAMILY = {4: "inet", 6: "inet6"}
# Juniper, Class of Service User Guide, "Default Forwarding Classes"; another class on the same queue replaces one.
_DEFAULT_CLASSES = {"best-effort": 0, "expedited-forwarding": 1, "assured-forwarding": 2, "network-control": 3}
_UNSERVED = (
    "has no scheduler in the map hntes: the class would get no bandwidth on the core ports; keep it by "
    "[[routers.kept_classes]], or the router's own map by [routers.adopt]"
)
# What gives a port its queues, and what to do about it.
_BY_A_MAP = "HNTES reads the scheduler map of a port alone: bind one instead, or leave the port out of the settings"
_PORT_QUEUES = {
    "scheduler-map": "keep it by [routers.adopt]",
    "output-traffic-control-profile": "keep it by [routers.adopt]",
    "output-forwarding-class-map": _BY_A_MAP,
    "forwarding-class-set": _BY_A_MAP,
}
_ENDING = ("accept", "reject", "next", "default-action")


def junos_collisions(model: RouterModel, running: str) -> Iterator[Collision]:
    """Each conflicting statement of a Junos configuration.

    Raises:
        ParseError: the text is not a Junos configuration.
    """
    listed = read_listing(running)
    root = expanded_tree(running, [each.name for each in model.interfaces])
    yield from _outside_the_group(listed)
    yield from place_collisions(model, root)
    for each in model.interfaces:
        if each.is_edge:
            yield from _edge(model, root, each)
    yield from filter_collisions(model, root, listed)
    if model.adopted is not None:
        yield from adopted_collisions(model, model.adopted, root)
    else:
        ports = _core_ports(model, root)
        for port in ports:
            yield from _port(root, port)
        yield from _of_patterns(running, model, root, ports)
        yield from _classes(model, root)
        yield from _default_classes(model, root)
    if model.redirect is not None and any(each.terms for each in model.filters):
        yield from _next_hop(model, root) if model.redirect.kind == "next_hop" else _export(root)


def _found(node: Node, reason: str) -> Collision:
    return Collision(node.ends[0] if node.ends else node.line, node.path, reason)


def _outside_the_group(root: Node) -> Iterator[Collision]:
    """Objects of HNTES that were loaded outside of the group and would override it."""
    if is_with_inheritance(root):
        return
    for place in OBJECTS:
        for each in root.child(*place) or ():
            if OWN_NAME.fullmatch(each.word) and each.group != GROUP:
                yield Collision(each.line, each.path, f"belongs to HNTES but not to the group {GROUP}: delete it")


def _edge(model: RouterModel, root: Node, edge: InterfaceBinding) -> Iterator[Collision]:
    unit = root.child("interfaces", edge.name, "unit", str(edge.unit))
    for each in model.filters if is_active(root, edge) else ():
        if not each.all_terms or each.ip_version not in edge.ip_versions:
            continue
        family = _FAMILY[each.ip_version]
        own = unit.child("family", family) if unit is not None else None
        if own is None:
            where = f"interfaces {edge.name} unit {edge.unit} family {family}"
            reason = "is missing: the filter would enable the family; remove it from the interface's ip_versions"
            yield Collision(unit.line if unit is not None else 0, where, reason)


def _core_ports(model: RouterModel, root: Node) -> list[str]:
    names = sorted({each.name for each in model.interfaces if each.is_core})
    return [port for name in names for port in (name, *members(root, name))]


def _of_patterns(running: str, model: RouterModel, root: Node, ports: list[str]) -> Iterator[Collision]:
    """What patterns of groups bring to a core port as soon as HNTES names it in the class of service.

    The group of HNTES is applied last, so that theirs would win.
    """
    where = ("class-of-service", "interfaces")
    patterns = [each.word for group in root.child("groups") or () for each in group.child(*where) or ()]
    fresh = [port for port in ports if root.child(*where, port) is None]
    if not fresh or not any(each.startswith("<") for each in patterns):
        return
    named = expanded_tree(running, [each.name for each in model.interfaces], [(*where, port) for port in fresh])
    known = {each.path for port in ports for each in _queues_of(root, port)}
    for port in fresh:
        for each in _queues_of(named, port):
            if each.path not in known:
                reason = (
                    f"would apply to {port}, before the map hntes, once HNTES names it there: write "
                    f"`set class-of-service interfaces {port}` on the router, and keep what then applies by "
                    "[routers.adopt]"
                )
                yield _found(each.value() if each.children else each, reason)


def _queues_of(root: Node, name: str) -> list[Node]:
    """The statements that give a port its queues."""
    stated = statements_of(root.child("class-of-service") or Node("", 0, ""), name)
    return [each for port in stated for each in port if each.word in _PORT_QUEUES]


def _port(root: Node, name: str) -> Iterator[Collision]:
    for port in root.child("class-of-service", "interfaces") or ():
        if port.word != name and port.word != "all" and not fnmatchcase(name, port.word):
            continue
        for each in port:
            if each.word == "unit":
                yield from (
                    _found(
                        one,
                        f"queues a unit of {name} separately and bypasses the map hntes: give the port a map in its "
                        "place, or leave the port out of the settings",
                    )
                    for unit in each
                    for one in unit
                    if one.word in ("scheduler-map", "output-traffic-control-profile", "shaping-rate")
                )
            elif each.word in _PORT_QUEUES:
                yield _found(
                    each.value() if each.children else each,
                    f"is in the place of the map hntes of {name}: {_PORT_QUEUES[each.word]}",
                )


def _classes(model: RouterModel, root: Node) -> Iterator[Collision]:
    """Classes with another name on a queue of the plan, on another queue, or without a scheduler in the plan's map."""
    stated = root.child("class-of-service", "forwarding-classes")
    queues = {each.name: each.queue for each in model.forwarding_classes}
    if model.redirect is not None and model.redirect.kind == "lsp":
        queues[SHARED_QUEUE_CLASS] = 0
    for queue in stated.child("queue") or () if stated is not None else ():
        yield _found(queue.value(), "maps by `queue`, which excludes `class` on Junos: write `class NAME queue-num N`")
    for each in stated.child("class") or () if stated is not None else ():
        number = each.need("queue-num").value()
        wanted = queues.get(each.word)
        if wanted is not None and str(wanted) != number.word:
            yield _found(
                number, f"the plan has class {each.word} on queue {wanted}: set [routers.queues] or class_names"
            )
        elif wanted is None and number.word in {str(queue) for queue in queues.values()}:
            yield _found(number, "its queue is used by the plan: set class_names to this name, or [routers.queues]")
        elif wanted is None:
            yield _found(number, _UNSERVED)


def _default_classes(model: RouterModel, root: Node) -> Iterator[Collision]:
    """Statements that name a default class whose queue the plan's class takes over, or that no queue serves."""
    stated = root.child("class-of-service", "forwarding-classes", "class")
    known = {each.name for each in model.forwarding_classes} | {each.word for each in stated or ()}
    taken = {each.queue: each.name for each in model.forwarding_classes}
    for top in (each for each in root if each.word in ("class-of-service", "firewall", "policy-options")):
        for node in below(top):
            for each in node if node.word == "forwarding-class" else ():
                queue = _DEFAULT_CLASSES.get(each.word)
                if queue in taken and each.word not in known:
                    yield _found(
                        each, f"class {each.word} is replaced by {taken[queue]} on queue {queue}: set class_names to it"
                    )
    unserved = {name for name, queue in _DEFAULT_CLASSES.items() if queue not in taken} - known
    alpha = _classes_of_pairs(model)
    uses = {(node.path, name): node for node, name in class_uses(root) if name in unserved | alpha}
    for (_, name), node in uses.items():
        why = f"which {_UNSERVED}" if name in unserved else "in which the plan has the pairs alone"
        yield _found(node, f"puts packets into class {name}, {why}")


def _classes_of_pairs(model: RouterModel) -> set[str]:
    """The classes into which HNTES puts packets, without that of all other traffic."""
    best_effort = {each.name for each in model.forwarding_classes if each.queue == 0}
    return {term.forwarding_class for each in model.filters for term in each.all_terms} - best_effort


def _next_hop(model: RouterModel, root: Node) -> Iterator[Collision]:
    redirect = model.redirect
    hops = {} if redirect is None else {"inet": redirect.ipv4, "inet6": redirect.ipv6}
    for family, hop in hops.items():
        for node, name in names_of(root.child("routing-options", "interface-routes", "rib-group", family)):
            if hop is not None:
                yield _found(node, f"rib-group {name} is in the place of HNTES's: interface routes have one per family")
    for edge in (each for each in model.interfaces if each.is_edge):
        unit = root.child("interfaces", edge.name, "unit", str(edge.unit), "family")
        for family, hop in hops.items():
            for each in (unit.child(family, "address") if unit is not None else None) or ():
                if hop is not None and reaches(each.word, hop):
                    yield _found(
                        each, f"the redirect's next hop {hop} is on this edge interface: packets would loop back"
                    )


def _export(root: Node) -> Iterator[Collision]:
    """Export policies evaluated before that of HNTES that accept or reject routes."""
    for node, name in names_of(root.child("routing-options", "forwarding-table", "export")):
        policy = root.child("policy-options", "policy-statement", name)
        if policy is None:
            yield _found(
                node, f"policy-statement {name} is not in the file: it may end the export before the LSP's policy"
            )
        else:
            ends = [each for each in below(policy) if each.word in (*_ENDING, "cos-next-hop-map")]
            yield from (_found(each, "precedes the LSP's policy and ends the export") for each in ends[:1])
