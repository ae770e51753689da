"""Reservations across ports that have left the settings, on the routers of their other ports."""

from dataclasses import replace

from hntes.rules.pairs import PrefixPair
from hntes.rules.reservations.lost_ports import on_known_ports
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation
from hntes.rules.reservations.sharing import shares_at

GBPS = 10**9
KNOWN, LOST = Port("r1", "xe-0/0/1"), Port("r2", "xe-0/0/1")
LIMITS = {KNOWN: PortLimit(10 * GBPS, 40)}
FOREGROUND = Reservation(
    1, "anna", "", PrefixPair.parse("198.18.0.0/24>203.0.113.0/24"), 2 * GBPS, 0, 3600, "foreground", 0, "advance", 100,
    (KNOWN, LOST),
)  # fmt: skip
BACKGROUND = replace(FOREGROUND, number=2, kind="background", rate_bps=9 * GBPS, floor_bps=GBPS)


def test_the_known_part_of_a_path_keeps_what_it_was_promised() -> None:
    (found,) = on_known_ports([FOREGROUND], LIMITS)
    assert (found.ports, found.rate_bps, found.number) == ((KNOWN,), 2 * GBPS, 1)


def test_what_is_on_lost_ports_alone_is_left_out_and_others_are_unchanged() -> None:
    lost, whole = replace(FOREGROUND, ports=(LOST,)), replace(FOREGROUND, ports=(KNOWN,))
    assert on_known_ports([lost, whole], LIMITS) == (whole,)


def test_a_background_transfer_gets_its_floor_and_leaves_the_rest_to_others() -> None:
    """Worked by hand: of 4 Gb/s the lost one has 1 and the foreground 1, so that 2 are left to the other."""
    foreground = replace(FOREGROUND, rate_bps=GBPS, ports=(KNOWN,))
    other = replace(BACKGROUND, number=3, ports=(KNOWN,))
    booked = on_known_ports([foreground, BACKGROUND, other], LIMITS)
    assert shares_at(booked, LIMITS, 10) == {2: GBPS, 3: 2 * GBPS}
