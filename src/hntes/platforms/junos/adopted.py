"""An operator's classes that stay on a Junos router: whether the plan fits beside them, and the class of the pairs.

The scheduler map of each core port stays. The pairs get one of its classes, or one that HNTES adds to it, which the
router inherits from the group `hntes` (docs/decisions/0062-adopted-classes.md).
"""

from collections.abc import Iterator
from dataclasses import replace

from hntes.platforms.adopted import allowed_marks, waiting_reason
from hntes.platforms.conflict import Collision
from hntes.platforms.errors import ParseError
from hntes.platforms.junos.classes_in_use import class_uses
from hntes.platforms.junos.parser.port_statements import map_of, statements_of
from hntes.platforms.junos.parser.queues import DEFAULT_CLASSES
from hntes.platforms.junos.parser.tree import Node, below
from hntes.platforms.junos.running import expanded_tree
from hntes.rules.qos.model import Adopted, ForwardingClass, RouterModel

_UNIT_QUEUES = ("scheduler-map", "output-traffic-control-profile", "shaping-rate")
_OTHER_QUEUES = ("output-forwarding-class-map", "forwarding-class-set")


def with_adopted_class(model: RouterModel, running: str) -> RouterModel:
    """The model with the class of the pairs as the router has it; unchanged if the model adopts none.

    Raises:
        ParseError: the text is not a Junos configuration.
    """
    adopted = model.adopted
    if adopted is None:
        return model
    root = expanded_tree(running, [each.name for each in model.interfaces])
    is_by_queue = root.child("class-of-service", "forwarding-classes", "queue") is not None
    made = replace(adopted, is_by_queue=is_by_queue)
    if adopted.forwarding_class is None:
        return replace(model, adopted=made)
    queue = classes_of(root)[adopted.forwarding_class][0]
    return replace(model, adopted=made, forwarding_classes=(ForwardingClass(adopted.forwarding_class, queue),))


def classes_of(root: Node) -> dict[str, tuple[int, Node | None]]:
    """The classes of a router with their queues and statements; default classes on queues that no other has."""
    stated = root.child("class-of-service", "forwarding-classes")
    found: dict[str, tuple[int, Node | None]] = {}
    for each in (stated.child("class") if stated is not None else None) or ():
        number = next(iter(each.child("queue-num") or ()), None)
        if number is None or not number.word.isdigit():
            raise ParseError(each.line, each.path, "has no queue-num")
        found[each.word] = (int(number.word), number)
    for queue in (stated.child("queue") if stated is not None else None) or ():
        for name in queue:
            if queue.word.isdigit():
                found[name.word] = (int(queue.word), name)
    taken = {queue for queue, _ in found.values()}
    defaults = {name: (queue, None) for name, queue in DEFAULT_CLASSES.items() if queue not in taken}
    return {**defaults, **found}


def adopted_collisions(model: RouterModel, adopted: Adopted, root: Node) -> Iterator[Collision]:
    """What of the operator's classes and schedulers is in the way of the plan."""
    for name in sorted({each.name for each in model.interfaces if each.is_core}):
        yield from _port(root, name, adopted)
    classes = classes_of(root)
    if adopted.forwarding_class is None:
        yield from _added(model, classes)
    elif adopted.forwarding_class not in classes:
        reason = f"is not on the router, which has {', '.join(classes)}: set adopt.forwarding_class to one of these"
        yield Collision(0, f"class-of-service forwarding-classes class {adopted.forwarding_class}", reason)
    else:
        yield from _others_in(root, adopted.forwarding_class, classes, allowed_marks(adopted))


def _port(root: Node, name: str, adopted: Adopted) -> Iterator[Collision]:
    cos = root.child("class-of-service") or Node("", 0, "")
    stated = statements_of(cos, name)
    for port in stated:
        for unit in port.child("unit") or ():
            yield from (
                _found(one, f"queues a unit of {name} separately: HNTES reads the scheduler map of the port alone")
                for one in unit
                if one.word in _UNIT_QUEUES
            )
        yield from (
            _found(each, f"is in the place of a scheduler map of {name}, which adopt keeps")
            for each in port
            if each.word in _OTHER_QUEUES
        )
    bound = map_of(cos, stated)
    if bound is None:
        reason = "has no scheduler-map that adopt could keep: leave adopt out, and set [[routers.kept_classes]]"
        yield Collision(0, f"class-of-service interfaces {name}", reason)
    elif adopted.policy is not None and bound.value().word != adopted.policy:
        yield _found(bound.value(), f"is not the map of adopt.policy, {adopted.policy}: set it to this name")


def _added(model: RouterModel, classes: dict[str, tuple[int, Node | None]]) -> Iterator[Collision]:
    """A class of the router with the name or on the queue of the one that is added."""
    (own,) = model.forwarding_classes
    for name, (queue, node) in classes.items():
        if name == own.name or queue == own.queue:
            free = sorted(set(range(8)) - {each for each, _ in classes.values()})
            way = f"free queues are {', '.join(map(str, free))}" if free else "no queue is free: set forwarding_class"
            reason = f"is in the way of class {own.name} on queue {own.queue}: set [routers.queues] alpha; {way}"
            yield _found(node, reason) if node is not None else Collision(0, f"forwarding class {name}", reason)


def _others_in(
    root: Node, adopted: str, classes: dict[str, tuple[int, Node | None]], allowed: frozenset[str]
) -> Iterator[Collision]:
    """Statements that put packets other than bulk transfers into the queue of the pairs."""
    queue = classes[adopted][0]
    sharing = {name for name, (number, _) in classes.items() if number == queue}
    stated = root.child("class-of-service", "forwarding-classes", "class", adopted)
    for each in below(stated) if stated is not None else ():
        if each.word == "no-loss":
            yield _found(each, "is lossless: alpha flows would pause the ports that send to it; name another class")
    if queue == 0:
        yield Collision(0, f"forwarding class {adopted}", "is that of all other traffic (queue 0): name another class")
    uses = {(node.path, name): node for node, name in class_uses(root) if name in sharing}
    for (_, name), node in uses.items():
        marks = marks_of(node)
        if not marks or not marks <= allowed:
            yield _found(node, waiting_reason(name, frozenset(marks - allowed)))


def marks_of(node: Node) -> set[str]:
    """The code points of a class in a classifier; none of another statement."""
    found: set[str] = set()
    for each in below(node):
        if each.word in ("code-points", "code-point"):
            for one in each:
                found |= set(one.items or (one.word,))
    return found


def _found(node: Node, reason: str) -> Collision:
    return Collision(node.ends[0] if node.ends else node.line, node.path, reason)
