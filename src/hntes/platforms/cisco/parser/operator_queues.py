"""An operator's output policy as the queues of a port, in the forms that routers list.

Sources: Cisco, Modular QoS Configuration Guide for ASR 9000 (queue limits of 100 ms at the rate of the class, 10 ms of
priority classes; packets of 256 bytes), QoS: Congestion Management Configuration Guide, IOS XE (50 ms of packets of
1500 bytes, at least 64; 512 packets of priority classes), Distribution of Remaining Bandwidth Using Ratio.
Approximations are in docs/reference/rendering.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from hntes.platforms.adopted import RANKS
from hntes.platforms.cisco.parser.operator_policy import DEFAULT_CLASS, OperatorClass, carrier_of, classes_of
from hntes.platforms.cisco.parser.text import distinct, one_of
from hntes.platforms.cisco.parser.tree import Section, below
from hntes.platforms.cisco.syntax import CiscoSyntax, QueueDefaults
from hntes.platforms.effective import BEST_EFFORT, Buffer, Ceiling, Queue
from hntes.platforms.values import number
from hntes.rules.qos.model import Carrier
from hntes.settings.terms import Priority

_MOST = 10**13
_FACTORS = {"bps": 1, "kbps": 10**3, "mbps": 10**6, "gbps": 10**9}
_BYTES = {"bytes": 1, "kbytes": 10**3, "mbytes": 10**6}
# They mark packets, drop them early or divide a queue among flows: they change neither rate nor rank of the class.
_BESIDE_QUEUES = ("set", "random-detect", "fair-queue")
_KNOWN = ("bandwidth", "priority", "police", "shape", "queue-limit", *_BESIDE_QUEUES)
LOWEST: Priority = "low"
_NO_PART = "", 0


@dataclass(frozen=True)
class OperatorPort:
    """A port with an operator's output policy: its rate in bit/s, what carries classes to it, and its queues."""

    rate_bps: int
    carrier: Carrier
    queues: tuple[Queue, ...]


@dataclass(frozen=True)
class _Rates:
    """What a class states: a guarantee, or a part of what is left (`percent` or `ratio`, and how much), and limits."""

    bandwidth_pct: int | None
    remaining: tuple[str, int]
    rank: Priority
    limit_pct: int | None
    ceiling: Ceiling

    @property
    def is_first(self) -> bool:
        return self.rank != LOWEST


def operator_port(root: Section, syntax: CiscoSyntax, policy: str, user: Section, rate_bps: int) -> OperatorPort:
    """A port of that rate with an operator's output policy; its queues are in the order of the classes.

    Raises:
        ParseError: the policy is not in the text, or has a statement that is not understood.
    """
    classes = classes_of(root, policy, user, syntax.default_match)
    shaped = _port_shaper(classes, rate_bps)
    if shaped is not None:
        child, shaped_bps = shaped
        return operator_port(root, syntax, child.words[-1], child, shaped_bps)
    carrier = carrier_of(classes, user)
    named = {BEST_EFFORT, *(each for one in classes for each in one.numbers(carrier))}
    takers = {each: _taker(classes, carrier, each) for each in named}
    rates = [_rates(each, rate_bps, syntax) for each in classes]
    queues = []
    for index, (each, share_pct) in enumerate(zip(classes, _shares(rates), strict=True)):
        numbers = tuple(sorted(one for one, taker in takers.items() if taker == index))
        buffer = _buffer(each.section, rates[index], share_pct, rate_bps, syntax.queues.defaults)
        queues.append(_queue(each, numbers, rates[index], share_pct, buffer))
    return OperatorPort(rate_bps, carrier, tuple(queues))


def _queue(
    each: OperatorClass, numbers: tuple[int, ...], rates: _Rates, share_pct: int, buffer: Buffer | None
) -> Queue:
    return Queue(
        numbers=numbers,
        code_points=(),
        forwarding_classes=(),
        is_default=each.name == DEFAULT_CLASS,
        share_pct=share_pct,
        ceiling=rates.ceiling,
        priority=rates.rank,
        buffer=buffer,
        drops=(),
        average_weight=None,
        limit_pct=rates.limit_pct,
        label=each.name,
        line=each.section.line,
    )


def _port_shaper(classes: Sequence[OperatorClass], rate_bps: int) -> tuple[Section, int] | None:
    """The policy below a class-default that is all of its policy, and the rate to which it shapes the port."""
    child = one_of(list(classes[-1].section), "service-policy")
    if len(classes) > 1 or child is None:
        return None
    lines = distinct(classes[-1].section)
    shape = one_of(lines, "shape", "average")
    for line in lines:
        if line not in (child, shape):
            raise line.refused("is not understood beside the policy below it: only `shape average` is")
        line.take()
    if len(child.words) != 2:
        raise child.refused("the service policy is not understood")
    return child, rate_bps if shape is None else min(rate_bps, _bps(shape, shape.words[2:], 1, rate_bps))


def _taker(classes: Sequence[OperatorClass], carrier: Carrier, carried: int) -> int | None:
    """The class that takes unmarked packets with this number; None where a class before it may take some of them."""
    for index, each in enumerate(classes):
        takes = each.takes(carrier, carried)
        if takes or (takes is None and carried != BEST_EFFORT):
            return index if takes else None
    return None


def _rates(each: OperatorClass, rate_bps: int, syntax: CiscoSyntax) -> _Rates:
    lines = distinct(each.section)
    for line in lines:
        if line.words[0] not in _KNOWN:
            raise line.refused("is not understood in a class of the operator's policy")
        for one in (line, *below(line)):
            one.take()
    priority, police = one_of(lines, "priority"), one_of(lines, "police")
    shape, stated = one_of(lines, "shape", "average"), [line for line in lines if line.words[0] == "bandwidth"]
    part = one_of(stated, "bandwidth", "remaining")
    whole = one_of([line for line in stated if line is not part], "bandwidth")
    policed = None if police is None else _policed_pct(police, rate_bps)
    if priority is not None:
        if stated:
            raise stated[0].refused(f"conflicts with `{priority.text}` in line {priority.line}: ambiguous")
        limit = policed if police is not None else _priority_pct(priority, rate_bps)
        ceiling: Ceiling = (
            "policed" if police is not None else "none" if limit is None else syntax.queues.strict_ceiling
        )
        return _Rates(None, _NO_PART, _rank(priority), limit, ceiling)
    limit = policed if police is not None else None if shape is None else _pct(shape, shape.words[2:], 1, rate_bps)
    return _Rates(
        None if whole is None else _pct(whole, whole.words[1:], 1_000, rate_bps),
        _NO_PART if part is None else _remaining(part),
        LOWEST,
        limit,
        "policed" if police is not None else "shaped" if shape is not None else "none",
    )


def _shares(rates: Sequence[_Rates]) -> list[int]:
    """The guarantee of each class in per cent, class-default last: as stated, or its part of what the others leave.

    Where no class has `bandwidth remaining`, class-default is guaranteed what is left, and no other class anything.
    """
    fixed = [(each.limit_pct or 0) if each.is_first else each.bandwidth_pct for each in rates]
    left = max(0, 100 - sum(each or 0 for each in fixed))
    sharing = [index for index, each in enumerate(fixed) if each is None]
    stated = {index: rates[index].remaining[1] for index in sharing if rates[index].remaining[0]}
    kinds = {rates[index].remaining[0] for index in stated}
    if "percent" in kinds:
        rest = Fraction(max(0, 100 - sum(stated.values())), max(1, len(sharing) - len(stated)))
        parts = {index: Fraction(stated.get(index, rest)) / 100 for index in sharing}
    elif kinds:
        # A class without a ratio has ratio 1.
        ratios = {index: stated.get(index, 1) for index in sharing}
        parts = {index: Fraction(ratio, sum(ratios.values())) for index, ratio in ratios.items()}
    else:
        parts = {index: Fraction(index == len(rates) - 1) for index in sharing}
    return [int(left * parts[index]) if each is None else each for index, each in enumerate(fixed)]


def _remaining(line: Section) -> tuple[str, int]:
    kind, *rest = line.words[2:] or ("",)
    if kind not in ("percent", "ratio") or len(rest) != 1:
        raise line.refused("only `bandwidth remaining percent N` and `ratio N` are understood")
    return kind, number(rest[0], 1, 100 if kind == "percent" else 65_536, line.line, line.text, kind)


def _rank(priority: Section) -> Priority:
    """Each level is served before those below it, and before all classes without priority."""
    words = priority.words
    level = int(words[2]) if words[1:2] == ("level",) and words[2:3] and words[2].isdigit() else 1
    return RANKS[min(max(level, 1), len(RANKS) - 1) - 1]


def _priority_pct(priority: Section, rate_bps: int) -> int | None:
    """The limit that a priority states for times of congestion; None without one."""
    words = priority.words[3:] if priority.words[1:2] == ("level",) else priority.words[1:]
    return _pct(priority, words, 1_000, rate_bps) if words else None


def _policed_pct(police: Section, rate_bps: int) -> int | None:
    words = tuple(word for word in police.words[1:] if word not in ("rate", "cir"))
    return _pct(police, words, 1, rate_bps)


def _pct(line: Section, words: tuple[str, ...], unit_bps: int, rate_bps: int) -> int:
    """A rate in per cent of the port's, rounded down, at least 1: `percent N`, or a number with a unit."""
    if words[:1] == ("percent",) and len(words) > 1:
        return number(words[1], 1, 100, line.line, line.text, "per cent")
    return min(100, max(1, 100 * _bps(line, words, unit_bps, rate_bps) // rate_bps))


def _bps(line: Section, words: tuple[str, ...], unit_bps: int, rate_bps: int) -> int:
    if words[:1] == ("percent",) and len(words) > 1:
        return rate_bps * number(words[1], 1, 100, line.line, line.text, "per cent") // 100
    if not words:
        raise line.refused("has no rate")
    stated = number(words[0], 1, _MOST, line.line, line.text, "rate")
    return stated * _FACTORS.get(words[1] if len(words) > 1 else "", unit_bps)


def _buffer(section: Section, rates: _Rates, share_pct: int, rate_bps: int, defaults: QueueDefaults) -> Buffer | None:
    """The longest queue: as stated, or the default of the platform."""
    line = one_of(distinct(section), "queue-limit")
    if line is None:
        return defaults.priority if rates.is_first else defaults.of_class(share_pct, rate_bps)
    line.take()
    amount = number(line.words[1] if len(line.words) > 1 else "", 1, _MOST, line.line, line.text, "queue-limit")
    unit = "".join(line.words[2:])
    if unit in _BYTES:
        return Buffer(amount * _BYTES[unit], "bytes")
    if unit in ("", "packets"):
        return Buffer(amount * defaults.packet_bytes, "bytes")
    if unit in ("ms", "us"):
        stated = Buffer(amount, "ms" if unit == "ms" else "us")
        return stated if defaults.by_class_rate else _of_port(stated, rate_bps)
    raise line.refused(f"only `queue-limit N` in packets, ms, us, {', '.join(_BYTES)} is understood")


def _of_port(stated: Buffer, rate_bps: int) -> Buffer:
    """A time at the rate of the port in bytes."""
    return Buffer(rate_bps * stated.amount // (8 * (1_000 if stated.unit == "ms" else 1_000_000)), "bytes")
