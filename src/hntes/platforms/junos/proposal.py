"""Settings by which a Junos router keeps its classes, the preferred first; the check of conflicts decides on each."""

from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from hntes.platforms.adopted import BULK_MARKS, names_of_marks
from hntes.platforms.junos.adopted import classes_of, marks_of
from hntes.platforms.junos.classes_in_use import class_uses
from hntes.platforms.junos.parser.port_statements import map_of, statements_of
from hntes.platforms.junos.parser.tree import Node
from hntes.platforms.junos.running import expanded_tree
from hntes.platforms.proposal import Proposal
from hntes.settings.adopt import ShareableMark
from hntes.settings.own_configuration import QueueNumbers

QUEUES = range(1, 8)
# Shares of an added class: what is tried, most first; a class that is kept in the map of HNTES gets the last.
_ADDED_PCT = (30, 20, 15, 10, 5)
_KEPT_PCT = 3


def proposals(running: str, cores: Sequence[str]) -> Iterator[Proposal]:
    """What could be set for a router with these core ports.

    Raises:
        ParseError: the text is not a Junos configuration.
    """
    root = expanded_tree(running, cores)
    cos = root.child("class-of-service")
    maps = {bound.value().word for name in cores if (bound := _map_of(cos, name)) is not None}
    classes = {name: queue for name, (queue, _) in classes_of(root).items()}
    if len(maps) == 1 and cos is not None:
        (name,) = maps
        yield from _of_map(root, cos, name)
        yield from _added(name, classes)
        yield from _of_map_shared(root, cos, name)
    elif not maps:
        yield from _kept(root, classes)


def _map_of(cos: Node | None, port: str) -> Node | None:
    return None if cos is None else map_of(cos, statements_of(cos, port))


def _of_map(root: Node, cos: Node, name: str) -> Iterator[Proposal]:
    """The classes of the map that take nothing but bulk transfers: first those that something uses."""
    ranked = []
    for each, marks in _used_by_marks(root, cos, name):
        if all(found and found <= BULK_MARKS for found in marks):
            ranked.append((not marks, each))
    for _, forwarding_class in sorted(ranked):
        yield Proposal("class", {"adopt": {"forwarding_class": forwarding_class, "policy": name}})


def _of_map_shared(root: Node, cos: Node, name: str) -> Iterator[Proposal]:
    """The classes of the map that take interactive data besides, those of the lower marks first.

    The operator has to accept that it waits behind the pairs.
    """
    known = get_args(ShareableMark)
    found = []
    for each, marks in _used_by_marks(root, cos, name):
        of_statements = {names_of_marks(one) for one in marks}
        needed = frozenset(mark for one in of_statements for mark in one or ()) - BULK_MARKS
        if None not in of_statements and needed and needed <= frozenset(known):
            found.append((max(known.index(mark) for mark in needed), each, sorted(needed)))
    for _, forwarding_class, shares_with in sorted(found):
        keys = {"forwarding_class": forwarding_class, "policy": name, "shares_with": shares_with}
        yield Proposal("class", {"adopt": keys})


def _used_by_marks(root: Node, cos: Node, name: str) -> list[tuple[str, list[set[str]]]]:
    """The classes of the map, each with the marks of each statement that puts packets into it."""
    used: dict[str, list[set[str]]] = {}
    for node, of in class_uses(root):
        used.setdefault(of, []).append(marks_of(node))
    served = cos.child("scheduler-maps", name, "forwarding-class")
    return [(each.word, used.get(each.word, [])) for each in served or ()]


def _added(name: str, classes: dict[str, int]) -> Iterator[Proposal]:
    """A class of HNTES on a free queue of the map."""
    alpha = _first_free(classes.values())
    if alpha is not None:
        keys: dict[str, object] = {"adopt": {"policy": name}, **_queues(alpha)}
        if "alpha" in classes:
            keys["class_names"] = {"alpha": "hntes-alpha"}
        for share in _ADDED_PCT:
            yield Proposal("added", keys, {"alpha_share_pct": share, "beta_share_pct": 95 - share})


def _kept(root: Node, classes: dict[str, int]) -> Iterator[Proposal]:
    """All classes in the map of HNTES: those of queues 0 and 3 by name, the others with a small share."""
    by_queue = {queue: name for name, queue in classes.items() if queue in range(8)}
    stated = {name for name, (_, node) in classes_of(root).items() if node is not None}
    used = {of for _, of in class_uses(root)}
    names = {key: by_queue[queue] for key, queue in (("beta", 0), ("network_control", 3)) if queue in by_queue}
    others = {queue: name for queue, name in by_queue.items() if queue not in (0, 3) and name in stated | used}
    unused = [queue for queue, name in others.items() if name not in used]
    alpha = _first_free(others)
    if alpha is None:
        if not unused:
            return
        alpha = unused[-1]
    if alpha in others:
        names["alpha"] = others.pop(alpha)
    kept = [
        {"forwarding_class": name, "queue": queue, "share_pct": _KEPT_PCT} for queue, name in sorted(others.items())
    ]
    keys: dict[str, object] = {**_queues(alpha), "class_names": names, "kept_classes": kept}
    yield Proposal("kept", keys)


def _queues(alpha: int) -> dict[str, object]:
    """The queue of alpha where it is not the default; the class that the plan does not use gives way."""
    default = QueueNumbers()
    if alpha == default.alpha:
        return {}
    return {"queues": {"alpha": alpha} | ({"scavenger": default.alpha} if alpha == default.scavenger else {})}


def _first_free(taken: Iterable[int]) -> int | None:
    """The default queue of alpha if it is free, else the highest that is."""
    default = QueueNumbers()
    free = [queue for queue in QUEUES if queue not in taken and queue != default.network_control]
    return default.alpha if default.alpha in free else free[-1] if free else None
