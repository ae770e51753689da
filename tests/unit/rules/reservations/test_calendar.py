"""The step function of a port: half-open intervals, whole numbers."""

from hntes.rules.reservations.calendar import Segment, calendar
from tests.support.reservations import P1, P2, background, reservation

BOOKED = [
    reservation(1, start_s=0, end_s=10, rate_bps=20),
    background(2, 5, 30, start_s=5, end_s=20),
    reservation(3, start_s=10, end_s=12, rate_bps=20),
    reservation(4, start_s=0, end_s=99, rate_bps=7, ports=(P2,)),
]


def test_it_sums_rates_and_floors_of_its_own_port() -> None:
    steps = calendar(BOOKED, P1)
    assert [steps.at(moment) for moment in (-1, 0, 4, 5, 9, 10, 11, 12, 19, 20)] == [0, 20, 20, 25, 25, 25, 25, 5, 5, 0]


def test_an_end_and_a_beginning_that_cancel_are_no_edge() -> None:
    assert calendar(BOOKED, P1).edges_s == (0, 5, 12, 20)


def test_segments_begin_where_they_are_asked_for() -> None:
    assert list(calendar(BOOKED, P1).segments(6)) == [Segment(6, 12, 25), Segment(12, 20, 5), Segment(20, None, 0)]


def test_an_empty_port_is_one_segment() -> None:
    assert list(calendar([], P1).segments(3)) == [Segment(3, None, 0)]
