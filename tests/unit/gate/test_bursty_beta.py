"""The bursty load that belongs to a beta peak."""

import pytest

from hntes.gate.beta_peak import BetaPeak, MeasuredPeak, peak_of
from hntes.gate.bursty_beta import bursty_beta
from hntes.platforms.effective import Port
from hntes.settings.model import Gate

PORT = Port("xe-0/0/1", 10_000_000_000, ())


def measured(peak_bps: float, busy_bps: float | None, days: int = 7) -> BetaPeak:
    return peak_of([PORT], {PORT.name: MeasuredPeak(peak_bps, 10_080, days, 7, busy_bps)}, assumed_pct=30)


def test_an_assumed_peak_is_the_mean() -> None:
    load = bursty_beta(BetaPeak(30.0, is_measured=False), Gate())
    assert (load.mean_pct, load.peak_factor, load.peak_pct, load.host_pct) == (30.0, 2.0, 60.0, 10.0)
    assert load.words == "bursty beta traffic (mean 30% of the port, busiest 0.1 s 60%; assumed)"


def test_measured_over_enough_days_the_busy_hour_is_the_mean() -> None:
    load = bursty_beta(measured(2.2e9, 2e9), Gate())
    assert (load.mean_pct, load.peak_factor, load.origin) == (20.0, 2.0, "mean measured, factor assumed")


def test_minutes_that_stand_out_further_than_assumed_raise_the_factor() -> None:
    load = bursty_beta(measured(3e9, 1e9), Gate())
    assert (load.mean_pct, load.peak_factor, load.origin) == (10.0, 3.0, "mean and factor measured")


def test_few_days_do_not_lower_the_mean() -> None:
    assert bursty_beta(measured(2e9, 1e9, days=2), Gate()).mean_pct == 30.0
    assert bursty_beta(measured(4e9, 1e9, days=2), Gate()).mean_pct == 40.0


def test_without_a_busy_hour_the_measured_peak_is_the_mean() -> None:
    assert bursty_beta(measured(2e9, None), Gate()).mean_pct == 20.0


@pytest.mark.parametrize(("peak_pct", "factor"), [(45.0, 2.0), (60.0, 100 / 60), (80.0, 1.5)])
def test_no_port_carries_more_than_its_rate(peak_pct: float, factor: float) -> None:
    assert bursty_beta(BetaPeak(peak_pct, is_measured=False), Gate()).peak_factor == pytest.approx(factor)


def test_a_port_without_beta_traffic_has_the_least_bursts() -> None:
    assert bursty_beta(measured(0.0, 0.0), Gate()).mean_pct == 0.1
