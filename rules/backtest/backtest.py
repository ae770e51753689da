"""The back-test: each past day's traffic against the rules known on the evening before."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from hntes.rules.backtest.filters import Reading, daily_filters
from hntes.rules.backtest.observed import Observed
from hntes.rules.backtest.queued import queued
from hntes.rules.columns import Mask, Whole
from hntes.rules.lifetime.evenings import Policy, RuleInputs
from hntes.rules.lifetime.history import pair_history
from hntes.sql.entries import ExclusionEntry, PinEntry


@dataclass(frozen=True)
class Variant:
    """Settings to evaluate. `threshold_bytes` None: the observations as they are stored."""

    policy: Policy
    threshold_bytes: int | None = None
    detection_rule: str = "window"


@dataclass(frozen=True)
class Past:
    """The past of one router: observations, days with complete data, pins and exclusions."""

    router: str
    observed: Observed
    complete: tuple[date, ...]
    pins: tuple[PinEntry, ...]
    exclusions: tuple[ExclusionEntry, ...]
    sampling_error_pct: int = 0


@dataclass(frozen=True)
class BackTest:
    """The results of one variant, day by day from `first`; one row per day in every column.

    `alpha_bytes` are those of alpha flows, `burst_bytes` of them in windows above the threshold; `queued_` what the
    rules of the evening before would have put into the alpha queue. `beta_bytes` are those between hosts of alpha
    pairs, on days with `is_beta_read`. `terms` were in the filter, `wanted` deserved one.
    """

    routers: tuple[str, ...]
    variant: Variant
    reading: Reading
    first: date
    alpha_bytes: Whole
    queued_bytes: Whole
    burst_bytes: Whole
    queued_burst_bytes: Whole
    flows: Whole
    queued_flows: Whole
    beta_bytes: Whole
    queued_beta_bytes: Whole
    is_beta_read: Mask
    terms: Whole
    wanted: Whole
    depends_on_approvals: bool = True

    @property
    def effectiveness(self) -> float | None:
        """Queued part of the bytes of alpha flows over all days, 0 to 1; None without any."""
        total = int(self.alpha_bytes.sum())
        return int(self.queued_bytes.sum()) / total if total else None

    @property
    def burst_effectiveness(self) -> float | None:
        """The same of the bytes in windows above the threshold."""
        total = int(self.burst_bytes.sum())
        return int(self.queued_burst_bytes.sum()) / total if total else None

    @property
    def dragged_share(self) -> float | None:
        """Part of the queue's bytes that is beta, 0 to 1, on days on which beta was read; None without them."""
        beta = int(self.queued_beta_bytes.sum())
        total = beta + int(self.queued_bytes[self.is_beta_read].sum())
        return beta / total if total else None


_COLUMNS = (
    *("alpha_bytes", "queued_bytes", "burst_bytes", "queued_burst_bytes", "flows", "queued_flows", "beta_bytes"),
    *("queued_beta_bytes", "terms", "wanted"),
)


def backtest(past: Past, variant: Variant, first: date, last: date, reading: Reading = "approved") -> BackTest:
    """One router's past under one variant, from the first through the last day."""
    observed = past.observed
    if variant.threshold_bytes is not None:
        observed = observed.above(variant.threshold_bytes, past.sampling_error_pct)
    history = pair_history(observed.hosts, observed.sightings(), variant.policy.lengths)
    inputs = RuleInputs.of(history, past.complete, past.pins, past.exclusions)
    filters = daily_filters(inputs, variant.policy, first, last, reading)
    traffic = observed.traffic(first, last)
    held = queued(traffic, filters.pairs, filters.spans)
    days = _Days(first.toordinal(), len(filters.used))
    alpha, beta = traffic.alpha, traffic.beta
    ones = np.ones(len(alpha), dtype=np.int64)
    is_read = np.isin(np.arange(first.toordinal(), last.toordinal() + 1), observed.beta_days)
    return BackTest(
        (past.router,), variant, reading, first,
        alpha_bytes=days.sums(alpha.day, alpha.bytes),
        queued_bytes=days.sums(alpha.day, alpha.bytes, held.alpha),
        burst_bytes=days.sums(alpha.day, alpha.burst_bytes),
        queued_burst_bytes=days.sums(alpha.day, alpha.burst_bytes, held.alpha),
        flows=days.sums(alpha.day, ones), queued_flows=days.sums(alpha.day, ones, held.alpha),
        beta_bytes=days.sums(beta.day, beta.bytes), queued_beta_bytes=days.sums(beta.day, beta.bytes, held.beta),
        is_beta_read=is_read, terms=filters.used, wanted=filters.wanted,
        depends_on_approvals=filters.depends_on_approvals,
    )  # fmt: skip


def together(found: Sequence[BackTest]) -> BackTest:
    """The routers of one variant and reading as one: sums. Beta counts as read where it was on every router.

    A flow that two routers carry counts at each: each has a filter of its own.
    """
    sums = {name: np.sum([getattr(one, name) for one in found], axis=0) for name in _COLUMNS}
    is_read = np.logical_and.reduce([one.is_beta_read for one in found])
    for name in ("beta_bytes", "queued_beta_bytes"):
        sums[name] = np.where(is_read, sums[name], 0)
    routers = tuple(router for one in found for router in one.routers)
    depends = any(one.depends_on_approvals for one in found)
    return replace(found[0], routers=routers, is_beta_read=is_read, depends_on_approvals=depends, **sums)


def sweep(variants: Iterable[Variant], past: Past, first: date, last: date) -> list[BackTest]:
    """All variants in both readings, the approved one before the other."""
    found = []
    for variant in variants:
        approved = backtest(past, variant, first, last)
        other = replace(approved, reading="never_approved")
        if approved.depends_on_approvals:
            other = backtest(past, variant, first, last, "never_approved")
        found += [approved, other]
    return found


@dataclass(frozen=True)
class _Days:
    first: int
    count: int

    def sums(self, day: Whole, values: Whole, rows: Mask | None = None) -> Whole:
        """Exact sums by day, in whole numbers."""
        found = np.zeros(self.count, dtype=np.int64)
        chosen = slice(None) if rows is None else rows
        np.add.at(found, day[chosen] - self.first, values[chosen])
        return found
