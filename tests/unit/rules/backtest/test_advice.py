"""The recommendation of a back-test on results made by hand."""

from dataclasses import replace

import pytest

from hntes.rules.backtest.advice import recommendation
from hntes.rules.backtest.backtest import BackTest, Past, Variant, backtest
from hntes.rules.backtest.observed import Observed
from hntes.rules.lifetime.evenings import Policy
from hntes.rules.lifetime.history import PrefixLengths
from tests.support.known_months import FIRST, GB, KnownMonth


@pytest.fixture(scope="module")
def made() -> BackTest:
    """Ten days of 1 GB, all but the first queued by one term."""
    month = KnownMonth(10)
    month.rotating(1, GB, 0, ageing_days=30)
    past = Past("r1", Observed.of(month.flows, [], month.all_days()), tuple(month.all_days()), (), ())
    policy = Policy(PrefixLengths((24, 24), (64, 64)), 30, "accept", 100)
    return backtest(past, Variant(policy), FIRST, month.last)


def variant(made: BackTest, ageing_days: int, queued_pct: int, terms: int, beta_pct: int = 0) -> BackTest:
    """Queues that part of each day's GB with so many terms; beta is that part of the queue."""
    policy = replace(made.variant.policy, ageing_days=ageing_days)
    queued = made.alpha_bytes * queued_pct // 100
    return replace(
        made, variant=replace(made.variant, policy=policy), queued_bytes=queued, terms=0 * made.terms + terms,
        queued_beta_bytes=queued * beta_pct // (100 - beta_pct),
    )  # fmt: skip


def test_close_variants_are_weighed_by_beta_and_then_by_terms(made: BackTest) -> None:
    best = variant(made, 60, 95, 300, beta_pct=5)
    fewer_terms = variant(made, 30, 94, 200, beta_pct=5)
    less_beta = variant(made, 20, 94, 250, beta_pct=1)
    far_off = variant(made, 7, 90, 50)
    (said,) = recommendation([best, fewer_terms, far_off])
    assert said.startswith("take /24, /64, ageing 30 days, budget 100: 94% of 10 GB, 200 terms on average, 5%")
    assert "ageing 60 days, budget 100 queues 95%, but the former needs fewer terms" in said
    (said,) = recommendation([best, fewer_terms, less_beta, far_off])
    assert said.startswith("take /24, /64, ageing 20 days")
    unread = [replace(one, is_beta_read=one.is_beta_read & False) for one in (best, fewer_terms, less_beta)]
    assert recommendation(unread)[0].startswith("take /24, /64, ageing 30 days")


def test_thresholds_are_not_compared_and_no_traffic_recommends_nothing(made: BackTest) -> None:
    higher = replace(made, variant=replace(made.variant, threshold_bytes=2 * GB))
    said = recommendation([made, higher])
    assert [sentence.split(":")[0] for sentence in said] == [
        "/24, /64, ageing 30 days, budget 100",
        "/24, /64, ageing 30 days, budget 100, 2 GB",
    ]
    nothing = replace(made, alpha_bytes=0 * made.alpha_bytes, queued_bytes=0 * made.alpha_bytes)
    assert recommendation([nothing]) == ["no recommendation: these days have no alpha traffic"]
