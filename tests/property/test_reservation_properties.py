"""Admission and sharing beside their definitions, which look at each second and hand out each bit."""

import random
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.rules.reservations.admission import refusal
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation
from hntes.rules.reservations.sharing import deciding, shares_at, steps
from tests.support.examples import examples
from tests.support.reservations import fits, handed_out, places, random_reservation

HORIZON_S = 120
PORTS = [Port("r1", "et-0"), Port("r1", "et-1"), Port("r2", "et-0")]
DAY_S = 86_400


def _limits(chance: random.Random) -> dict[Port, PortLimit]:
    """Of each port; and of half of the routers, of all ports together."""
    limits = {port: PortLimit(chance.randint(10, 60), chance.randint(20, 98)) for port in PORTS}
    return limits | {
        Port.all_of(router): PortLimit(chance.randint(20, 90), chance.randint(20, 98))
        for router in ("r1", "r2")
        if chance.random() < 0.5
    }


def _book(
    chance: random.Random, count: int, limits: dict[Port, PortLimit], *, most_bps: int = 20
) -> tuple[list[Reservation], int]:
    """Asks for random reservations one after the other; returns those that stand, and how many were refused."""
    booked: list[Reservation] = []
    refused = 0
    for number in range(1, count + 1):
        wanted = random_reservation(chance, number, PORTS, 40, 15, most_bps)
        answer = refusal(wanted, booked, limits, HORIZON_S)
        slots = range(wanted.start_s, HORIZON_S - wanted.length_s + 1)
        assert (answer is None) == fits(wanted, booked, limits, wanted.start_s)
        if answer is None:
            booked.append(wanted)
        else:
            refused += 1
            assert answer.nearest_start_s == next((s for s in slots if fits(wanted, booked, limits, s)), None)
            _check_stretches(wanted, booked, limits)
    return booked, refused


def _check_stretches(wanted: Reservation, booked: list[Reservation], limits: dict[Port, PortLimit]) -> None:
    """Each second that does not fit lies in a stretch that the refusal names, and no other does."""
    answer = refusal(wanted, booked, limits, HORIZON_S)
    assert answer is not None
    stretches = [(each.start_s, each.end_s) for each in answer.full]
    stretches += [(each.start_s, each.end_s) for each in answer.same_packets]
    named = {second for begins, ends in stretches for second in range(begins, ends)}
    bad = {
        second
        for second in range(wanted.start_s, wanted.end_s)
        if not fits(_of_one_second(wanted, second), booked, limits, second)
    }
    assert named == bad


def _of_one_second(wanted: Reservation, second: int) -> Reservation:
    return Reservation(**{**vars(wanted), "start_s": second, "end_s": second + 1})


@examples(0.5)
@given(seed=st.integers(0, 2**32))
def test_admission_is_what_each_second_says(seed: int) -> None:
    chance = random.Random(seed)
    _book(chance, 14, _limits(chance))


@examples(0.5)
@given(seed=st.integers(0, 2**32))
def test_sharing_is_what_bit_by_bit_gives(seed: int) -> None:
    chance = random.Random(seed)
    limits = _limits(chance)
    booked, _ = _book(chance, 14, limits, most_bps=30)
    for step in steps(booked, limits, 0, HORIZON_S):
        for moment in (step.start_s, step.end_s - 1):
            active = [each for each in booked if each.start_s <= moment < each.end_s]
            by_bits = handed_out(active, limits)
            assert dict(step.rates_bps) == by_bits
            for each in active:
                alone = shares_at(deciding(each, booked, limits), limits, moment)
                assert alone.get(each.number) == by_bits.get(each.number)


def test_random_calendars_are_refused_and_admitted() -> None:
    """The properties above say nothing if everything fits."""
    chance = random.Random(3)
    booked, refused = _book(chance, 60, _limits(chance))
    assert len(booked) > 10
    assert refused > 10


@pytest.mark.long
def test_a_month_of_a_thousand_reservations_on_ten_ports() -> None:
    """No instant over a cap, refused only where over, each slot the first that fits, sharing exact and max-min."""
    chance = random.Random()
    seed = chance.randrange(2**32)
    chance = random.Random(seed)
    ports = [Port(f"r{number // 2}", f"et-0/0/{number}") for number in range(10)]
    limits = {port: PortLimit(chance.choice([10, 100, 400]) * 10**9, chance.randint(20, 98)) for port in ports}
    limits |= {Port.all_of(router): PortLimit(10**11, chance.randint(20, 98)) for router in ("r0", "r3")}
    booked: list[Reservation] = []
    refused = 0
    number = 0
    while len(booked) < 1000:
        number += 1
        wanted = random_reservation(chance, number, ports, 30 * DAY_S, 20 * 3600, 3 * 10**9)
        answer = refusal(wanted, booked, limits, 60 * DAY_S)
        assert (answer is None) == _fits_at_edges(wanted, booked, limits, wanted.start_s), seed
        if answer is None:
            booked.append(wanted)
            continue
        refused += 1
        slot = answer.nearest_start_s
        # whatever begins to fit does so at the asked start or where something ends
        ends = sorted({wanted.start_s, *(each.end_s for each in booked if each.end_s > wanted.start_s)})
        first = next((moment for moment in ends if _fits_at_edges(wanted, booked, limits, moment)), None)
        assert slot == first, seed
    assert refused > 0, seed
    _check_caps(booked, limits, seed)
    for step in steps(booked, limits, 0, 32 * DAY_S):
        _check_max_min(booked, limits, step.start_s, dict(step.rates_bps), seed)


def _fits_at_edges(wanted: Reservation, booked: list[Reservation], limits: dict[Port, PortLimit], start_s: int) -> bool:
    """As `fits`, at the start and at each beginning within: between beginnings nothing grows."""
    end_s = start_s + wanted.length_s
    moments = {start_s, *(each.start_s for each in booked if start_s < each.start_s < end_s)}
    one = Reservation(**{**vars(wanted), "start_s": 0, "end_s": 1})
    near = [each for each in booked if each.start_s < end_s and each.end_s > start_s]
    return all(fits(one, near, limits, moment) for moment in moments)


def _check_caps(booked: list[Reservation], limits: dict[Port, PortLimit], seed: int) -> None:
    """All that is promised, summed at each beginning on each port."""
    for moment in sorted({each.start_s for each in booked}):
        promised: dict[Port, int] = defaultdict(int)
        for each in booked:
            if each.start_s <= moment < each.end_s:
                for port in places(each, limits):
                    promised[port] += each.rate_bps if each.kind == "foreground" else each.floor_bps
        for port, bps in promised.items():
            assert bps * 100 <= limits[port].rate_bps * limits[port].cap_pct, seed


def _check_max_min(
    booked: list[Reservation], limits: dict[Port, PortLimit], moment: int, rates: dict[int, int], seed: int
) -> None:
    """Whoever gets less than its rate crosses a full port, on which nobody has got more than a bit more than it."""
    active = [each for each in booked if each.is_active(moment)]
    assert rates == shares_at(booked, limits, moment)
    gets = {each.number: rates.get(each.number, each.rate_bps) for each in active}
    used: dict[Port, int] = defaultdict(int)
    for each in active:
        for port in places(each, limits):
            used[port] += gets[each.number]
    caps = {port: limit.rate_bps * limit.cap_pct // 100 for port, limit in limits.items()}
    assert all(bps <= caps[port] for port, bps in used.items()), seed
    over = {each.number: gets[each.number] - each.floor_bps for each in active if each.kind == "background"}
    for each in active:
        if each.kind == "foreground":
            continue
        assert each.floor_bps <= gets[each.number] <= each.rate_bps, seed
        if gets[each.number] < each.rate_bps:
            assert any(
                used[port] == caps[port]
                and all(
                    over[e.number] <= over[each.number] + 1
                    for e in active
                    if e.number in over and port in places(e, limits)
                )
                for port in places(each, limits)
            ), seed
