"""Alpha flows beside the counters of a port that is metered at one point."""

from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.counters.judge import CounterJudge, FlowPlace
from hntes.etl.counters.port_octets import SLOT_MS, Point, PortOctets
from tests.unit.etl.counters.test_port_day import HOUR_MS, MINUTE_MS, port_day

INGRESS, EGRESS = (0, 11, 0), (0, 11, 1)
NOON = (12 * HOUR_MS, 12 * HOUR_MS + 10_000)
GB = 10**9


def place(point: Point = INGRESS, at_ms: tuple[int, int] = NOON, port: int = 1, octets: float = 1.1 * GB) -> FlowPlace:
    return FlowPlace("flow", point, port, 0, at_ms, at_ms, octets)


def doubt(judged: FlowPlace, *others: FlowPlace) -> str:
    """Where the records of a port that is metered as they enter have what it counted: 0.1 GB a minute."""
    day = port_day([1.0] * 24)
    flows = PortOctets(**{**vars(day.flows), "point": INGRESS})
    port = type(day)(**{**vars(day), "flows": flows})
    judge = CounterJudge({(1, "in"): port}, {(1, "in"): flows})
    return judge.doubts([(judged, [judged, *others])]).get("flow", "none")


def test_what_another_point_reads_must_be_read_where_the_port_is_metered() -> None:
    assert doubt(place()) == "none"
    assert doubt(place(EGRESS)) == "above_counters"
    assert doubt(place(EGRESS), place()) == "none"
    assert doubt(place(EGRESS, octets=0.001 * GB)) == "none"


@pytest.mark.parametrize(
    "other", [place(at_ms=(HOUR_MS, HOUR_MS + 10_000)), place(port=2)], ids=["at another time", "by another port"]
)
def test_a_reading_elsewhere_does_not_do_for_it(other: FlowPlace) -> None:
    assert doubt(place(EGRESS), other) == "above_counters"


def groups(drawn: list[tuple[int, int, float, float]]) -> PortOctets:
    first, slots, octets, variance = (np.array(column) for column in zip(*drawn, strict=True))
    begin = first * SLOT_MS
    return PortOctets(begin, begin + slots * SLOT_MS, octets, variance, octets**2, is_own_meter=True)


@given(
    st.lists(
        st.tuples(st.integers(-5, 8), st.integers(1, 9), st.floats(1, 1e6), st.floats(0, 1e12)), min_size=1, max_size=7
    )
)
def test_what_records_have_at_least_is_the_most_that_any_of_them_leave(
    drawn: list[tuple[int, int, float, float]],
) -> None:
    estimates = [groups([one]).within(0, MINUTE_MS) for one in drawn]
    left = [
        sum(one.octets for one in some) - 4 * sqrt(sum(one.variance for one in some))
        for count in range(len(estimates) + 1)
        for some in combinations(estimates, count)
    ]
    assert groups(drawn).at_least(0, MINUTE_MS, 4.0) == pytest.approx(max(left), rel=1e-9, abs=1e-3)


def test_a_record_of_a_day_takes_nothing_away() -> None:
    short, long = (0, 3, 1.1e9, 0.0), (-4000, 8000, 1e13, 0.0)
    assert groups([short, long]).at_least(0, MINUTE_MS, 4.0) == 1.1e9
