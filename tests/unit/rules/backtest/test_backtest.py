"""The back-test on months whose effectiveness is known by construction."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from hntes.etl.detect.alpha import BORDERLINE_SD
from hntes.rules.backtest import observed as observed_module
from hntes.rules.backtest.backtest import BackTest, Past, Variant, backtest, together
from hntes.rules.backtest.observed import HostBeta, Observed
from hntes.rules.lifetime.evenings import Policy
from hntes.rules.lifetime.history import PrefixLengths
from hntes.sql.observations import SeenFlow
from tests.support.known_months import FIRST, GB, KnownMonth, as_published, returning_and_vanishing

WIDE, NARROW = PrefixLengths((24, 24), (64, 64)), PrefixLengths((32, 32), (128, 128))


def past_of(month: KnownMonth) -> Past:
    seen = Observed.of(month.flows, month.beta, month.all_days())
    return Past("r1", seen, tuple(month.all_days()), (), ())


def run(month: KnownMonth, lengths: PrefixLengths, ageing_days: int, first: date = FIRST) -> BackTest:
    policy = Policy(lengths, ageing_days, "second_sighting", 10_000)
    return backtest(past_of(month), Variant(policy), first, month.last)


@pytest.mark.parametrize("ageing_days", [3, 7])
@pytest.mark.parametrize("skipped", [0, 11])
def test_every_day_of_a_known_month_is_met_exactly(ageing_days: int, skipped: int) -> None:
    month = returning_and_vanishing(24, ageing_days)
    days = month.all_days()[skipped:]
    wide, narrow = (run(month, lengths, ageing_days, days[0]) for lengths in (WIDE, NARROW))
    assert wide.alpha_bytes.tolist() == [month.alpha_bytes[day] for day in days]
    assert wide.queued_bytes.tolist() == [month.queued_by_24[day] for day in days]
    assert narrow.queued_bytes.tolist() == [month.queued_by_32[day] for day in days]
    assert wide.queued_beta_bytes.tolist() == [month.dragged_by_24[day] for day in days]
    assert not narrow.queued_beta_bytes.any()
    assert sum(month.queued_by_32.values()) < sum(month.queued_by_24.values()) < sum(month.alpha_bytes.values())


def test_the_published_shares_are_met_by_a_month_made_to_have_them() -> None:
    month = as_published()
    assert run(month, WIDE, 95).effectiveness == 0.94
    assert run(month, NARROW, 95).effectiveness == 0.82


def test_days_without_complete_data_do_not_age_a_pair() -> None:
    month = KnownMonth(30)
    month.regular(6, GB, ageing_days=4)
    policy = Policy(WIDE, 4, "accept", 100)
    past = past_of(month)
    assert backtest(past, Variant(policy), FIRST, month.last).effectiveness == 0.0
    incomplete = {FIRST + timedelta(days=number) for number in range(30) if number % 6 == 3}
    frozen = replace(past, complete=tuple(day for day in past.complete if day not in incomplete))
    assert backtest(frozen, Variant(policy), FIRST, month.last).effectiveness == 4 / 5


def test_the_two_readings_part_where_the_budget_depends_on_what_was_approved() -> None:
    """A place in the filter is held against what carried less than double; nobody holds one without approvals."""
    flows = [_flow(number, "10.0.0.1", 20) for number in range(3)] + [
        _flow(number, "10.0.1.1", 25) for number in (1, 2)
    ]
    past = Past("r1", Observed.of(flows), tuple(FIRST + timedelta(days=number) for number in range(4)), (), ())
    variant = Variant(Policy(WIDE, 30, "accept", 1))
    second = FIRST + timedelta(days=1)
    # evening 1: 40 against 25 seen once; evening 2: 60 against 50
    held = backtest(past, variant, second, second + timedelta(days=1))
    assert held.queued_bytes.tolist() == [20, 20]
    assert held.wanted.tolist() == [1, 2]
    heavy = [*flows, _flow(2, "10.0.1.9", 20)]
    both = replace(past, observed=Observed.of([*heavy, _flow(3, "10.0.1.1", 5)]))
    third = FIRST + timedelta(days=3)
    # evening 2: 60 in force counts 120 against 70; without approvals 60 against 70
    assert backtest(both, variant, third, third).queued_bytes.tolist() == [0]
    assert backtest(both, variant, third, third, "never_approved").queued_bytes.tolist() == [5]


def test_a_higher_threshold_turns_flows_into_beta_where_beta_was_read() -> None:
    flows = [_flow(0, "10.0.0.1", 30), _flow(1, "10.0.0.1", 30), _flow(1, "10.0.0.2", 10)]
    beta = [HostBeta(FIRST + timedelta(days=1), "10.0.0.3", "10.9.0.1", 4)]
    days = (FIRST, FIRST + timedelta(days=1))
    past = Past("r1", Observed.of(flows, beta, days[1:]), days, (), ())
    policy = Policy(WIDE, 30, "accept", 10)
    stored, higher = (backtest(past, Variant(policy, threshold), *days) for threshold in (None, 10))
    assert (stored.queued_bytes.tolist(), stored.queued_beta_bytes.tolist()) == ([0, 40], [0, 4])
    assert (higher.queued_bytes.tolist(), higher.queued_beta_bytes.tolist()) == ([0, 30], [0, 14])
    assert higher.is_beta_read.tolist() == [False, True]
    assert higher.dragged_share == 14 / 44


def test_a_flow_is_borderline_at_another_threshold_as_detection_would_say() -> None:
    assert observed_module.BORDERLINE_SD == BORDERLINE_SD
    sure, close, unknown = (_flow(0, f"10.0.0.{number}", 100)._replace(peak_sd_bytes=sd)
                            for number, sd in enumerate((0, 20, None)))  # fmt: skip
    seen = Observed.of([sure, close, unknown])
    assert seen.above(40).borderline.tolist() == [False, True, False]
    assert seen.above(39).borderline.tolist() == [False, False, False]
    # 60 of 100 are known to be wrong beside chance: of sampled flows, and of those at an unknown rate
    assert seen.above(40, 60).borderline.tolist() == [False, True, True]
    assert len(seen.above(100).day) == 0
    # without an error, but by times that nobody reported
    assumed = Observed.of([sure._replace(borderline=True)])
    assert assumed.above(10).borderline.tolist() == [True]


def test_implausible_flows_are_no_traffic() -> None:
    flows = [_flow(0, "10.0.0.1", 30), _flow(1, "10.0.0.1", 99)._replace(implausible=True)]
    past = Past("r1", Observed.of(flows), (FIRST,), (), ())
    found = backtest(past, Variant(Policy(WIDE, 30, "accept", 10)), FIRST, FIRST + timedelta(days=1))
    assert found.alpha_bytes.tolist() == [30, 0]


def test_routers_together_are_sums_and_beta_counts_where_all_have_read_it() -> None:
    flows = [_flow(0, "10.0.0.1", 30), _flow(1, "10.0.0.1", 30)]
    beta = [HostBeta(FIRST + timedelta(days=1), "10.0.0.3", "10.9.0.1", 4)]
    days = (FIRST, FIRST + timedelta(days=1))
    variant = Variant(Policy(WIDE, 30, "accept", 10))
    one = backtest(Past("r1", Observed.of(flows, beta, days), days, (), ()), variant, *days)
    other = backtest(Past("r2", Observed.of(flows), days, (), ()), variant, *days)
    both = together([one, other])
    assert both.routers == ("r1", "r2")
    assert both.queued_bytes.tolist() == [0, 60]
    assert both.queued_beta_bytes.tolist() == [0, 0]
    assert together([one, one]).queued_beta_bytes.tolist() == [0, 8]


def test_a_flow_that_its_sender_confirmed_is_not_borderline_up_to_what_it_announced() -> None:
    doubtful = _flow(1, "10.1.0.1", 50)._replace(peak_sd_bytes=20, borderline=True)
    seen = Observed.of([doubtful, doubtful._replace(flow_id="f2", confirmed_bytes=45)])
    assert seen.borderline.tolist() == [True, False]
    assert seen.above(40).borderline.tolist() == [True, False]
    assert seen.above(45).borderline.tolist() == [True, True]


def _flow(number: int, source: str, size: int) -> SeenFlow:
    day = FIRST + timedelta(days=number)
    flow = f"{source} 1 > 10.9.0.1 2 / 6"
    return SeenFlow(day, flow, source, "10.9.0.1", size, size, size, 0, False, False)
