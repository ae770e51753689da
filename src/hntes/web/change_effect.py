"""The effect of a change and the gate's verdict as pictures: two bars, and a gauge."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hntes.rules.backtest.effect_words import share_text
from hntes.sql.reasons import ChangeEffect
from hntes.workflow.review.queues import ChangedQueues, QueueShare
from hntes.workflow.review.view import FigureLine

# Per cent of a gauge's length that the way to the limit takes; the rest is beyond it.
TO_LIMIT_PCT = 75.0
# Classes of the style sheet, by the traffic of a queue; other queues have the colours of `queue-N`.
_KINDS = {"alpha": "rule", "beta": "beta", "premium": "reserved"}


@dataclass(frozen=True)
class Bar:
    """The alpha traffic in the alpha queue under one set of rules: bytes, the share in words and in per cent."""

    rules: str
    queued_bytes: int
    share: str
    share_pct: float


@dataclass(frozen=True)
class EffectBars:
    """Before and after; `alpha_bytes` of alpha traffic in `days` days are the whole."""

    alpha_bytes: int
    days: int
    before: Bar
    after: Bar

    @property
    def is_worse(self) -> bool:
        """Whether less alpha traffic would be queued than now."""
        return self.after.queued_bytes < self.before.queued_bytes


@dataclass(frozen=True)
class Gauge:
    """The measure that comes nearest to its limit, or is beyond it; `at_pct` is its place on the gauge."""

    criterion: str
    measure: str
    value: str
    limit: str
    at_pct: float
    used_pct: int
    is_passing: bool


@dataclass(frozen=True)
class QueueBar:
    """The queues of a core port: each a part of the bar, as wide as its share of the rate. `words` name all of them."""

    name: str
    parts: tuple["QueuePart", ...]

    @property
    def words(self) -> str:
        return "; ".join(part.words for part in self.parts)


@dataclass(frozen=True)
class QueuePart:
    """A queue in a bar: `kind` is its class in the style sheet, `x` and `width` are in per cent of the bar."""

    kind: str
    label: str
    words: str
    x: float
    width: float


def queue_bars(queues: ChangedQueues) -> tuple[QueueBar, ...]:
    """The queues before and after; one bar if they stay, none if the ports keep the operator's."""
    if queues.is_same:
        return (_queue_bar("unchanged", queues.after),) if queues.after else ()
    named = (("before", queues.before), ("after", queues.after))
    return tuple(_queue_bar(name, shares) for name, shares in named if shares)


def _queue_bar(name: str, shares: Sequence[QueueShare]) -> QueueBar:
    # shares of rate may leave some of it free, or, with queues that are kept, sum to more
    whole, x, parts = max(sum(each.rate_pct for each in shares), 100), 0.0, []
    for number, each in enumerate(shares):
        width = round(100 * each.rate_pct / whole, 2)
        words = (
            f"queue {each.queue} {each.forwarding_class}: {each.rate_pct}% of the rate, {each.buffer_pct}% of the "
            f"buffer, priority {each.priority}"
        )
        kind = _KINDS.get(each.traffic, f"queue-{number % 2}")
        parts.append(QueuePart(kind, f"{each.forwarding_class} {each.rate_pct}%", words, round(x, 2), width))
        x += width
    return QueueBar(name, tuple(parts))


def effect_bars(effect: ChangeEffect | None) -> EffectBars | None:
    """The two bars; None if the effect is not known, or there was no alpha traffic."""
    if effect is None or effect.problem is not None or not effect.alpha_bytes:
        return None
    now = "no rules yet" if effect.is_first else "approved rules"
    before = _bar(now, effect.queued_bytes_before, effect.alpha_bytes)
    after = _bar("this change", effect.queued_bytes_after, effect.alpha_bytes)
    return EffectBars(effect.alpha_bytes, effect.days, before, after)


def gauge(lines: Iterable[FigureLine]) -> Gauge | None:
    """The worst measure that has a limit; None if none has."""
    worst = next((each for each in lines if each.used is not None), None)
    if worst is None or worst.used is None:
        return None
    return Gauge(
        worst.criterion, worst.measure, worst.value, worst.limit, at_pct=min(worst.used * TO_LIMIT_PCT, 100.0),
        used_pct=round(100 * worst.used), is_passing=worst.outcome == "passed",
    )  # fmt: skip


def _bar(rules: str, part: int, whole: int) -> Bar:
    return Bar(rules, part, share_text(part, whole), round(100 * part / whole, 2))
