"""Measures: spans are cut where their names say."""

import numpy as np
import numpy.typing as npt
import pytest

from hntes.papers.hntes.measures import measure
from hntes.papers.hntes.paper import HNTES
from hntes.simulator.results import RunResult
from hntes.simulator.testbed.experiments import load_experiment


def _result(seconds: int = 200) -> RunResult:
    """In second n TCP1 delivers n * 125 MB and sends n segments again, the ping takes n ms, UDP loses a quarter."""
    second = np.arange(seconds, dtype=np.uint64)
    ping = second.astype(np.float64)
    series: dict[str, npt.NDArray[np.float64] | npt.NDArray[np.uint64]] = {
        "flow/ping/sent_at_s": ping,
        "flow/ping/rtt_ms": ping,
    }
    series["flow/UDP/sent_bytes"], series["flow/UDP/goodput_bytes"] = 4 * second, 3 * second
    series["flow/UDP/dropped_pkts"] = second
    for flow in ("TCP1", "TCP2"):
        series[f"flow/{flow}/goodput_bytes"] = second * np.uint64(125_000_000)
        series[f"flow/{flow}/retransmitted_pkts"] = second
    return RunResult("packet", "s", 1, float(seconds), 1.0, "", 0, (), {}, {}, series)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tcp1_gbps_51_151", 100.5),
        ("tcp2_gbps_0_2", 0.5),
        ("ping_mean_ms_22_42", 31.5),
        ("ping_mean_ms", 99.5),
        ("tcp1_gbps_min_70_152", 70),
        ("tcp1_gbps_median_70_152", 110.5),
        ("tcp1_gbps_max_70_152", 151),
        ("ping_min_ms_57_63", 57),
        ("ping_median_ms_104_160", 131.5),
        ("ping_max_ms_98_104", 103),
        ("tcp1_retransmitted_pkts_61_63", 61 + 62),
        ("tcp2_retransmitted_pkts", 199 * 100),
        ("udp_loss_pct_42_101", 25.0),
        ("later_retransmitted_pkts", sum(range(47, 200))),
    ],
)
def test_a_span_holds_its_first_second_and_not_its_last(name: str, expected: float) -> None:
    # TCP1 starts at 42 s.
    assert measure(name, load_experiment(7).case("2-queues"), _result()) == pytest.approx(expected)


def test_the_median_leaves_out_the_first_five_seconds() -> None:
    # On from 53 s to 153 s: seconds 58 to 152.
    case = load_experiment(6).case("beta-40", "htcp-udp-2")
    assert measure("tcp_gbps_median", case, _result()) == pytest.approx(105.0)


def test_a_measure_there_is_not_is_named() -> None:
    with pytest.raises(KeyError, match="tcp1_speed"):
        measure("tcp1_speed", load_experiment(7).case("2-queues"), _result())


@pytest.mark.parametrize("number", range(1, 8))
def test_every_cell_names_a_case_there_is(number: int) -> None:
    experiment = load_experiment(number)
    for cell in HNTES.cells(str(number)):
        experiment.case(cell.configuration, cell.variant)
