"""The recommended variant of a back-test as sentences with reasons."""

from collections.abc import Sequence

import numpy as np

from hntes.format import counted, gigabytes
from hntes.rules.backtest.backtest import BackTest
from hntes.rules.backtest.effect_words import share_text
from hntes.rules.lifetime.history import PrefixLengths

# Variants this close to the best are taken as equal, in effectiveness and in beta: terms then decide.
CLOSE_SHARE = 0.01


def recommendation(found: Sequence[BackTest]) -> list[str]:
    """One sentence per threshold of a sweep: shares at different thresholds are not of the same bytes.

    Of the variants within one percentage point of the best effectiveness, and of these within one percentage point of
    the least beta in the queue (if beta was read), it recommends the one with the fewest terms on average, the first of
    equals.
    """
    thresholds = list(dict.fromkeys(one.variant.threshold_bytes for one in found))
    return [_of_threshold([one for one in found if one.variant.threshold_bytes == each]) for each in thresholds]


def label(one: BackTest) -> str:
    """A variant in a few words."""
    policy = one.variant.policy
    return variant_label(policy.lengths, policy.ageing_days, policy.term_budget, one.variant.threshold_bytes)


def variant_label(lengths: PrefixLengths, ageing_days: int, term_budget: int, threshold_bytes: int | None) -> str:
    """The same of what was swept; `threshold_bytes` None: as stored."""
    parts = [str(lengths), f"ageing {counted(ageing_days, 'day')}", f"budget {term_budget}"]
    return ", ".join([*parts, *([gigabytes(threshold_bytes)] if threshold_bytes is not None else [])])


def mean_terms(one: BackTest) -> float:
    """Terms in the filter, the mean over the days, all routers together."""
    return float(np.mean(one.terms))


def _of_threshold(found: Sequence[BackTest]) -> str:
    known = [(one, one.effectiveness) for one in found]
    rated = [(one, share) for one, share in known if share is not None]
    if not rated:
        return "no recommendation: these days have no alpha traffic"
    best, best_share = max(rated, key=lambda pair: pair[1])
    close = [one for one, share in rated if share >= best_share - CLOSE_SHARE]
    chosen = min(_with_least_beta(close), key=mean_terms)
    text = f"{label(chosen)}: {_result(chosen)}"
    if len(found) == 1:
        return text
    if chosen is best:
        return f"take {text}; no other variant queues more"
    cost = "needs fewer terms" if mean_terms(chosen) < mean_terms(best) else "drags along less beta"
    return f"take {text}; {label(best)} queues {_share(best)}, but the former {cost}"


def _with_least_beta(found: Sequence[BackTest]) -> Sequence[BackTest]:
    shares = [one.dragged_share for one in found]
    known = [share for share in shares if share is not None]
    if len(known) < len(found):
        return found
    return [one for one, share in zip(found, known, strict=True) if share <= min(known) + CLOSE_SHARE]


def _result(one: BackTest) -> str:
    share = one.dragged_share
    beta = "" if share is None else f", {100 * share:.2g}% of the queue is beta"
    return f"{_share(one)} of {gigabytes(int(one.alpha_bytes.sum()))}, {mean_terms(one):.0f} terms on average{beta}"


def _share(one: BackTest) -> str:
    return share_text(int(one.queued_bytes.sum()), int(one.alpha_bytes.sum()))
