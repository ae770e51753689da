"""Junos class of service: forwarding classes, and the schedulers of a port as queues.

Sources: Juniper's YANG modules, junos-conf-class-of-service; the default forwarding classes of the CoS user guide.
"""

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import get_args

from hntes.platforms.effective import BEST_EFFORT, Buffer, Ceiling, DropCurve, Port, Queue
from hntes.platforms.errors import ParseError
from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.junos.parser.operator_queues import OperatorSchedulers, check_rates, rate_bps_of
from hntes.platforms.junos.parser.port_statements import PROFILE, first_of, map_of, of_unit, statements_of
from hntes.platforms.junos.parser.tree import Node
from hntes.platforms.junos.parser.unmarked import unmarked_class
from hntes.platforms.values import loss_priority, number
from hntes.rules.qos.model import LOSS_PRIORITIES, ForwardingClass, LossPriority
from hntes.settings.terms import Priority

DEFAULT_CLASSES = {"best-effort": 0, "expedited-forwarding": 1, "assured-forwarding": 2, "network-control": 3}
DEFAULT_PRIORITY: Priority = "low"
HIGHEST_QUEUE, HIGHEST_OPERATOR_QUEUE = 7, 15
# Options of a class that act on input, or on frames of other protocols.
_OF_CLASS = ("priority", "policing-priority", "no-loss", "pfc-priority", "spu-priority")
_ECN = "explicit-congestion-notification"

# A congestion notification profile pauses lossless classes, of which that of the pairs is none.
_OF_PORT = (
    *("scheduler-map", "shaping-rate", PROFILE, "member-link-scheduler", "unit", "classifiers", "rewrite-rules"),
    "congestion-notification-profile",
)
_READ = ("forwarding-classes", "interfaces", "scheduler-maps", "schedulers", "drop-profiles", "forwarding-policy")
# They affect the marks of output packets, the router's own packets, or only packets of objects that name them.
_ELSEWHERE = (
    *("rewrite-rules", "host-outbound-traffic", "code-point-aliases", "classifiers", "tri-color"),
    *("traffic-control-profiles", "loss-priority-maps", "loss-priority-rewrites", "routing-instances"),
)


class QueueReader:
    """Reader of the class of service of one text: of a candidate, or `is_operators`, a router's with the operator's."""

    def __init__(self, root: Node, *, is_operators: bool = False) -> None:
        self.is_operators = is_operators
        self.cos = root.child("class-of-service") or Node("class-of-service", 0, "class-of-service")
        if not is_operators:
            self.cos.only(*_READ, *_ELSEWHERE)
        self.stated = _classes(self.cos, is_operators=is_operators)
        taken = set(self.stated.values())
        defaults = {name: queue for name, queue in DEFAULT_CLASSES.items() if queue not in taken}
        self.classes = {**defaults, **self.stated}
        self.used: list[Node] = []

    def forwarding_classes(self) -> tuple[ForwardingClass, ...]:
        """The classes that the text defines, by queue and name."""
        found = [ForwardingClass(name, queue) for name, queue in self.stated.items()]
        return tuple(sorted(found, key=lambda each: (each.queue, each.name)))

    def check_edge(self, name: str, unit: int) -> None:
        """Refuses a classifier of an edge unit, which classifies other traffic by its marks.

        That of an operator stays: filters come after it, and the check of conflicts names marks of the pairs' class.
        """
        if self.is_operators:
            return
        port = self._port(name)
        own = port.child("unit", str(unit)) if port is not None else None
        if own is not None:
            own.only("rewrite-rules")
        every = port.child("unit", "*") if port is not None else None
        if every is not None:
            every.only("rewrite-rules")

    def unmarked_queue(self, name: str, unit: int, ip_version: int) -> int:
        """The queue of packets with DSCP 0 that enter a unit, by its classifiers."""
        if not self.is_operators:
            return BEST_EFFORT
        found = unmarked_class(self.cos, of_unit(statements_of(self.cos, name), unit), ip_version)
        if found is None:
            return BEST_EFFORT
        if found.word not in self.classes:
            raise found.refused(f"forwarding class {found.word} has no queue in the text")
        return self.classes[found.word]

    def _operators_port(self, name: str, rate_bps: int) -> Port:
        """The queues of a core port as an operator has them."""
        stated = statements_of(self.cos, name)
        for each in stated:
            each.only(*_OF_PORT)
            for unit in each.child("unit") or ():
                unit.only("classifiers", "rewrite-rules")
        profile = self._profile(stated)
        shaped = first_of([*stated, *profile], "shaping-rate")
        rate = rate_bps if shaped is None else min(rate_bps, rate_bps_of(shaped))
        named = map_of(self.cos, stated)
        if named is None:
            return Port(name, rate, ())
        queues = OperatorSchedulers(self.cos, self.classes).queues(named.leaf(), rate)
        self._check_members(stated, named.value())
        check_rates(queues, named.value())
        return Port(name, rate, queues)

    def _check_members(self, stated: list[Node], name: Node) -> None:
        """Refuses rates in bit/s that each member of a bundle gets as they are; those in per cent are its parts."""
        mode = first_of(stated, "member-link-scheduler")
        if mode is None or mode.leaf().word == "scale":
            return
        for each in self.cos.need("scheduler-maps", name.word, "forwarding-class"):
            body = self.cos.need("schedulers", each.need("scheduler").value().word)
            for rate in (body.child("transmit-rate"), body.child("shaping-rate")):
                if rate is not None and any(one.word[:1].isdigit() for one in rate):
                    raise rate.refused(
                        f"is a rate in bit/s, which each member of the bundle gets in full (line {mode.line}): write "
                        "it in per cent"
                    )

    def _profile(self, stated: list[Node]) -> list[Node]:
        """The traffic control profile of a port, if it has one; that gives it a map and a shaper."""
        named = first_of(stated, PROFILE)
        if named is None:
            return []
        if (both := first_of(stated, "scheduler-map") or first_of(stated, "shaping-rate")) is not None:
            raise both.refused(f"is beside a traffic control profile (line {named.line}): ambiguous")
        name = named.leaf()
        body = self.cos.child("traffic-control-profiles", name.word)
        if body is None:
            raise name.refused(f"traffic-control-profile {name.word} is not in the text")
        body.only("scheduler-map", "shaping-rate")
        return [body]

    def port(self, name: str, rate_bps: int) -> Port:
        """The queues of a core port."""
        if self.is_operators:
            return self._operators_port(name, rate_bps)
        port = self._port(name)
        if port is None:
            added = self._added_to()
            return Port(name, rate_bps, () if added is None else self._queues(added))
        # A classifier of a core unit affects its input, not the queues of the port.
        port.only("scheduler-map", "member-link-scheduler", "unit")
        for unit in port.child("unit") or ():
            unit.only("classifiers", "rewrite-rules")
        named = port.child("scheduler-map")
        return Port(name, rate_bps, () if named is None else self._queues(named.leaf()))

    def _added_to(self) -> Node | None:
        """The operator's map of core ports, to which a candidate adds a class."""
        maps = [each for each in self.cos.child("scheduler-maps") or () if not OWN_NAME.fullmatch(each.word)]
        if len(maps) > 1:
            raise maps[1].refused(f"is a second scheduler map that gets a class, after line {maps[0].line}")
        return maps[0] if maps else None

    def _port(self, name: str) -> Node | None:
        ports = self.cos.child("interfaces")
        for each in ports or ():
            if each.word != name and (each.word == "all" or fnmatchcase(name, each.word)):
                raise each.refused(f"the pattern matches {name}: name the interface instead")
        return ports.child(name) if ports is not None else None

    def _use(self, node: Node) -> None:
        if node not in self.used:
            self.used.append(node)

    def _queues(self, name: Node) -> tuple[Queue, ...]:
        body = self.cos.child("scheduler-maps", name.word)
        if body is None:
            raise name.refused(f"scheduler-map {name.word} is not in the text")
        if OWN_NAME.fullmatch(name.word):
            # A map of the operator's gets a class; that it is merged is what is asked for.
            self._use(body)
        body.only("forwarding-class")
        found: dict[int, Queue] = {}
        for each in body.child("forwarding-class") or ():
            if each.word not in self.classes:
                raise each.refused(f"forwarding class {each.word} has no queue in the text")
            each.only("scheduler")
            queue = self._scheduler(each.need("scheduler").leaf(), self.classes[each.word], each.word)
            other = found.get(queue.numbers[0])
            if other is not None:
                shared = tuple(sorted({*other.forwarding_classes, each.word}))
                queue = replace(queue, forwarding_classes=shared)
                if replace(other, forwarding_classes=shared) != queue:
                    raise each.refused(f"queue {queue.numbers[0]} has another scheduler in line {other.line}")
            found[queue.numbers[0]] = queue
        return tuple(found[each] for each in sorted(found))

    def _scheduler(self, name: Node, queue: int, forwarding_class: str) -> Queue:
        body = self.cos.child("schedulers", name.word)
        if body is None:
            raise name.refused(f"scheduler {name.word} is not in the text")
        self._use(body)
        body.only("transmit-rate", "buffer-size", "priority", "drop-profile-map", _ECN)
        share, ceiling = _transmit_rate(body)
        drops = self._drops(body)
        return Queue(
            numbers=(queue,),
            code_points=(),
            forwarding_classes=(forwarding_class,),
            is_default=False,
            share_pct=share,
            ceiling=ceiling,
            priority=_priority(body),
            buffer=_buffer(body),
            drops=drops,
            average_weight=None,
            ecn=_ecn(body, drops),
            label=name.word,
            line=name.line,
        )

    def _drops(self, body: Node) -> tuple[DropCurve, ...]:
        found: dict[LossPriority, DropCurve] = {}
        maps = body.child("drop-profile-map", "loss-priority")
        if maps is None:
            if body.child("drop-profile-map") is not None:
                raise body.refused("only `drop-profile-map loss-priority L protocol any drop-profile D` is understood")
            return ()
        body.need("drop-profile-map").only("loss-priority")
        for each in maps:
            each.only("protocol")
            each.need("protocol").only("any")
            profile = each.need("protocol").need("any")
            profile.only("drop-profile")
            name = profile.need("drop-profile").leaf()
            of = LOSS_PRIORITIES if each.word == "any" else (loss_priority(each.word, each.line, each.path),)
            for one in of:
                if one in found:
                    raise each.refused(f"loss priority {one} has two drop profiles")
                found[one] = DropCurve(one, "pct", self._points(name))
        return tuple(found[each] for each in LOSS_PRIORITIES if each in found)

    def _points(self, name: Node) -> tuple[tuple[int, int], ...]:
        body = self.cos.child("drop-profiles", name.word)
        if body is None:
            raise name.refused(f"drop-profile {name.word} is not in the text")
        self._use(body)
        body.only("interpolate")
        lines = body.need("interpolate")
        lines.only("fill-level", "drop-probability")
        fills, drops = _levels(lines.need("fill-level")), _levels(lines.need("drop-probability"))
        if len(fills) != len(drops) or len(fills) < 2:
            raise lines.refused(f"{len(fills)} fill levels and {len(drops)} drop probabilities do not match")
        if list(fills) != sorted(set(fills)) or list(drops) != sorted(drops):
            raise lines.refused("fill levels must ascend, and drop probabilities must not fall")
        return tuple(zip(fills, drops, strict=True))


def _queue_number(stated: Node, *, is_operators: bool) -> int:
    """The number of a class's queue; on QFX multicast has queues above 7, and options may follow the number."""
    leaf = stated.value().take() if is_operators else stated.leaf()
    highest = HIGHEST_OPERATOR_QUEUE if is_operators else HIGHEST_QUEUE
    return number(leaf.word, 0, highest, leaf.line, leaf.path, "queue")


def _classes(cos: Node, *, is_operators: bool = False) -> dict[str, int]:
    found: dict[str, int] = {}
    body = cos.child("forwarding-classes")
    if body is None:
        return found
    body.only("class", "queue")
    for each in body.child("class") or ():
        each.only("queue-num", *(_OF_CLASS if is_operators else ()))
        found[each.word] = _queue_number(each.need("queue-num"), is_operators=is_operators)
    for queue in body.child("queue") or ():
        name = queue.leaf()
        if name.word in found:
            raise name.refused(f"forwarding class {name.word} has two queues")
        found[name.word] = number(queue.word, 0, HIGHEST_QUEUE, queue.line, queue.path, "queue")
    return found


def _levels(node: Node) -> tuple[int, ...]:
    leaf = node.leaf()
    return tuple(number(word, 0, 100, leaf.line, leaf.path, "level") for word in leaf.items or (leaf.word,))


def _share(node: Node, what: str) -> int:
    """The share in `percent N`; other units cannot be converted from the text alone."""
    stated = node.child("percent")
    if stated is None:
        raise node.refused(f"only a {what} in percent is understood")
    leaf = stated.value().take()
    return number(leaf.word, 1, 100, leaf.line, leaf.path, what)


def _transmit_rate(body: Node) -> tuple[int, Ceiling]:
    node = body.need("transmit-rate")
    node.only("percent", "exact", "rate-limit")
    share = _share(node, "transmit-rate")
    # `percent 5 exact;` and `{ percent 5; exact; }` are both in use.
    words = [*node.need("percent").value(), *(each for each in node if each.word != "percent")]
    if len(words) > 1:
        raise node.refused("is both exact and rate-limit")
    for word in words:
        word.end()
        word.take()
        if word.word == "exact":
            return share, "exact"
        if word.word == "rate-limit":
            return share, "rate-limit"
        raise word.refused("is neither exact nor rate-limit")
    return share, "none"


def _buffer(body: Node) -> Buffer:
    node = body.need("buffer-size")
    node.only("percent", "temporal")
    if len(node.children) != 1:
        raise ParseError(node.line, node.path, "needs one size")
    node.value().leaf()
    if node.child("temporal") is not None:
        leaf = node.need("temporal").leaf()
        return Buffer(number(leaf.word, 1, 2_000_000, leaf.line, leaf.path, "buffer-size"), "us")
    return Buffer(_share(node, "buffer-size"), "pct")


def _priority(body: Node) -> Priority:
    node = body.child("priority")
    if node is None:
        return DEFAULT_PRIORITY
    leaf = node.leaf()
    for known in get_args(Priority):
        if leaf.word == known:
            return known  # type: ignore[no-any-return]
    raise leaf.refused(f"priority {leaf.word!r} is none of {', '.join(get_args(Priority))}")


def _ecn(body: Node, drops: tuple[DropCurve, ...]) -> bool:
    """Whether the queue marks packets (Juniper, ECN), at the levels of its drop profiles."""
    node = body.child(_ECN)
    if node is None:
        return False
    node.end()
    if not drops:
        raise node.refused("needs a drop profile that defines when packets are marked")
    node.take()
    return True
