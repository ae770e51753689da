"""An invalid reservation is refused with its field."""

import pytest

from hntes.rules.reservations.reservation import MOST_BPS, Port, ReservationError
from hntes.rules.reservations.sheet import host_sheet
from tests.support.reservations import LIMITS, P1, background, reservation

REFUSED: list[tuple[dict[str, object], str]] = [
    ({"rate_bps": 0}, "rate 0 bit/s"),
    ({"rate_bps": MOST_BPS + 1}, "must be from 1 bit/s to"),
    ({"floor_bps": 1}, "a floor is for background"),
    ({"kind": "background"}, "floor 0 bit/s"),
    ({"kind": "background", "floor_bps": 21}, "must be from 1 bit/s to its rate, 20 bit/s"),
    ({"end_s": 0}, "it ends before or at its start"),
    ({"rtt_ms": 0}, "round-trip time 0 ms"),
    ({"rtt_ms": 2001}, "round-trip time 2001 ms"),
    ({"ports": ()}, "each egress port"),
    ({"ports": (P1, P1)}, "each egress port of its path once"),
]


@pytest.mark.parametrize(("changes", "said"), REFUSED)
def test_what_is_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ReservationError, match=said):
        reservation(1, **changes)


def test_a_port_is_written_with_its_router() -> None:
    port = Port.parse("r1:et-0/0/1:2")
    assert port == Port("r1", "et-0/0/1:2")
    assert str(port) == "r1:et-0/0/1:2"


@pytest.mark.parametrize("text", ["", "r1", "r1:", ":et-0/0/1"])
def test_what_is_no_port(text: str) -> None:
    with pytest.raises(ReservationError, match="write ROUTER:INTERFACE"):
        Port.parse(text)


def test_the_sheet_gives_pacing_and_window_in_their_own_units() -> None:
    sheet = host_sheet(reservation(1, rate_bps=3_000_000_000), LIMITS)
    assert "fq maxrate 3000000000bit" in sheet
    assert "SO_MAX_PACING_RATE, 375000000)" in sheet
    # 3 Gb/s over 100 ms and 100 x 0.5 / 0.49 = 102.0408... ms is 75,765,306.1 bytes
    assert "Window: 75765307 bytes" in sheet
    # 75,765,307 x 1448 / 1500 is 73,138,776.4
    assert "in packets of 1500 bytes that is 73138776 bytes of payload" in sheet
    assert "must be 151530614 bytes or more" in sheet


def test_a_background_transfer_is_told_its_floor() -> None:
    sheet = host_sheet(background(1, 500_000_000, 3_000_000_000), LIMITS)
    assert "background, at least 500 Mb/s and at most 3 Gb/s" in sheet
    assert "maxrate 500000000bit" in sheet
