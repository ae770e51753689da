"""Checks of a Junos commit: referenced names are defined, and shares fit.

Sources: Junos OS Class of Service User Guide, "Configuring Scheduler Maps", "Understanding Forwarding Classes",
"Mapping Multiple Forwarding Classes to Single Queues" (classes of one queue have one scheduler in a map), "Managing
Transmission Rate" (the percentages of a map are at most 100); Routing Policies, Firewall Filters, and Traffic Policers
User Guide, "Standard Firewall Filter Components". The wording of the messages is ours where the guides have none.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.support.devices.junos.groups import inherited, undefined_groups
from tests.support.devices.junos.tree import Node

# Class of Service User Guide, "Default Forwarding Classes".
DEFAULT_CLASSES = {"best-effort": 0, "expedited-forwarding": 1, "assured-forwarding": 2, "network-control": 3}


@dataclass(frozen=True)
class CommitProblem:
    """path: the level, as `[edit ...]` shows it. element: the statement there."""

    path: str
    element: str
    message: str


def check(candidate: Node) -> list[CommitProblem]:
    """All that keeps a candidate from being committed."""
    root = inherited(candidate)
    groups = [CommitProblem("[edit]", f"apply-groups {name}", f"group '{name}' is not defined")
              for name in undefined_groups(candidate)]  # fmt: skip
    return [*groups, *_interface_filters(root), *_last_terms(root), *_filters(root), *_policers(root),
            *_classes(root), *_maps(root), *_cos_interfaces(root)]  # fmt: skip


def _problem(path: tuple[str, ...], element: str, message: str) -> CommitProblem:
    return CommitProblem(f"[edit {' '.join(path)}]", element, message)


def _children(root: Node, *path: str) -> list[Node]:
    node = root.get(*path)
    return node.active() if node else []


def _interface_filters(root: Node) -> Iterator[CommitProblem]:
    for interface in _children(root, "interfaces"):
        for unit in interface.named("unit"):
            for family in unit.named("family"):
                attached = family.get("filter")
                where = ("interfaces", *interface.words, *unit.words, *family.words)
                if attached is not None:
                    yield from _one_place(attached, where)
                for direction in attached.active() if attached else []:
                    name = direction.value or direction.words[-1]
                    if not _has_filter(root, family.words[1], name):
                        yield _problem(where, "filter", f"Referenced filter '{name}' is not defined")


def _one_place(attached: Node, where: tuple[str, ...]) -> Iterator[CommitProblem]:
    """User Guide, "Guidelines for Applying Multiple Firewall Filters as a List": one filter or one list, of 16."""
    for direction in ("input", "output"):
        listed = attached.named(f"{direction}-list")
        if listed and attached.get(direction) is not None:
            yield _problem(
                (*where, "filter"), direction, f"{direction} and {direction}-list cannot be configured together"
            )
        if len(listed) > 16:
            yield _problem((*where, "filter"), f"{direction}-list", "more than 16 filters")


def _last_terms(root: Node) -> Iterator[CommitProblem]:
    """User Guide, "Firewall Filter Terminating Actions": `next term` cannot be in the last term."""
    last: dict[tuple[str, ...], tuple[tuple[str, ...], Node]] = {}
    for where, term in _terms(root):
        last[where[:-2]] = where, term
    for where, term in last.values():
        if term.leaf("then", "next") is not None:
            yield _problem((*where, "then"), "next", "next term cannot be in the last term")


def _has_filter(root: Node, family: str, name: str) -> bool:
    key = ("filter", name)
    in_family = root.get("firewall", ("family", family), key)
    return in_family is not None or (family == "inet" and root.get("firewall", key) is not None)


def _terms(root: Node) -> Iterator[tuple[tuple[str, ...], Node]]:
    firewall = root.get("firewall")
    if firewall is None:
        return
    families = [(("firewall", *family.words), family) for family in firewall.named("family")]
    for where, holder in [(("firewall",), firewall), *families]:
        for each in holder.named("filter"):
            for term in each.named("term"):
                yield (*where, *each.words, *term.words), term


def _filters(root: Node) -> Iterator[CommitProblem]:
    classes = classes_of(root)
    instances = {node.words[0] for node in _children(root, "routing-instances")}
    lists = {node.words[1] for node in _children(root, "policy-options") if node.words[0] == "prefix-list"}
    for where, term in _terms(root):
        wanted = [
            ("policer", term.leaf("then", "policer"), _names(root, "policer"), "Referenced policer"),
            ("forwarding-class", term.leaf("then", "forwarding-class"), set(classes), "Forwarding class"),
            ("routing-instance", term.leaf("then", "routing-instance"), instances, "Referenced routing instance"),
        ]
        colours = _children(term, "then", "three-color-policer")
        wanted += [(c.words[0], c.value, _names(root, "three-color-policer"), "Referenced policer") for c in colours]
        for keyword in ("prefix-list", "source-prefix-list", "destination-prefix-list"):
            wanted += [(keyword, n.words[0], lists, "Referenced prefix list") for n in _children(term, "from", keyword)]
        for element, name, defined, what in wanted:
            if name is not None and name not in defined:
                yield _problem((*where, "then"), element, f"{what} '{name}' is not defined")


def _names(root: Node, keyword: str) -> set[str]:
    firewall = root.get("firewall")
    return {node.words[1] for node in firewall.named(keyword)} if firewall else set()


def _policers(root: Node) -> Iterator[CommitProblem]:
    firewall = root.get("firewall")
    classes = classes_of(root)
    for policer in firewall.named("policer") if firewall else []:
        name = policer.leaf("then", "forwarding-class")
        if name is not None and name not in classes:
            yield _problem(("firewall", *policer.words, "then"), "forwarding-class",
                           f"Forwarding class '{name}' is not defined")  # fmt: skip
        limits = policer.get("if-exceeding")
        if limits is None or limits.get("burst-size-limit") is None:
            yield _problem(("firewall", *policer.words), "if-exceeding", "burst-size-limit must be specified")


def classes_of(root: Node) -> dict[str, int]:
    """Queue of each forwarding class: the defaults, unless the configuration has another class on their queue."""
    own: dict[str, int] = {}
    for node in _children(root, "class-of-service", "forwarding-classes"):
        if node.words[0] == "class":
            own[node.words[1]] = int(node.leaf("queue-num") or -1)
        else:
            own |= {child.words[0]: int(node.words[1]) for child in node.active()}
    return {name: queue for name, queue in DEFAULT_CLASSES.items() if queue not in own.values()} | own


def _classes(root: Node) -> Iterator[CommitProblem]:
    where = ("class-of-service", "forwarding-classes")
    forms = {node.words[0] for node in _children(root, *where)}
    if forms == {"class", "queue"}:
        yield _problem(where, "queue", "queue and class statements cannot be configured together")
    for node in _children(root, *where):
        if node.words[0] == "class" and node.leaf("queue-num") is None:
            yield _problem((*where, *node.words), "queue-num", "Missing mandatory statement: 'queue-num'")
        if node.words[0] == "queue" and len(node.active()) > 1:
            yield _problem((*where, *node.words), "queue", "more than one forwarding class for a queue")


def _maps(root: Node) -> Iterator[CommitProblem]:
    classes = classes_of(root)
    schedulers = {node.words[0]: node for node in _children(root, "class-of-service", "schedulers")}
    for each in _children(root, "class-of-service", "scheduler-maps"):
        where = ("class-of-service", "scheduler-maps", *each.words)
        of_queue: dict[int, str] = {}
        for entry in each.named("forwarding-class"):
            name, scheduler = entry.words[1], entry.leaf("scheduler") or ""
            if name not in classes:
                yield _problem(where, f"forwarding-class {name}", f"Forwarding class '{name}' is not defined")
            elif of_queue.setdefault(classes[name], scheduler) != scheduler:
                yield _problem(where, f"forwarding-class {name}",
                               f"queue {classes[name]} has more than one scheduler in the map")  # fmt: skip
            if scheduler not in schedulers:
                yield _problem(
                    (*where, *entry.words), "scheduler", f"Referenced scheduler '{scheduler}' is not defined"
                )
        yield from _shares(where, [schedulers[name] for name in of_queue.values() if name in schedulers])


def _shares(where: tuple[str, ...], schedulers: list[Node]) -> Iterator[CommitProblem]:
    for keyword in ("transmit-rate", "buffer-size"):
        percent = sum(int(node.leaf(keyword, "percent") or 0) for node in schedulers)
        if percent > 100:
            yield _problem(where, keyword, f"total {keyword} of the scheduler map is {percent} percent, more than 100")


def _cos_interfaces(root: Node) -> Iterator[CommitProblem]:
    maps = {node.words[0] for node in _children(root, "class-of-service", "scheduler-maps")}
    profiles = {node.words[0] for node in _children(root, "class-of-service", "drop-profiles")}
    for interface in _children(root, "class-of-service", "interfaces"):
        for holder in [interface, *interface.named("unit")]:
            name = holder.leaf("scheduler-map")
            if name is not None and name not in maps:
                yield _problem(("class-of-service", "interfaces", *interface.words), "scheduler-map",
                               f"Referenced scheduler map '{name}' is not defined")  # fmt: skip
    for scheduler in _children(root, "class-of-service", "schedulers"):
        for entry in scheduler.named("drop-profile-map"):
            if entry.leaf("drop-profile") not in profiles:
                yield _problem(("class-of-service", "schedulers", *scheduler.words), "drop-profile-map",
                               f"Referenced drop profile '{entry.leaf('drop-profile')}' is not defined")  # fmt: skip
