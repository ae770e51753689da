"""The queues of SR OS ports.

Sources: nokia-conf-qos, network-queue (a class without an fc statement is in queue 1, which every policy has) and
port-scheduler-policy; Quality of Service Guide, "Port-based schedulers": a queue gets its CIR at its cir-level by
cir-weight, then what is left up to its PIR at its level by weight.
"""

import re

from hntes.platforms.effective import Buffer, Port, Queue
from hntes.platforms.errors import ParseError
from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.sros.classes import CLASSES, LEVELS, Levels
from hntes.platforms.sros.parser.tree import Node
from hntes.platforms.values import number
from hntes.settings.terms import Priority

DEFAULT_QUEUE = 1
HIGHEST_QUEUE = 16
_DECIMAL = re.compile(r"(?P<whole>\d{1,3})(\.(?P<fraction>\d{1,2}))?", re.ASCII)
_PRIORITIES = {levels: priority for priority, levels in LEVELS.items()}


class QueueReader:
    """Reader of the egress queues of one text's ports."""

    def __init__(self, configure: Node) -> None:
        self.configure = configure
        self._policies: dict[str, tuple[Queue, ...]] = {}

    def port(self, name: str, rate_bps: int) -> Port:
        """The queues of a core port; none if nothing of HNTES is bound.

        Raises:
            ParseError: the port has another's policies, or those of HNTES cannot be parsed.
        """
        ethernet = self.configure.child("port", name, "ethernet")
        policy = ethernet.child("network", "egress", "queue-policy") if ethernet is not None else None
        scheduler = ethernet.child("egress", "port-scheduler-policy") if ethernet is not None else None
        if policy is None and scheduler is None:
            return Port(name, rate_bps, ())
        if policy is None or scheduler is None:
            bound = policy or scheduler
            assert bound is not None  # noqa: S101 - for the type checker
            raise bound.refused("a queue-policy and a port-scheduler-policy are understood together only")
        scheduler.only("policy-name")
        self._scheduler(scheduler.need("policy-name").leaf())
        return Port(name, rate_bps, self._policy(policy.leaf()))

    def read_unbound(self) -> None:
        """Parses policies of HNTES that no judged port names."""
        for each in self.configure.child("qos", "network-queue") or ():
            self._policy(each)
        for each in self.configure.child("qos", "port-scheduler-policy") or ():
            self._scheduler(each)

    def _scheduler(self, name: Node) -> None:
        body = self.configure.child("qos", "port-scheduler-policy", name.word)
        if body is None:
            raise name.refused(f"port-scheduler-policy {name.word} is not in the text")
        if not OWN_NAME.fullmatch(name.word):
            raise name.refused("only a port scheduler of HNTES is understood on a judged port")
        body.only("max-rate")
        rate = body.need("max-rate").leaf()
        if rate.word != "max":
            raise rate.refused("limits the port: not understood")

    def _policy(self, name: Node) -> tuple[Queue, ...]:
        body = self.configure.child("qos", "network-queue", name.word)
        if body is None:
            raise name.refused(f"network-queue {name.word} is not in the text")
        if not OWN_NAME.fullmatch(name.word):
            raise name.refused("only a network-queue policy of HNTES is understood on a judged port")
        if name.word not in self._policies:
            self._policies[name.word] = _queues(body)
        return self._policies[name.word]


def _queues(body: Node) -> tuple[Queue, ...]:
    body.only("fc", "queue")
    classes = _classes(body)
    stated = {number(each.word, 1, HIGHEST_QUEUE, each.line, each.path, "queue"): each for each in body.need("queue")}
    unserved = sorted(set(classes.values()) - set(stated))
    if unserved:
        raise body.refused(f"queue {unserved[0]}, which has a class, is not in the text")
    idle = sorted(set(stated) - set(classes.values()))
    if idle:
        raise stated[idle[0]].refused("serves no class")
    found = [_queue(each, [one for one, queue in classes.items() if queue == key]) for key, each in stated.items()]
    return tuple(sorted(found, key=lambda each: each.numbers))


def _classes(body: Node) -> dict[int, int]:
    """The queue of each class, by its number."""
    found = dict.fromkeys(range(len(CLASSES)), DEFAULT_QUEUE)
    for each in body.child("fc") or ():
        if each.word not in CLASSES:
            raise each.refused(f"is no class; known: {', '.join(CLASSES)}")
        each.only("queue")
        leaf = each.need("queue").leaf()
        found[CLASSES.index(each.word)] = number(leaf.word, 1, HIGHEST_QUEUE, leaf.line, leaf.path, "queue")
    return found


def _queue(body: Node, numbers: list[int]) -> Queue:
    body.only("mbs", "rate", "port-parent")
    rate = body.need("rate")
    rate.only("pir", "cir")
    if _number(rate, "pir", 1, 100) != 100:
        raise rate.need("pir").refused("limits the queue: not understood")
    share = _number(rate, "cir", 0, 100)
    return Queue(
        numbers=tuple(numbers),
        code_points=(),
        forwarding_classes=tuple(sorted(CLASSES[each] for each in numbers)),
        is_default=False,
        share_pct=share,
        ceiling="none",
        priority=_priority(body.need("port-parent"), share),
        buffer=Buffer(_buffer_pct(body.need("mbs").leaf()), "pct"),
        drops=(),
        average_weight=None,
        label=f"queue {body.word}",
        line=body.line,
    )


def _priority(parent: Node, share_pct: int) -> Priority:
    """The priority of a queue by its levels; weights other than the share would divide what is left otherwise."""
    parent.only("level", "weight", "cir-level", "cir-weight")
    for word in ("weight", "cir-weight"):
        if _number(parent, word, 0, 100) != share_pct:
            raise parent.need(word).refused(f"is not the queue's share, {share_pct}: not understood")
    levels = Levels(_number(parent, "cir-level", 0, 8), _number(parent, "level", 1, 8))
    if levels not in _PRIORITIES:
        raise parent.refused(f"level {levels.above} with cir-level {levels.within} is no priority of HNTES")
    return _PRIORITIES[levels]


def _number(node: Node, word: str, low: int, high: int) -> int:
    leaf = node.need(word).leaf()
    return number(leaf.word, low, high, leaf.line, leaf.path, word)


def _buffer_pct(leaf: Node) -> float:
    """A decimal of at most two digits behind the point, 0 to 100 (nokia-conf-qos-network-queue)."""
    found = _DECIMAL.fullmatch(leaf.word)
    if found is None:
        raise ParseError(leaf.line, leaf.path, "is no number of per cents with at most two digits behind the point")
    hundredths = 100 * int(found["whole"]) + int((found["fraction"] or "").ljust(2, "0"))
    if hundredths > 10_000:
        raise ParseError(leaf.line, leaf.path, "is more than 100 per cent")
    return hundredths / 100
