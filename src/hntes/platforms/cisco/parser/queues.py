"""What an output policy of IOS-XR or IOS-XE gives to each class of a port.

Sources: Cisco's YANG modules of policy maps, and the command references named in docs/reference/rendering.md.
"""

import re

from hntes.platforms.cisco.parser.classes import DEFAULT_CLASS, ClassMap, ClassReader
from hntes.platforms.cisco.parser.text import CiscoPlatform, distinct, one_of
from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.effective import BEST_EFFORT, Buffer, BufferUnit, Ceiling, DropCurve, Queue
from hntes.platforms.values import number
from hntes.rules.qos.model import LOSS_PRIORITIES, LossPriority
from hntes.settings.terms import Priority

_MOST = 4_294_967_295
_LIMIT_UNITS: dict[CiscoPlatform, tuple[BufferUnit, ...]] = {
    "iosxr": ("ms", "us", "packets", "bytes"),
    "iosxe": ("packets", "bytes"),
}
_XR_DROP = re.compile(r"random-detect discard-class (\d+) (\d+) (ms|us|packets|bytes) (\d+) (ms|us|packets|bytes)")
_XE_DROP = re.compile(r"random-detect discard-class (\d+) (\d+) (\d+) (\d+)")
_BY_CLASS = ("random-detect", "discard-class-based")
_WEIGHT = ("random-detect", "exponential-weighting-constant")
_ECN = ("random-detect", "ecn")


def read_queues(classes: ClassReader, name: str, user: Section) -> tuple[Queue, ...]:
    """The queues of a port with this output policy, in the order in which its classes take packets."""
    found = []
    for class_name, section in classes.policy(name, user):
        if class_name == DEFAULT_CLASS:
            takes = ClassMap((), (BEST_EFFORT,), ())
        else:
            takes = classes.class_map(class_name, section)
        if takes.lists:
            raise section.refused(f"class {class_name} takes packets by address on output: not understood")
        found.append(_queue(class_name, section, takes, classes.text.platform))
    if not found or found[-1].label != DEFAULT_CLASS:
        raise user.refused(f"policy-map {name} says nothing of {DEFAULT_CLASS}: what would other traffic get?")
    return tuple(found)


def _queue(name: str, section: Section, takes: ClassMap, platform: CiscoPlatform) -> Queue:
    lines = distinct(section)
    for line in lines:
        if line.words[0] not in ("bandwidth", "priority", "police", "queue-limit", "random-detect"):
            raise line.refused("is not understood in a class on output")
        line.take()
    bandwidth, priority = one_of(lines, "bandwidth"), one_of(lines, "priority")
    if bandwidth is not None and priority is not None:
        first, second = sorted((bandwidth, priority), key=lambda line: line.line)
        raise second.refused(f"stands beside `{first.text}` in line {first.line}: which one holds?")
    if bandwidth is None and priority is None:
        raise section.refused("needs one of bandwidth and priority: without, nothing is kept for the class")
    rank: Priority | None = None
    if bandwidth is not None:
        share, ceiling = _bandwidth(bandwidth), _none(one_of(lines, "police"))
    else:
        assert priority is not None  # noqa: S101 - for the type checker: one of the two is there
        share, ceiling = _priority(priority, one_of(lines, "police"), platform)
        rank = "strict-high"
    limit = one_of(lines, "queue-limit")
    if limit is None and (priority is None or platform == "iosxr"):
        raise section.refused("has no queue-limit: how long may the queue be?")
    buffer = None if limit is None else _limit(limit, platform)
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
        drops=_curves(drops, platform),
        average_weight=_average(others, section, bool(drops), platform),
        ecn=_ecn(marks, bool(drops)),
        label=name,
        line=section.line,
    )


def _pct(line: Section, *words: str) -> int:
    line_words = line.words
    if line_words[:-1] != words:
        raise line.refused(f"only `{' '.join(words)} N` is understood")
    return number(line_words[-1], 1, 100, line.line, line.text, "per cent")


def _bandwidth(line: Section) -> int:
    line.end()
    return _pct(line, "bandwidth", "percent")


def _none(police: Section | None) -> Ceiling:
    if police is not None:
        raise police.refused("a policer on output is understood for a priority class only")
    return "none"


def _priority(line: Section, police: Section | None, platform: CiscoPlatform) -> tuple[int, Ceiling]:
    """A strict class, and the per cent it is held to: always on IOS-XR, under congestion on IOS-XE."""
    line.end()
    if platform == "iosxe":
        _none(police)
        return _pct(line, "priority", "percent"), "policed when congested"
    if line.words != ("priority", "level", "1"):
        raise line.refused("only `priority level 1` is understood")
    if police is None:
        raise line.refused("has no `police rate percent N` beside it: it could take the whole link")
    police.end()
    return _pct(police, "police", "rate", "percent"), "policed"


def _limit(line: Section, platform: CiscoPlatform) -> Buffer:
    line.end()
    if len(line.words) == 3:
        for unit in _LIMIT_UNITS[platform]:
            if line.words[2] == unit:
                return Buffer(number(line.words[1], 1, _MOST, line.line, line.text, "queue-limit"), unit)
    raise line.refused(f"only `queue-limit N {'|'.join(_LIMIT_UNITS[platform])}` is understood")


def _curves(lines: list[Section], platform: CiscoPlatform) -> tuple[DropCurve, ...]:
    found: dict[LossPriority, DropCurve] = {}
    for line in lines:
        line.end()
        curve = _xr_curve(line) if platform == "iosxr" else _xe_curve(line)
        if curve.loss_priority in found:
            raise line.refused("another line stands for the same discard-class: which one holds?")
        found[curve.loss_priority] = curve
    return tuple(found[each] for each in LOSS_PRIORITIES if each in found)


def _xr_curve(line: Section) -> DropCurve:
    match = _XR_DROP.fullmatch(line.text)
    if match is None or match[3] != match[5]:
        raise line.refused("only `random-detect discard-class C MIN UNIT MAX UNIT` in one unit is understood")
    unit = next(each for each in _LIMIT_UNITS["iosxr"] if each == match[3])
    first, last = _thresholds(line, match[2], match[4])
    return DropCurve(_level(line, match[1]), unit, ((first, 0), (last, 100)))


def _xe_curve(line: Section) -> DropCurve:
    match = _XE_DROP.fullmatch(line.text)
    if match is None:
        raise line.refused("only `random-detect discard-class C MIN MAX DENOMINATOR` is understood")
    first, last = _thresholds(line, match[2], match[3])
    if number(match[4], 1, 65_535, line.line, line.text, "denominator") != 1:
        raise line.refused("only denominator 1, all is dropped at the maximum, is understood")
    return DropCurve(_level(line, match[1]), "packets", ((first, 0), (last, 100)))


def _thresholds(line: Section, first: str, last: str) -> tuple[int, int]:
    low = number(first, 0, _MOST, line.line, line.text, "threshold")
    return low, number(last, low, _MOST, line.line, line.text, "threshold")


def _ecn(line: Section | None, has_curves: bool) -> bool:
    """Whether the class marks packets: Cisco, WRED with ECN marks where the curves of the class would drop."""
    if line is None:
        return False
    line.end()
    if line.words != _ECN:
        raise line.refused("only `random-detect ecn` is understood")
    if not has_curves:
        raise line.refused("no `random-detect discard-class` of this class says when packets are marked")
    return True


def _level(line: Section, word: str) -> LossPriority:
    return LOSS_PRIORITIES[number(word, 0, len(LOSS_PRIORITIES) - 1, line.line, line.text, "discard-class")]


def _average(lines: list[Section], section: Section, has_curves: bool, platform: CiscoPlatform) -> int | None:
    """The weighting constant of IOS-XE; IOS-XR averages in a way of its own."""
    for line in lines:
        line.end()
        if platform == "iosxr" or (line.words != _BY_CLASS and line.words[:-1] != _WEIGHT):
            raise line.refused("is not understood")
    by_class, weight = one_of(lines, *_BY_CLASS), one_of(lines, *_WEIGHT)
    if platform == "iosxe" and (by_class is not None) != has_curves:
        raise (by_class or section).refused("needs `random-detect discard-class-based` and a line for each class")
    if weight is None:
        return None
    if not has_curves:
        raise weight.refused("stands without any other line of random-detect")
    return number(weight.words[-1], 1, 16, weight.line, weight.text, "weighting constant")
