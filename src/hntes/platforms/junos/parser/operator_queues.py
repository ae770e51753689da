"""An operator's schedulers on a Junos port as queues, in all forms that routers list.

Sources: Juniper, Class of Service User Guide, `transmit-rate`, `buffer-size`, `shaping-rate`, `priority`,
`drop-profile-map` and `drop-profiles` (interpolated and segmented). Approximations are in docs/reference/rendering.md.
"""

from dataclasses import dataclass, replace
from typing import get_args

from hntes.platforms.effective import Buffer, Ceiling, DropCurve, Queue
from hntes.platforms.errors import ParseError
from hntes.platforms.junos.parser.tree import Node
from hntes.platforms.remainders import filled
from hntes.platforms.values import loss_priority, number
from hntes.rules.qos.model import LOSS_PRIORITIES, LossPriority
from hntes.settings.terms import Priority

DEFAULT_PRIORITY: Priority = "low"
# Priorities of other hardware: ACX7000 has one above strict-high's for voice; EX and QFX print no middle ones.
_PRIORITIES: dict[str, Priority] = {**{each: each for each in get_args(Priority)}, "low-latency": "strict-high"}
_ECN = "explicit-congestion-notification"
_SUFFIXES = {"k": 10**3, "m": 10**6, "g": 10**9}
# They act on what a queue takes above its guarantee, or on its buffer beyond its own part.
_BEYOND_GUARANTEE = ("excess-rate", "excess-priority", "buffer-dynamic-threshold", "adjust-minimum", "adjust-percent")
_SCHEDULER = ("transmit-rate", "buffer-size", "priority", "shaping-rate", "drop-profile-map", _ECN, *_BEYOND_GUARANTEE)
# What the other queues leave, until all are read.
_REST = Buffer(0, "pct", is_rest=True)


@dataclass(frozen=True)
class OperatorSchedulers:
    """The class of service of one text, and the classes with their queues."""

    cos: Node
    classes: dict[str, int]

    def queues(self, name: Node, rate_bps: int) -> tuple[Queue, ...]:
        """The queues of a scheduler map on a port of that rate, by number.

        Raises:
            ParseError: the map or a scheduler is not in the text, or has a statement that is not understood.
        """
        body = self.cos.child("scheduler-maps", name.word)
        if body is None:
            raise name.refused(f"scheduler-map {name.word} is not in the text")
        body.only("forwarding-class")
        found: dict[int, Queue] = {}
        for each in body.child("forwarding-class") or ():
            if each.word not in self.classes:
                raise each.refused(f"forwarding class {each.word} has no queue in the text")
            each.only("scheduler")
            queue = self._queue(each.need("scheduler").leaf(), self.classes[each.word], each.word, rate_bps)
            other = found.get(queue.numbers[0])
            if other is not None:
                queue = replace(queue, forwarding_classes=tuple(sorted({*other.forwarding_classes, each.word})))
            found[queue.numbers[0]] = queue
        return filled([found[each] for each in sorted(found)])

    def _queue(self, name: Node, queue: int, forwarding_class: str, rate_bps: int) -> Queue:
        body = self.cos.child("schedulers", name.word)
        if body is None:
            raise name.refused(f"scheduler {name.word} is not in the text")
        body.only(*_SCHEDULER)
        share_pct, ceiling, is_rest = _rate(body, rate_bps)
        limit = body.child("shaping-rate")
        limit_pct = None if limit is None else _pct_of(limit, rate_bps, "shaping-rate")
        for each in _BEYOND_GUARANTEE:
            if (stated := body.child(each)) is not None:
                _take_all(stated)
        ecn = body.child(_ECN)
        if ecn is not None:
            _take_all(ecn)
        return Queue(
            numbers=(queue,),
            code_points=(),
            forwarding_classes=(forwarding_class,),
            is_default=False,
            share_pct=share_pct,
            ceiling="shaped" if limit_pct is not None and ceiling == "none" else ceiling,
            priority=_priority(body),
            buffer=_buffer(body),
            drops=self._drops(body),
            average_weight=None,
            ecn=ecn is not None,
            limit_pct=limit_pct,
            is_rest=is_rest,
            label=name.word,
            line=body.line,
        )

    def _drops(self, body: Node) -> tuple[DropCurve, ...]:
        found: dict[LossPriority, DropCurve] = {}
        maps = body.child("drop-profile-map", "loss-priority")
        for each in maps or ():
            of = LOSS_PRIORITIES if each.word == "any" else (loss_priority(each.word, each.line, each.path),)
            protocols = each.child("protocol")
            for protocol in protocols or ():
                name = protocol.need("drop-profile").leaf()
                for one in of:
                    found[one] = DropCurve(one, "pct", self._points(name))
        return tuple(found[each] for each in LOSS_PRIORITIES if each in found)

    def _points(self, name: Node) -> tuple[tuple[int, int], ...]:
        body = self.cos.child("drop-profiles", name.word)
        if body is None:
            raise name.refused(f"drop-profile {name.word} is not in the text")
        lines = body.child("interpolate")
        if lines is None:
            return _steps(body)
        fills, drops = _levels(lines.need("fill-level")), _levels(lines.need("drop-probability"))
        if len(fills) != len(drops) or len(fills) < 1:
            raise lines.refused(f"{len(fills)} fill levels and {len(drops)} drop probabilities do not match")
        points = list(zip(fills, drops, strict=True))
        # Junos adds the ends of the line that are not stated.
        first = () if points[0][0] == 0 else ((0, 0),)
        last = () if points[-1][0] == 100 or points[-1][1] == 100 else ((100, 100),)
        return (*first, *points, *last)


def _steps(body: Node) -> tuple[tuple[int, int], ...]:
    """A segmented profile: the probability holds from its level to the next, drawn as lines over one per cent."""
    stated = body.child("fill-level")
    levels = sorted(
        (int(level.word), int(level.need("drop-probability").leaf().word)) for level in stated or () if level.children
    )
    if not levels:
        raise body.refused("has no fill-level")
    points, before = [(0, 0)], 0
    for fill, drop in levels:
        if fill > points[-1][0] + 1:
            points.append((fill - 1, before))
        points.append((fill, drop))
        before = drop
    return tuple(dict(points).items())


def _levels(node: Node) -> tuple[int, ...]:
    leaf = node.leaf()
    return tuple(number(word, 0, 100, leaf.line, leaf.path, "level") for word in leaf.items or (leaf.word,))


def _rate(body: Node, rate_bps: int) -> tuple[int, Ceiling, bool]:
    """The guaranteed share, 0 without one; whether it is also a limit, and whether it is the remainder."""
    node = body.child("transmit-rate")
    if node is None:
        return 0, "none", False
    words = {each.word for each in _leaves(node)}
    ceiling: Ceiling = "exact" if "exact" in words else "rate-limit" if "rate-limit" in words else "none"
    if node.child("remainder") is not None:
        _take_all(node)
        return 0, ceiling, True
    return _pct_of(node, rate_bps, "transmit-rate", least=0), ceiling, False


def _pct_of(node: Node, rate_bps: int, what: str, least: int = 1) -> int:
    """A rate as per cent of the port's: `percent N`, or bit/s, rounded down, at least 1."""
    stated = node.child("percent")
    leaves = _leaves(stated if stated is not None else node)
    words = [each for each in leaves if each.word not in ("exact", "rate-limit")]
    if not words:
        raise node.refused(f"has no {what}")
    word, *more = words
    # A burst of a shaper is what it sends at once; the rate is the same.
    if more and (more[0].word != "burst-size" or len(more) > 2):
        raise more[0].refused(f"is not understood as a {what}")
    _take_all(node)
    if stated is not None:
        return number(word.word, least, 100, word.line, word.path, what)
    factor = _SUFFIXES.get(word.word[-1:].lower(), 1)
    digits = word.word[:-1] if factor > 1 else word.word
    bps = factor * number(digits, 0, 10**13, word.line, word.path, what)
    return min(100, max(1, 100 * bps // rate_bps)) if bps else 0


def rate_bps_of(node: Node) -> int:
    """A rate in bit/s: a number with an optional suffix."""
    word = node.value()
    _take_all(node)
    factor = _SUFFIXES.get(word.word[-1:].lower(), 1)
    digits = word.word[:-1] if factor > 1 else word.word
    return factor * number(digits, 1, 10**13, word.line, word.path, "shaping-rate")


def _leaves(node: Node) -> list[Node]:
    """The words below a node; those of `percent 5 exact` and of `{ percent 5; exact; }` alike."""
    found = []
    for each in node:
        found.append(each)
        found += _leaves(each)
    return found


def _take_all(node: Node) -> None:
    node.take()
    for each in _leaves(node):
        each.take()


def _buffer(body: Node) -> Buffer:
    """The size, or what other queues leave where none is stated."""
    node = body.child("buffer-size")
    if node is None:
        return _REST
    temporal = node.child("temporal")
    if temporal is not None:
        leaf = temporal.leaf()
        word = f"{leaf.word[:-1]}000" if leaf.word[-1:] == "k" else leaf.word
        return Buffer(number(word, 1, 2_000_000, leaf.line, leaf.path, "buffer-size"), "us")
    _take_all(node)
    if node.child("remainder") is not None or node.child("shared") is not None:
        return _REST
    stated = node.child("percent")
    if stated is None:
        raise node.refused("only a buffer-size in percent, temporal or remainder is understood")
    leaf = next(iter(stated))
    return Buffer(number(leaf.word, 0, 100, leaf.line, leaf.path, "buffer-size"), "pct")


def _priority(body: Node) -> Priority:
    node = body.child("priority")
    if node is None:
        return DEFAULT_PRIORITY
    leaf = node.leaf()
    if leaf.word not in _PRIORITIES:
        raise leaf.refused(f"priority {leaf.word!r} is none of {', '.join(_PRIORITIES)}")
    return _PRIORITIES[leaf.word]


def check_rates(queues: tuple[Queue, ...], where: Node) -> None:
    """Refuses guarantees that are more than the link.

    Raises:
        ParseError: their sum is above 100%.
    """
    total = sum(each.share_pct for each in queues)
    if total > 100:
        raise ParseError(where.line, where.path, f"transmit rates add up to {total}%, which Junos refuses to commit")
