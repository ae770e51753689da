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
NONE = np.zeros(0, np.int64)


def place(point: Point = INGRESS, at_ms: tuple[int, int] = NOON, port: int = 1, octets: float = 1.1 * GB) -> FlowPlace:
    return FlowPlace("flow", point, port, 0, at_ms, at_ms, octets)


def doubt(judged: FlowPlace, *own: tuple[int, int, float]) -> str:
    """Where the records of a port that is metered as they enter have what it counted: 0.1 GB a minute.

    `own` are the flow's records there, which are among these: start and end (ms), octets.
    """
    day = port_day([1.0] * 24)
    flows = PortOctets(**{**vars(day.flows), "point": INGRESS})
    port = type(day)(**{**vars(day), "flows": flows})
    judge = CounterJudge({(1, "in"): port}, {(1, "in"): flows})
    start, end, octets = (np.array(column, np.int64) for column in zip(*own, strict=True)) if own else [NONE] * 3
    at = PortOctets.of_records(start, end, octets, octets // 1000, octets // octets, INGRESS)
    asked = {((1, "in"), INGRESS): at}
    return judge.doubts([(judged, lambda name, point: asked[name, point])]).get("flow", "none")


def test_what_another_point_reads_must_be_read_where_the_port_is_metered() -> None:
    assert doubt(place()) == "none"
    assert doubt(place(EGRESS)) == "above_counters"
    assert doubt(place(EGRESS), (*NOON, 1.1 * GB)) == "none"
    assert doubt(place(EGRESS, octets=0.001 * GB)) == "none"


def test_a_part_that_is_read_where_the_port_is_metered_is_among_its_octets() -> None:
    """Whatever else was read of its flow there: the claims that remain of a doubted flow are such parts."""
    assert doubt(place(at_ms=(HOUR_MS, HOUR_MS + 10_000)), (*NOON, 1.1 * GB)) == "none"


def test_of_two_points_the_larger_reading_counts() -> None:
    """Between the polls around that time 0.2 GB are counted, 1 % more is granted; the port's records have all of it."""
    assert doubt(place(EGRESS), (*NOON, 1.099 * GB)) == "none"
    assert doubt(place(EGRESS), (*NOON, 1.09 * GB)) == "above_counters"
    # half a minute apart: the clocks of two exporters
    assert doubt(place(EGRESS), (NOON[0] + 20_000, NOON[1] + 20_000, 1.1 * GB)) == "none"


def test_what_one_point_reads_at_another_time_does_not_do_for_it() -> None:
    assert doubt(place(EGRESS), (HOUR_MS, HOUR_MS + 10_000, 1.1 * GB)) == "above_counters"


def test_a_long_record_of_a_flow_does_not_do_for_it() -> None:
    """Any part of it may be in any minute, and so none."""
    assert doubt(place(EGRESS), (NOON[0] - 10 * HOUR_MS, NOON[1], 1000 * GB)) == "above_counters"


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
