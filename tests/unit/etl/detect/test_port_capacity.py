"""Alpha flows that together exceed what their port carries. The port: 10 Gb/s, 82.5 GB a minute with the tolerance."""

import pytest

from etl.detect.port_capacity import PeakWindow, implausible_flows

RATES = {7: 10_000_000_000}
MINUTE = 60_000
GB = 10**9


def flows(
    count: int, each: int, start_ms: int = MINUTE, port: int = 7, sd: int = 0, step_ms: int = 0
) -> list[PeakWindow]:
    return [
        PeakWindow(f"{port}-{start_ms}-{n}", port, start_ms + n * step_ms, start_ms + n * step_ms + 10_000, each, sd)
        for n in range(count)
    ]


def test_forty_flows_that_a_port_carries_are_believed() -> None:
    assert implausible_flows(flows(40, 2 * GB), MINUTE, RATES) == frozenset()


def test_two_thousand_flows_in_one_minute_are_not() -> None:
    forged = flows(2000, 11 * GB // 10)
    assert implausible_flows(forged, MINUTE, RATES) == {window.flow_id for window in forged}


@pytest.mark.parametrize("start_ms", [0, 1, 25_000, 30_000, 50_000, 59_999])
def test_it_matters_not_where_in_a_minute_they_lie(start_ms: int) -> None:
    forged = flows(1 + 165 * 10 // 11, 11 * GB // 10, start_ms)
    assert len(implausible_flows(forged, MINUTE, RATES)) == len(forged)
    assert implausible_flows(forged[1:], MINUTE, RATES) == frozenset()


def test_flows_of_other_times_and_ports_are_left_alone() -> None:
    before, elsewhere = flows(9, 2 * GB, 20 * MINUTE), flows(9, 2 * GB, port=8)
    unknown = flows(2000, 2 * GB, port=0)
    found = implausible_flows([*flows(2000, 2 * GB), *before, *elsewhere, *unknown], MINUTE, RATES)
    assert found == {window.flow_id for window in flows(2000, 2 * GB)}


def test_the_error_of_sampling_is_granted() -> None:
    # 100 flows of 2 GB, each 0.6 GB uncertain: 200 GB and six times 6 GB, where 165 GB are possible
    assert implausible_flows(flows(100, 2 * GB, sd=6 * GB // 10), MINUTE, RATES) == frozenset()
    assert len(implausible_flows(flows(100, 2 * GB, sd=5 * GB // 10), MINUTE, RATES)) == 100


def test_a_full_port_for_an_hour_is_believed() -> None:
    # each flow's fullest minute carries an eighth of the port's minute; 480 of them follow one another
    full = [PeakWindow(str(n), 7, n // 8 * MINUTE, (n // 8 + 1) * MINUTE, 75 * GB // 8, 0) for n in range(480)]
    assert implausible_flows(full, MINUTE, RATES) == frozenset()
