"""The effect of a change as two bars, and the gate's verdict as a gauge."""

from dataclasses import replace

from hntes.gate.verdict_figure import FigureLine
from hntes.sql.reasons import ChangeEffect
from hntes.web.change_effect import TO_LIMIT_PCT, effect_bars, gauge, queue_bars
from hntes.workflow.review.queues import ChangedQueues, QueueShare

EFFECT = ChangeEffect(days=4, alpha_bytes=32_900, queued_bytes_before=32_900, queued_bytes_after=13_500)
LINE = FigureLine("throughput", "alpha goodput", "passed", "98 %", "95 %", "", used=0.4)


def test_bars_are_shares_of_all_alpha_traffic() -> None:
    bars = effect_bars(EFFECT)
    assert bars is not None
    assert (bars.before.share, bars.before.share_pct) == ("100%", 100)
    assert (bars.after.share, bars.after.share_pct, bars.after.queued_bytes) == ("41%", 41.03, 13_500)
    assert bars.is_worse
    better = effect_bars(replace(EFFECT, queued_bytes_before=1))
    assert better is not None
    assert not better.is_worse


def test_nothing_is_drawn_of_what_is_not_known() -> None:
    assert effect_bars(None) is None
    assert effect_bars(ChangeEffect(problem="line 3")) is None
    assert effect_bars(replace(EFFECT, alpha_bytes=0)) is None


def test_the_gauge_shows_the_way_to_the_limit() -> None:
    reported = replace(LINE, criterion="surprise", outcome="reported", used=None)
    found = gauge([reported, LINE, replace(LINE, used=0.1)])
    assert found is not None
    assert (found.criterion, found.at_pct, found.used_pct, found.is_passing) == ("throughput", 30, 40, True)
    beyond = gauge([replace(LINE, outcome="failed", used=9.0)])
    assert beyond is not None
    assert (beyond.at_pct, beyond.is_passing) == (100, False)
    at_limit = gauge([replace(LINE, used=1.0)])
    assert at_limit is not None
    assert at_limit.at_pct == TO_LIMIT_PCT
    assert gauge([reported]) is None


def test_queues_are_bars_as_wide_as_their_shares() -> None:
    beta = QueueShare("beta", "best-effort", 0, 60, 70, "low")
    alpha = QueueShare("alpha", "bulk", 4, 30, 20, "medium-low")
    more = replace(alpha, rate_pct=35)
    before, after = queue_bars(ChangedQueues((beta, alpha), (beta, more)))
    assert (before.name, after.name) == ("before", "after")
    assert [(part.kind, part.x, part.width) for part in after.parts] == [("beta", 0.0, 60.0), ("rule", 60.0, 35.0)]
    assert "queue 4 bulk: 30% of the rate, 20% of the buffer, priority medium-low" in before.words
    (only,) = queue_bars(ChangedQueues((beta, alpha), (beta, alpha)))
    assert only.name == "unchanged"
    assert [bar.name for bar in queue_bars(ChangedQueues((), (beta,)))] == ["after"]
    assert queue_bars(ChangedQueues((), ())) == ()


def test_each_queue_of_a_plan_has_a_colour_of_its_own() -> None:
    shares = [
        QueueShare(name, name, queue, 25, 25, "low") for queue, name in enumerate(("beta", "nc", "alpha", "premium"))
    ]
    (only,) = queue_bars(ChangedQueues((), tuple(shares)))
    assert [part.kind for part in only.parts] == ["beta", "queue-1", "rule", "reserved"]


def test_queues_whose_shares_sum_to_more_stay_within_the_bar() -> None:
    shares = (QueueShare("alpha", "a", 1, 90, 1, "low"), QueueShare("kept", "x", 2, 60, 1, "low"))
    (only,) = queue_bars(ChangedQueues((), shares))
    assert sum(part.width for part in only.parts) == 100.0
