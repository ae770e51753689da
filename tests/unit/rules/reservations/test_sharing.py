"""Shares of background transfers, worked out by hand."""

from hntes.rules.qos.policer_rates import PolicerRates
from hntes.rules.reservations.in_force import reserved_at, timetable
from hntes.rules.reservations.reservation import Port, PortLimit
from hntes.rules.reservations.sharing import deciding, shares_at, steps
from tests.support.reservations import LIMITS, P1, P2, background, reservation

P3 = Port("r1", "et-0/0/3")


def test_alone_it_gets_its_rate_or_the_cap() -> None:
    assert shares_at([background(1, 5, 30)], LIMITS, 0) == {1: 30}
    assert shares_at([background(1, 5, 300)], LIMITS, 0) == {1: 50}


def test_what_one_does_not_take_is_the_others() -> None:
    booked = [background(1, 1, 4), background(2, 1, 90), background(3, 11, 90)]
    # 50 less floors of 13 leaves 37: 3 to the first, 17 to each of the others
    assert shares_at(booked, LIMITS, 0) == {1: 4, 2: 18, 3: 28}


def test_bits_that_cannot_be_divided_go_to_the_first() -> None:
    booked = [background(number, 1, 90) for number in (7, 5, 6)]
    # 47 over the floors: 15 each, and one more to the two lowest numbers
    assert shares_at(booked, LIMITS, 0) == {5: 17, 6: 17, 7: 16}


def test_the_narrowest_port_of_a_path_decides() -> None:
    booked = [
        reservation(1, rate_bps=30, ports=(P2,)),
        background(2, 2, 90, ports=(P1, P2)),
        background(3, 2, 90, ports=(P2,)),
        background(4, 2, 90, ports=(P1,)),
    ]
    # P2 leaves 16 over the floors, 8 each; P1 then 46 - 8 for the last
    assert shares_at(booked, LIMITS, 0) == {2: 10, 3: 10, 4: 40}


def test_a_rate_depends_on_background_transfers_that_a_chain_of_ports_leads_to() -> None:
    booked = [
        background(1, 2, 90, ports=(P1,)),
        background(2, 2, 90, ports=(P1, P2), end_s=20),
        reservation(3, ports=(P2,)),
        background(4, 2, 90, ports=(P3,)),
        reservation(5, ports=(P3,)),
        background(6, 2, 90, ports=(P1,), start_s=10, end_s=20),
    ]
    limits = {**LIMITS, P3: LIMITS[P1]}

    def numbers(found: int) -> list[int]:
        return [each.number for each in deciding(booked[found - 1], booked, limits)]

    assert [numbers(each) for each in (1, 2, 3, 4)] == [[1, 2, 3], [1, 2, 3, 6], [3], [4, 5]]
    # all ports of a router together join what has no port in common
    limits[Port.all_of("r1")] = PortLimit(60, 50)
    assert numbers(4) == [1, 2, 3, 4, 5]


def test_it_changes_at_edges_alone() -> None:
    booked = [background(1, 5, 60, end_s=30), reservation(2, rate_bps=40, start_s=10, end_s=20)]
    found = steps(booked, LIMITS, 0, 40)
    assert [(step.start_s, step.end_s, step.rates_bps) for step in found] == [
        (0, 10, {1: 50}), (10, 20, {1: 10}), (20, 30, {1: 50}),
    ]  # fmt: skip


def test_a_cap_that_was_lowered_leaves_the_floors() -> None:
    booked = [reservation(1, rate_bps=48), background(2, 9, 60)]
    assert shares_at(booked, LIMITS, 0) == {2: 9}


def test_a_router_gets_its_own_pairs_with_what_they_get_now() -> None:
    booked = [
        reservation(1, rate_bps=40),
        background(2, 4, 60, ports=(P1, P2)),
        reservation(3, start_s=5),
        reservation(4, ports=(P2,)),
    ]
    found = reserved_at(booked, LIMITS, "r1", 0)
    assert [(each.name, each.rate_bps) for each in found] == [("reservation-1", 40), ("reservation-2", 10)]
    assert str(found[0].source) == "198.18.0.1/32"
    # x = 0.5, rtt 100 ms: 40 bit/s over 100 + 102.04 ms is 8.08 bit, 1.01 bytes, rounded up
    assert [each.burst_bytes for each in found] == [2, 1]


def test_a_timetable_changes_where_the_router_has_something_else_to_do() -> None:
    booked = [
        reservation(1, start_s=2, end_s=8),
        # on another router, with an edge in between
        reservation(2, start_s=4, end_s=6, ports=(P2,)),
        background(3, 5, 50, start_s=0, end_s=8, ports=(P1, P2)),
    ]
    found = timetable(booked, LIMITS, "r1", 0, 12)
    rates = [(each.start_s, each.end_s, [one.rate_bps for one in each.reserved]) for each in found]
    assert rates == [(0, 2, [50]), (2, 8, [20, 30]), (8, 12, [])]
    booked[1] = reservation(2, start_s=4, end_s=6, ports=(P2,), rate_bps=25)
    found = timetable(booked, LIMITS, "r1", 0, 12)
    rates = [(each.start_s, each.end_s, [one.rate_bps for one in each.reserved]) for each in found]
    assert rates == [(0, 2, [50]), (2, 4, [20, 30]), (4, 6, [20, 25]), (6, 8, [20, 30]), (8, 12, [])]


def test_all_ports_of_a_router_together_bound_what_is_shared() -> None:
    booked = [reservation(1, rate_bps=10), background(2, 5, 90, ports=(P3,)), background(3, 5, 90)]
    together = {**LIMITS, P3: PortLimit(100, 50), Port.all_of("r1"): PortLimit(60, 50)}
    # of 30 for the router the floors and the foreground leave 10, whichever the port
    assert shares_at(booked, together, 0) == {2: 10, 3: 10}
    assert shares_at(booked, {P1: LIMITS[P1], P3: LIMITS[P1]}, 0) == {2: 50, 3: 40}


def test_a_share_is_a_rate_to_which_each_router_of_the_path_polices() -> None:
    whole_kbps = PolicerRates((("kbps", 1_000), ("bps", 1)), max_number=2**32 - 1)
    limits = {P1: PortLimit(20_000_000_000, 50), P2: PortLimit(20_000_000_000, 50, policed=whole_kbps)}
    booked = [background(number, 5, 10**10, ports=(P1,)) for number in (1, 2)]
    across = [*booked, background(3, 5, 10**10, ports=(P1, P2))]
    assert shares_at(across, limits, 0) == {1: 3_333_333_334, 2: 3_333_333_333, 3: 3_333_333_333}
    limits[P1] = PortLimit(30_000_000_000, 50)
    assert shares_at(across, limits, 0) == {1: 5_000_000_000, 2: 5_000_000_000, 3: 5_000_000_000}
    limits[P1] = PortLimit(29_000_000_000, 50)
    assert shares_at(across, limits, 0) == {1: 4_833_333_334, 2: 4_833_333_333, 3: 4_833_333_000}
