"""The results of a back-test as a document: what `hntes backtest --json` prints, a file keeps, and a page shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from hntes.format import long_gigabytes
from hntes.rules.backtest.advice import recommendation, variant_label
from hntes.rules.backtest.backtest import BackTest
from hntes.rules.lifetime.history import PrefixLengths

_COUNTS = (
    *("alpha_bytes", "queued_bytes", "burst_bytes", "queued_burst_bytes", "flows", "queued_flows", "terms", "wanted"),
    *("beta_bytes", "queued_beta_bytes", "is_beta_read"),
)
HEAD = (
    *("prefixes", "ageing", "threshold", "budget", "alpha", "queued", "share", "if none", "of bursts", "flows"),
    *("terms", "most", "beta along", "of queue"),
)


@dataclass(frozen=True)
class VariantDay:
    """A day of one variant, all routers together; the columns are those of `rules.backtest.BackTest`."""

    day: date
    alpha_bytes: int
    queued_bytes: int
    burst_bytes: int
    queued_burst_bytes: int
    flows: int
    queued_flows: int
    terms: int
    wanted: int
    beta_bytes: int
    queued_beta_bytes: int
    is_beta_read: bool


@dataclass(frozen=True)
class VariantResult:
    """One variant in one reading; shares are 0 to 1, None where there is nothing to share."""

    routers: tuple[str, ...]
    reading: Literal["approved", "never_approved"]
    lengths: PrefixLengths
    ageing_days: int
    threshold_bytes: int | None
    detection_rule: str
    term_budget: int
    effectiveness: float | None
    burst_effectiveness: float | None
    dragged_share: float | None
    days: tuple[VariantDay, ...]

    @property
    def label(self) -> str:
        """The variant in a few words."""
        return variant_label(self.lengths, self.ageing_days, self.term_budget, self.threshold_bytes)

    @property
    def mean_terms(self) -> float:
        """Filter terms, the mean over the days, all routers together."""
        return sum(each.terms for each in self.days) / len(self.days)

    def total(self, name: str) -> int:
        """The sum of a column over the days."""
        return sum(getattr(each, name) for each in self.days)


@dataclass(frozen=True)
class BacktestResults:
    """All variants in both readings, and a sentence per threshold with the recommended one."""

    variants: tuple[VariantResult, ...]
    recommended: tuple[str, ...]

    @property
    def approved(self) -> tuple[VariantResult, ...]:
        """The variants in the reading in which every evening's candidate is approved."""
        return tuple(one for one in self.variants if one.reading == "approved")


def results_of(found: Sequence[BackTest]) -> BacktestResults:
    """The results of a run."""
    recommended = recommendation([one for one in found if one.reading == "approved"])
    return BacktestResults(tuple(map(_variant, found)), tuple(recommended))


def table_rows(results: BacktestResults) -> tuple[tuple[str, ...], ...]:
    """The rows of the table under `HEAD`, one per variant."""
    others = [one for one in results.variants if one.reading != "approved"]
    return tuple(_row(one, other) for one, other in zip(results.approved, others, strict=True))


def _row(one: VariantResult, other: VariantResult) -> tuple[str, ...]:
    is_same = [each.queued_bytes for each in one.days] == [each.queued_bytes for each in other.days]
    beta_days = one.total("is_beta_read")
    return (
        str(one.lengths), str(one.ageing_days), str(one.threshold_bytes or "as stored"), str(one.term_budget),
        long_gigabytes(one.total("alpha_bytes")), long_gigabytes(one.total("queued_bytes")), _pct(one.effectiveness),
        "same" if is_same else _pct(other.effectiveness),
        _pct(one.burst_effectiveness) if one.threshold_bytes is None else "as stored",
        f"{one.total('queued_flows')} of {one.total('flows')}", f"{one.mean_terms:.1f}",
        str(max(each.terms for each in one.days)),
        f"{long_gigabytes(one.total('queued_beta_bytes'))} in {beta_days} days" if beta_days else "not read",
        _pct(one.dragged_share),
    )  # fmt: skip


def _variant(one: BackTest) -> VariantResult:
    policy = one.variant.policy
    rows = zip(*(getattr(one, name).tolist() for name in _COUNTS), strict=True)
    days = tuple(
        VariantDay(one.first + timedelta(days=number), **dict(zip(_COUNTS, values, strict=True)))
        for number, values in enumerate(rows)
    )
    return VariantResult(
        one.routers, one.reading, policy.lengths, policy.ageing_days, one.variant.threshold_bytes,
        one.variant.detection_rule, policy.term_budget, one.effectiveness, one.burst_effectiveness, one.dragged_share,
        days,
    )  # fmt: skip


def _pct(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}%"
