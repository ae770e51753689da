"""The effect of a change and the gate's verdict as pictures: two bars, and a gauge."""

from collections.abc import Iterable
from dataclasses import dataclass

from hntes.rules.backtest.effect_words import share_text
from hntes.sql.reasons import ChangeEffect
from hntes.workflow.review.view import FigureLine

# Per cent of a gauge's length that the way to the limit takes; the rest is beyond it.
TO_LIMIT_PCT = 75.0


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
