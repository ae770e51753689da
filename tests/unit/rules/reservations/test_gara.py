"""GARA's rules, against figures of the study and arithmetic by hand."""

from fractions import Fraction

import pytest

from hntes.rules.reservations.gara import ShareError, burst_bytes, queueing_time_ms
from hntes.rules.reservations.reservation import PortLimit, ReservationError

GARA = Fraction(99, 100)


@pytest.mark.parametrize("rtt_ms", [1, 3, 89, 2000])
def test_a_third_of_the_link_costs_half_a_round_trip(rtt_ms: int) -> None:
    assert queueing_time_ms(rtt_ms, Fraction(33, 100), GARA) == Fraction(rtt_ms, 2)


def test_nothing_reserved_queues_nothing() -> None:
    assert queueing_time_ms(100, Fraction(0), GARA) == 0


def test_98_per_cent_costs_98_round_trips() -> None:
    assert queueing_time_ms(10, Fraction(98, 100), GARA) == 980


@pytest.mark.parametrize("share", [Fraction(99, 100), Fraction(1), Fraction(-1, 100)])
def test_a_share_without_a_bound_is_refused(share: Fraction) -> None:
    with pytest.raises(ShareError, match=r"less than 0\.99"):
        queueing_time_ms(10, share, GARA)


def test_the_burst_is_in_bytes_and_rounded_up() -> None:
    # 45 Mb/s over 3 ms + 1.5 ms
    assert burst_bytes(45_000_000, 3, Fraction(33, 100), GARA) == 25_313
    assert burst_bytes(10_000_000_000, 89, Fraction(33, 100), GARA) == 166_875_000


@pytest.mark.parametrize(("x_pct", "served_pct"), [(10, 30), (20, 60), (33, 99)])
def test_a_third_of_what_the_class_is_served_with_costs_half_a_round_trip(x_pct: int, served_pct: int) -> None:
    assert queueing_time_ms(80, Fraction(x_pct, 100), Fraction(served_pct, 100)) == 40


@pytest.mark.parametrize(("x_pct", "served_pct"), [(33, 40), (10, 30), (39, 40), (50, 99)])
def test_a_window_takes_as_long_as_the_class_needs_for_it(x_pct: int, served_pct: int) -> None:
    # 1 Gb/s is x of the link, so S of it takes x / S of the time that the window lasts at its rate
    x, served = Fraction(x_pct, 100), Fraction(served_pct, 100)
    window_ms = burst_bytes(10**9, 100, x, served) * 8 / 1e6
    assert window_ms * x / served == pytest.approx(float(queueing_time_ms(100, x, served)), rel=1e-6)
    assert window_ms == pytest.approx(100 + float(queueing_time_ms(100, x, served)), rel=1e-6)


@pytest.mark.parametrize(("cap_pct", "served_pct"), [(40, 40), (41, 40), (0, 40), (50, 100)])
def test_a_cap_of_what_the_class_is_served_with_is_refused(cap_pct: int, served_pct: int) -> None:
    with pytest.raises(ReservationError, match=f"served with {served_pct} %"):
        PortLimit(100, cap_pct, served_pct)


@pytest.mark.parametrize("cap_pct", [0, 99, 100])
def test_a_cap_out_of_range_is_refused(cap_pct: int) -> None:
    with pytest.raises(ReservationError, match="from 1 to 98"):
        PortLimit(100, cap_pct)


def test_a_cap_is_rounded_down() -> None:
    assert PortLimit(199, 33).cap_bps == 65
