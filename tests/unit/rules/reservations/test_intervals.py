"""The sequence of texts to be, beside a definition that asks for each second."""

import random
from itertools import pairwise

from hntes.rules.reservations.in_force import reserved_at
from hntes.rules.reservations.intervals import intervals
from hntes.rules.reservations.reservation import Reservation
from tests.support.reservations import LIMITS, P1, P2, background, random_reservation, reservation


def found(booked: list[Reservation], start_s: int, until_s: int) -> list[tuple[int, int | None, list[str], bool]]:
    return [
        (each.start_s, each.end_s, [one.name for one in each.reserved], each.leads)
        for each in intervals(booked, LIMITS, "r1", start_s, until_s)
    ]


def test_the_present_then_each_change_and_the_end_beyond() -> None:
    booked = [reservation(1, start_s=5, end_s=10), reservation(2, start_s=20, end_s=30, ports=(P1, P2))]
    one, two = ["reservation-1"], ["reservation-2"]
    assert found(booked, 0, 10) == [(0, 5, [], False), (5, 10, one, True), (10, 20, [], False)]
    assert found(booked, 7, 19) == [(7, 10, one, False), (10, 20, [], False)]
    assert found(booked, 10, 30)[-2:] == [(20, 30, two, True), (30, None, [], False)]
    assert found([], 0, 10) == [(0, None, [], False)]


def test_what_only_ends_or_shrinks_does_not_lead() -> None:
    """50 bit/s may be promised on P1; the foreground takes 20 of the 40 that the background has had."""
    booked = [background(1, 10, 40, start_s=0, end_s=30), reservation(2, start_s=10, end_s=20, rate_bps=30)]
    assert [(each[0], each[3]) for each in found(booked, 0, 40)] == [(0, False), (10, True), (20, True), (30, False)]
    rates = [[one.rate_bps for one in each.reserved] for each in intervals(booked, LIMITS, "r1", 0, 40)]
    assert rates == [[40], [20, 30], [40], []]


def test_edges_of_other_routers_are_none_here() -> None:
    assert found([reservation(1, start_s=5, end_s=10, ports=(P2,))], 0, 20) == [(0, None, [], False)]


def test_as_when_each_second_is_asked() -> None:
    chance = random.Random(3)
    for _ in range(60):
        booked = [random_reservation(chance, number, [P1, P2], 30, 12, 10) for number in range(1, 6)]
        start_s, until_s = chance.randint(0, 20), chance.randint(20, 45)
        texts = intervals(booked, LIMITS, "r1", start_s, until_s)
        for second in range(start_s, until_s + 1):
            (here,) = [each for each in texts if each.start_s <= second and (each.end_s is None or second < each.end_s)]
            assert here.reserved == reserved_at(booked, LIMITS, "r1", second)
        assert all(one.reserved != other.reserved for one, other in pairwise(texts))
