"""The pairs of a nightly change with their reasons and the alpha traffic of the last weeks, and sums of these."""

from collections.abc import Iterable
from dataclasses import dataclass

from hntes.rules.changeset import wording
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql.reasons import ChangeFacts
from hntes.workflow.context import Context
from hntes.workflow.review.view import ReviewView, changed_pairs
from hntes.workflow.stages.pair_days import alpha_bytes_by_day

__all__ = ["PAIR_DAYS", "PairBytes", "PairSums", "PrefixPair", "pair_sums", "pairs_with_bytes"]

# Up to and with the change's day, as for its effect on traffic.
PAIR_DAYS = 30


@dataclass(frozen=True)
class PairBytes:
    """One pair: `sign` is "+" (added), "-" (removed) or "=" (kept); `by_day` are bytes of believed alpha flows."""

    sign: str
    pair: PrefixPair
    reason: str
    by_day: tuple[int, ...]

    @property
    def alpha_bytes(self) -> int:
        return sum(self.by_day)


@dataclass(frozen=True)
class PairSums:
    """Number and alpha bytes of pairs. A flow between hosts of two overlapping pairs counts for both."""

    pairs: int
    alpha_bytes: int


def pairs_with_bytes(context: Context, router: Router, view: ReviewView) -> tuple[PairBytes, ...]:
    """All pairs of a nightly change: added, removed, kept; each in the order of pairs.

    Added and removed ones are those that have a stored reason, as everywhere. If the texts are lost, there are no
    kept ones, which only the texts name.

    Raises:
        CandidateStoreError: a candidate is missing, on disk and in the database.
    """
    kept = () if view.lost else changed_pairs(context, router, view.change).kept
    signed = [*_moved(view.facts), *(("=", pair, "") for pair in kept)]
    by_day = alpha_bytes_by_day(context, router, [pair for _, pair, _ in signed], view.change.day, PAIR_DAYS)
    return tuple(PairBytes(sign, pair, reason, by_day[pair]) for sign, pair, reason in signed)


def pair_sums(pairs: Iterable[PairBytes]) -> dict[str, PairSums]:
    """Their sums by sign, all three signs."""
    listed = list(pairs)
    return {sign: _sum([each for each in listed if each.sign == sign]) for sign in "+-="}


def _sum(pairs: list[PairBytes]) -> PairSums:
    return PairSums(len(pairs), sum(each.alpha_bytes for each in pairs))


def _moved(facts: ChangeFacts) -> list[tuple[str, PrefixPair, str]]:
    return [(each.sign, wording.pair_of(each), each.words) for each in wording.ordered(facts.pairs)]
