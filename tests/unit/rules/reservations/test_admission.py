"""What may be promised, and what a refusal says."""

import pytest

from hntes.rules.pairs import PrefixPair
from hntes.rules.reservations.admission import Full, SamePackets, refusal
from hntes.rules.reservations.reservation import Port, PortLimit, ReservationError
from tests.support.reservations import LIMITS, P1, P2, background, reservation

FAR = 10**6
OVER = "port r1:et-0/0/1 is over its cap by"


def test_up_to_the_cap_is_admitted_and_one_bit_more_is_not() -> None:
    booked = [reservation(1, rate_bps=30)]
    assert refusal(reservation(2, rate_bps=20), booked, LIMITS, FAR) is None
    refused = refusal(reservation(2, rate_bps=21), booked, LIMITS, FAR)
    assert refused is not None
    assert refused.full == (Full(P1, 0, 10, 1, (1,)),)
    assert refused.nearest_start_s == 10


def test_neighbours_in_time_do_not_collide() -> None:
    booked = [reservation(1, rate_bps=50), reservation(2, rate_bps=50, start_s=20, end_s=30)]
    assert refusal(reservation(3, rate_bps=50, start_s=10, end_s=20), booked, LIMITS, FAR) is None


def test_background_reserves_its_floor_alone() -> None:
    booked = [background(1, 10, 50), background(2, 10, 50)]
    assert refusal(reservation(3, rate_bps=30), booked, LIMITS, FAR) is None
    assert refusal(reservation(3, rate_bps=31), booked, LIMITS, FAR) is not None
    assert refusal(background(3, 30, 50), booked, LIMITS, FAR) is None


def test_each_port_of_the_path_counts() -> None:
    booked = [reservation(1, rate_bps=40, ports=(P2,))]
    refused = refusal(reservation(2, rate_bps=20, ports=(P1, P2)), booked, LIMITS, FAR)
    assert refused is not None
    assert [full.port for full in refused.full] == [P2]


def test_a_refusal_names_each_stretch_and_who_is_there() -> None:
    booked = [
        reservation(1, rate_bps=40, start_s=2, end_s=4),
        reservation(2, rate_bps=45, start_s=4, end_s=5),
        reservation(3, rate_bps=40, start_s=8, end_s=20),
    ]
    refused = refusal(reservation(4, rate_bps=20), booked, LIMITS, FAR)
    assert refused is not None
    assert refused.full == (Full(P1, 2, 5, 15, (1, 2)), Full(P1, 8, 10, 10, (3,)))
    assert refused.nearest_start_s == 20
    assert refused.sentences == (
        f"{OVER} 15 bit/s from 1970-01-01T00:00:02Z to 1970-01-01T00:00:05Z: with reservations 1, 2",
        f"{OVER} 10 bit/s from 1970-01-01T00:00:08Z to 1970-01-01T00:00:10Z: with reservation 3",
        "the first later start that fits is 1970-01-01T00:00:20Z",
    )


def test_a_gap_between_others_is_found_and_one_that_is_too_short_is_not() -> None:
    booked = [
        reservation(1, rate_bps=50, start_s=0, end_s=10),
        reservation(2, rate_bps=50, start_s=19, end_s=30),
        reservation(3, rate_bps=50, start_s=40, end_s=50),
    ]
    refused = refusal(reservation(4, rate_bps=1), booked, LIMITS, FAR)
    assert refused is not None
    assert refused.nearest_start_s == 30


def test_nothing_fits_beyond_the_horizon() -> None:
    booked = [reservation(1, rate_bps=50)]
    assert refusal(reservation(2), booked, LIMITS, 20).nearest_start_s == 10  # type: ignore[union-attr]
    assert refusal(reservation(2), booked, LIMITS, 19).nearest_start_s is None  # type: ignore[union-attr]


def test_more_than_the_cap_never_fits() -> None:
    refused = refusal(reservation(1, rate_bps=51), [], LIMITS, FAR)
    assert refused is not None
    assert refused.full == (Full(P1, 0, 10, 1, ()),)
    assert refused.nearest_start_s is None
    assert "the rate alone exceeds the cap" in refused.sentences[0]


def test_two_reservations_cannot_take_the_same_packets() -> None:
    wide = PrefixPair.parse("198.18.0.0/16>203.0.113.0/24")
    booked = [reservation(1, start_s=3, end_s=6)]
    refused = refusal(reservation(2, pair=wide, rate_bps=1), booked, LIMITS, FAR)
    assert refused is not None
    assert refused.same_packets == (SamePackets("r1", 3, 6, 1),)
    assert refused.nearest_start_s == 6
    elsewhere = reservation(2, pair=wide, rate_bps=1, ports=(P2,))
    assert refusal(elsewhere, booked, LIMITS, FAR) is None


def test_families_do_not_meet() -> None:
    every = [reservation(1, pair=PrefixPair.parse(pair)) for pair in ("0.0.0.0/0>0.0.0.0/0",)]
    wanted = reservation(2, pair=PrefixPair.parse("::/0>::/0"))
    assert refusal(wanted, every, LIMITS, FAR) is None


def test_a_port_without_a_limit_is_an_error() -> None:
    with pytest.raises(ReservationError, match="port r9:xe-0 does not allow reservations"):
        refusal(reservation(1, ports=(Port("r9", "xe-0"),)), [], LIMITS, FAR)


def test_all_ports_of_a_router_together_are_not_over_their_cap() -> None:
    other = Port("r1", "et-0/0/3")
    limits = {**LIMITS, other: PortLimit(100, 50), Port.all_of("r1"): PortLimit(100, 33)}
    booked = [reservation(1, rate_bps=30)]
    # the port has room, the router's text has not
    refused = refusal(reservation(2, rate_bps=4, ports=(other,)), booked, limits, FAR)
    assert refused is not None
    assert refused.full == (Full(Port.all_of("r1"), 0, 10, 1, (1,)),)
    assert refused.sentences[0].startswith("router r1, all its ports together, is over its cap by 1 bit/s")
    assert refusal(reservation(2, rate_bps=3, ports=(other,)), booked, limits, FAR) is None
    assert refusal(reservation(2, rate_bps=50, ports=(P2,)), booked, limits, FAR) is None


def test_nobody_reserves_on_all_ports_of_a_router() -> None:
    with pytest.raises(ReservationError, match="list each egress port"):
        reservation(1, ports=(Port.all_of("r1"),))
