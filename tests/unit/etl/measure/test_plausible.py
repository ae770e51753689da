"""A minute in which a port would have sent more than it can is in no load, and only such a minute."""

import pytest

from hntes.etl.measure.minutes import InterfaceMinutes, MinuteLoad
from hntes.etl.measure.plausible import leave_out_implausible

GIGABIT = 10**9
# of one minute: 7.5 GB, and a tenth more
MOST_BYTES = 8_250_000_000


def port(*, beta: MinuteLoad | None = None, alpha: MinuteLoad | None = None) -> InterfaceMinutes:
    made = InterfaceMinutes(records=1)
    made.beta = {7: beta} if beta else {}
    made.alpha = {7: alpha} if alpha else {}
    return made


def is_left_out(made: InterfaceMinutes, rate_bps: int = GIGABIT) -> bool:
    leave_out_implausible({1: made}, {1: rate_bps, 2: 1})
    assert (made.implausible == {7}) == (not made.beta and not made.alpha)
    assert made.implausible in (set(), {7})
    return bool(made.implausible)


@pytest.mark.parametrize(("byte_count", "expected"), [(MOST_BYTES, False), (MOST_BYTES + 1, True)])
def test_a_tenth_more_than_the_rate_is_the_limit(byte_count: int, expected: bool) -> None:
    assert is_left_out(port(beta=MinuteLoad(byte_count))) == expected
    assert is_left_out(port(alpha=MinuteLoad(byte_count))) == expected
    half = MinuteLoad(byte_count // 2)
    assert is_left_out(port(beta=half, alpha=MinuteLoad(byte_count - byte_count // 2))) == expected


def test_what_ethernet_adds_to_each_packet_counts() -> None:
    packets = 10_000_000
    byte_count = MOST_BYTES - 38 * packets
    assert not is_left_out(port(beta=MinuteLoad(byte_count, packets)))
    assert is_left_out(port(beta=MinuteLoad(byte_count + 1, packets)))


def test_the_error_of_sampling_is_considered() -> None:
    # a standard deviation of 100 MB: six of them are 0.6 GB
    variance = 10**16
    assert not is_left_out(port(beta=MinuteLoad(MOST_BYTES + 590_000_000, 0, variance)))
    assert is_left_out(port(beta=MinuteLoad(MOST_BYTES + 610_000_000, 0, variance)))


def test_an_unknown_sampling_rate_is_taken_as_exact() -> None:
    assert is_left_out(port(beta=MinuteLoad(MOST_BYTES + 1, 0, None)))


def test_interfaces_without_a_known_rate_are_not_judged() -> None:
    made = port(beta=MinuteLoad(10**15))
    leave_out_implausible({3: made}, {1: GIGABIT})
    assert made.implausible == set()


def test_other_minutes_stay() -> None:
    made = InterfaceMinutes(beta={1: MinuteLoad(5), 2: MinuteLoad(10**12), 3: MinuteLoad(6)})
    leave_out_implausible({1: made}, {1: GIGABIT})
    assert (sorted(made.beta), made.implausible) == ([1, 3], {2})
