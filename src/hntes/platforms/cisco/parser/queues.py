"""Output policies of IOS-XR and IOS-XE as the queues of a port.

Sources: Cisco's YANG modules of policy maps, and the command references named in docs/reference/rendering.md.
"""

from fractions import Fraction

from hntes.platforms.cisco.parser.classes import DEFAULT_CLASS, ClassMap, ClassReader
from hntes.platforms.cisco.parser.text import distinct, one_of
from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.cisco.syntax import QueueSyntax
from hntes.platforms.effective import BEST_EFFORT, Buffer, Ceiling, DropCurve, Queue
from hntes.platforms.values import number
from hntes.rules.qos.model import LOSS_PRIORITIES, Carrier, LossPriority
from hntes.settings.terms import Priority

_MOST = 4_294_967_295
# What a rate's unit is, in kbit/s; without a unit it is one.
_KBPS = {"kbps": 1, "mbps": 1_000, "gbps": 1_000_000}
_BY_CLASS = ("random-detect", "discard-class-based")
_WEIGHT = ("random-detect", "exponential-weighting-constant")
_ECN = ("random-detect", "ecn")
_REMAINING = ("bandwidth", "remaining", "percent")


def read_queues(classes: ClassReader, name: str, user: Section, rate_bps: int) -> tuple[Carrier, tuple[Queue, ...]]:
    """What brings packets into the queues of a port with this output policy, and the queues in order of its classes."""
    found = []
    carriers: set[Carrier] = set()
    for class_name, section in classes.policy(name, user):
        if class_name == DEFAULT_CLASS:
            takes = ClassMap((), (BEST_EFFORT,), ())
        else:
            takes = classes.class_map(class_name, section)
        if takes.lists or takes.precedences:
            raise section.refused(f"class {class_name} matches addresses or precedences on output: not understood")
        carriers |= set() if takes.carrier is None else {takes.carrier}
        found.append(_queue(class_name, section, takes, classes.text.syntax.queues, rate_bps))
    if not found or found[-1].label != DEFAULT_CLASS:
        raise user.refused(f"policy-map {name} lacks {DEFAULT_CLASS}: other traffic has no defined queue")
    if len(carriers) > 1:
        raise user.refused(f"policy-map {name} matches QoS groups and traffic classes: not understood")
    _check_remaining(classes, name, user)
    return (carriers.pop() if carriers else "qos-group"), tuple(found)


def _check_remaining(classes: ClassReader, name: str, user: Section) -> None:
    """Refuses shares of what others leave beside guarantees: their sum would not be the link."""
    lines = [line for _, section in classes.policy(name, user) for line in section]
    remaining = [line for line in lines if line.words[:2] == _REMAINING[:2]]
    others = [line for line in lines if line.words[0] in ("bandwidth", "priority") and line not in remaining]
    if remaining and others:
        raise remaining[0].refused(f"conflicts with `{others[0].text}` in line {others[0].line}: ambiguous")


def _queue(name: str, section: Section, takes: ClassMap, syntax: QueueSyntax, rate_bps: int) -> Queue:
    lines = distinct(section)
    for line in lines:
        if line.words[0] not in ("bandwidth", "priority", "police", "queue-limit", "random-detect"):
            raise line.refused("is not understood in a class on output")
        line.take()
    bandwidth, priority = one_of(lines, "bandwidth"), one_of(lines, "priority")
    if bandwidth is not None and priority is not None:
        first, second = sorted((bandwidth, priority), key=lambda line: line.line)
        raise second.refused(f"conflicts with `{first.text}` in line {first.line}: ambiguous")
    if bandwidth is None and priority is None:
        raise section.refused("needs bandwidth or priority: otherwise the class has no guarantee")
    rank: Priority | None = None
    if bandwidth is not None:
        share, ceiling = _bandwidth(bandwidth, rate_bps), unpoliced(one_of(lines, "police"))
    else:
        assert priority is not None  # noqa: S101 - for the type checker: one of the two is set
        priority.end()
        share, ceiling = syntax.strict(priority, one_of(lines, "police"))
        rank = "strict-high"
    limit = one_of(lines, "queue-limit")
    if limit is None and (priority is None or syntax.strict_has_limit):
        raise section.refused("has no queue-limit: the queue length is undefined")
    buffer = None if limit is None else _limit(limit, syntax)
    drops = [line for line in lines if line.begins("random-detect", "discard-class")]
    marks = one_of(lines, *_ECN)
    others = [line for line in lines if line.words[0] == "random-detect" and line not in (*drops, marks)]
    return Queue(
        numbers=takes.groups,
        code_points=takes.code_points,
        forwarding_classes=(),
        is_default=name == DEFAULT_CLASS,
        share_pct=share,
        ceiling=ceiling,
        priority=rank,
        buffer=buffer,
        drops=_curves(drops, syntax),
        average_weight=_average(others, section, bool(drops), syntax),
        ecn=_ecn(marks, bool(drops)),
        label=name,
        line=section.line,
    )


def percent(line: Section, *words: str) -> int:
    """The number after these words, which make up the rest of the line."""
    line_words = line.words
    if line_words[:-1] != words:
        raise line.refused(f"only `{' '.join(words)} N` is understood")
    return number(line_words[-1], 1, 100, line.line, line.text, "per cent")


def unpoliced(police: Section | None) -> Ceiling:
    """The ceiling of a class without output policer."""
    if police is not None:
        raise police.refused("a policer on output is understood for a priority class only")
    return "none"


def _bandwidth(line: Section, rate_bps: int) -> int:
    """The guarantee in per cent of the port: as such, or as a rate that is a whole part of it."""
    line.end()
    words = line.words
    if words[1:2] == ("remaining",):
        return percent(line, *_REMAINING)
    if words[1:2] == ("percent",) or not (len(words) == 2 or words[2:] in (("kbps",), ("mbps",), ("gbps",))):
        return percent(line, "bandwidth", "percent")
    kbps = number(words[1], 1, _MOST, line.line, line.text, "bandwidth") * _KBPS.get("".join(words[2:]), 1)
    share = Fraction(kbps * 1000 * 100, rate_bps)
    if share.denominator != 1 or not 1 <= share <= 100:
        raise line.refused(f"is {float(share):.4g}% of the port, and only whole per cent from 1 to 100 are understood")
    return int(share)


def _limit(line: Section, syntax: QueueSyntax) -> Buffer:
    line.end()
    if len(line.words) == 3:
        for unit in syntax.limit_units:
            if line.words[2] == unit:
                return Buffer(number(line.words[1], 1, _MOST, line.line, line.text, "queue-limit"), unit)
    raise line.refused(f"only `queue-limit N {'|'.join(syntax.limit_units)}` is understood")


def _curves(lines: list[Section], syntax: QueueSyntax) -> tuple[DropCurve, ...]:
    found: dict[LossPriority, DropCurve] = {}
    for line in lines:
        line.end()
        curve = syntax.curve(line)
        if curve.loss_priority in found:
            raise line.refused("another line has the same discard-class: ambiguous")
        found[curve.loss_priority] = curve
    return tuple(found[each] for each in LOSS_PRIORITIES if each in found)


def thresholds(line: Section, first: str, last: str) -> tuple[int, int]:
    """The thresholds where dropping starts, and where everything is dropped."""
    low = number(first, 0, _MOST, line.line, line.text, "threshold")
    return low, number(last, low, _MOST, line.line, line.text, "threshold")


def _ecn(line: Section | None, has_curves: bool) -> bool:
    """Whether the class marks packets: Cisco WRED with ECN marks instead of drops by the curves of the class."""
    if line is None:
        return False
    line.end()
    if line.words != _ECN:
        raise line.refused("only `random-detect ecn` is understood")
    if not has_curves:
        raise line.refused("needs a `random-detect discard-class` line that defines when packets are marked")
    return True


def loss_priority(line: Section, word: str) -> LossPriority:
    """The loss priority of a discard class."""
    return LOSS_PRIORITIES[number(word, 0, len(LOSS_PRIORITIES) - 1, line.line, line.text, "discard-class")]


def _average(lines: list[Section], section: Section, has_curves: bool, syntax: QueueSyntax) -> int | None:
    """The weighting constant, if the platform has one."""
    for line in lines:
        line.end()
        if not syntax.has_weights or (line.words != _BY_CLASS and line.words[:-1] != _WEIGHT):
            raise line.refused("is not understood")
    by_class, weight = one_of(lines, *_BY_CLASS), one_of(lines, *_WEIGHT)
    if syntax.has_weights and (by_class is not None) != has_curves:
        raise (by_class or section).refused("needs `random-detect discard-class-based` and a line for each class")
    if weight is None:
        return None
    if not has_curves:
        raise weight.refused("needs another line of random-detect")
    return number(weight.words[-1], 1, 16, weight.line, weight.text, "weighting constant")
