"""The measures of the other papers on made-up runs: each number worked out by hand."""

import numpy as np
import pytest

from simulator.papers.gara.cases import GaraCase
from simulator.papers.gara.measures import measure as gara
from simulator.papers.laatu.cases import LaatuCase
from simulator.papers.laatu.measures import measure as laatu
from simulator.results import FlowTotals, RunResult, Transfer
from tests.support.runs import NO_DROPS


def _run(
    flows: dict[str, FlowTotals], series: dict[str, np.ndarray] | None = None, interval_s: float = 1.0
) -> RunResult:
    return RunResult("packet", "s", 1, 10.0, interval_s, "", 0, (), flows, {}, series or {})


def _marked(name: str, green: int, yellow: int, red: int) -> FlowTotals:
    received = {"green": green, "yellow": yellow, "red": red}
    return FlowTotals(name, 0, 0, 0, 0, NO_DROPS, received_ip_bytes=received)


def test_what_is_committed_is_green_and_the_rest_is_excess() -> None:
    flows = [_marked("tcp1", 250_000, 0, 0), _marked("tcp2", 250_000, 50_000, 0), _marked("tcp3", 250_000, 0, 50_000)]
    result = _run({flow.name: flow for flow in [*flows, _marked("tcp4", 0, 25_000, 25_000)]})
    case = LaatuCase("under", "per-flow")
    # 250 kB in 10 s are 200 kb/s, the committed rate
    assert laatu("mean_util_committed", case, result) == pytest.approx(0.75)
    assert laatu("jain_committed", case, result) == pytest.approx(3**2 / (4 * 3))
    assert laatu("jain_excess", case, result) == pytest.approx(3**2 / (4 * 3))
    assert laatu("aggregate_kbps", case, result) == pytest.approx(8 * 900 / 10)
    assert laatu("largest_over_smallest", case, result) == pytest.approx(6.0)
    with pytest.raises(KeyError, match="jain_blue"):
        laatu("jain_blue", case, result)


def test_a_transfer_counts_from_its_start_and_none_counts_nothing() -> None:
    flow = FlowTotals("tcp", 0, 0, 0, 0, NO_DROPS, transfers=(Transfer(1.0, 4.34),))
    case = GaraCase("car", "burst-2mb")
    assert gara("transfer_kbytes_s", case, _run({"tcp": flow})) == pytest.approx(5000)
    assert gara("transfer_kbytes_s", case, _run({"tcp": FlowTotals("tcp", 0, 0, 0, 0, NO_DROPS)})) == 0


def test_a_burst_waits_from_its_begin_until_a_packet_is_left() -> None:
    backlog = np.zeros(3000)
    # 0.1 ms each: the burst begins at 100 ms, is seen 0.2 ms later, and one packet is left 3 ms after it began
    backlog[1002:1030] = 5000
    backlog[1030:1040] = 500
    backlog[1040:1050] = 1000
    result = _run({}, {"queue/edge1->core/premium/backlog_bytes": backlog}, interval_s=0.0001)
    assert gara("busy_ms", GaraCase("queueing", "x-33"), result) == pytest.approx(3.0)
