"""The measures of the other papers on made-up runs: each number worked out by hand."""

import numpy as np
import pytest

from hntes.papers.christin.cases import ClassesCase, class_flows
from hntes.papers.christin.measures import measure as christin
from hntes.papers.gara.cases import GaraCase
from hntes.papers.gara.measures import measure as gara
from hntes.papers.habib.cases import HabibCase
from hntes.papers.habib.measures import measure as habib
from hntes.papers.laatu.cases import LaatuCase
from hntes.papers.laatu.measures import measure as laatu
from hntes.simulator.results import FlowTotals, QueueTotals, RunResult, Transfer
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


def test_promises_to_a_class_are_held_against_its_queue_and_its_receivers() -> None:
    def queue(number: int, dropped: int, late: int, mean_ms: float) -> QueueTotals:
        delays = {"bound_ms": 10.0, "late_pkts": late, "mean_ms": mean_ms, "max_ms": 3 * mean_ms}
        return QueueTotals(f"router->sink/class{number}", 1000 - dropped, 500, {"full": dropped}, 0, delays=delays)

    queues = [queue(1, 5, 10, 4.0), queue(2, 10, 0, 5.0), queue(3, 20, 0, 20.0), queue(4, 60, 0, 40.0)]
    # 57.5 kB of payload in each 0.1 s are 5 Mb/s with headers of 40 on 460 bytes; at 20 s one interval has a byte less.
    per_flow = {f"flow/{name}/goodput_bytes": np.full(700, 0.0) for name, _ in class_flows()[0]}
    per_flow["flow/class1-greedy0/goodput_bytes"][:] = 57_500
    per_flow["flow/class1-greedy0/goodput_bytes"][200] -= 1
    series = {**per_flow, "link/router->sink/wire_bytes": np.full(700, 45e6 / 80)}
    result = RunResult("packet", "s", 1, 70.0, 0.1, "", 0, (), {}, {one.name: one for one in queues}, series)
    case = ClassesCase("2", "unregulated")
    expected = {
        "late_pct": 2.0,
        "max_delay_ms": 12.0,
        "class1_loss_pct": 0.5,
        "classes_loss_pct": 95 / 40,
        "short_pct": 100 / 120,
        "classes_utilization": 1.0,
        "delay_ratio_3_2": 4.0,
        "delay_ratio_4_3": 2.0,
        "loss_ratio_3_2": 2.0,
        "loss_ratio_4_3": 3.0,
    }
    assert {name: christin(name, case, result) for name in expected} == pytest.approx(expected)


def _aggregates(case: HabibCase, mbps: dict[str, float]) -> RunResult:
    """A run of 10 s whose microflows have equal parts of these throughputs, as many bytes green as red."""
    flows: dict[str, FlowTotals] = {}
    for flow in case.flows():
        byte_count = int(mbps[flow.name] * 1e6 / 8 * 10 / len(flow.microflows()))
        flows |= {name: _marked(name, byte_count // 2, 0, byte_count // 2) for name in flow.microflows()}
    return _run(flows)


def test_the_excess_is_what_lies_above_the_committed_rate() -> None:
    case = HabibCase("simple", "basic-rtt", "rtt-100")
    result = _aggregates(case, {"f1": 3.0, "f2": 6.0})
    assert habib("f1_mbps", case, result) == pytest.approx(3.0)
    # 2 Mb/s are committed to each: of 1 and 4 Mb/s above it the better has four fifths
    assert habib("larger_share_of_excess", case, result) == pytest.approx(0.8)
    assert habib("longer_over_shorter", case, result) == pytest.approx(2.0)
    near = HabibCase("simple", "basic-rtt", "rtt-4")
    assert habib("longer_over_shorter", near, result) == pytest.approx(0.5)
    starved = _aggregates(case, {"f1": 1.5, "f2": 8.0})
    assert habib("larger_share_of_excess", case, starved) == pytest.approx(1.0)


def test_across_domains_short_and_long_flows_are_compared_by_their_means() -> None:
    case = HabibCase("multi-domain", "standard")
    result = _aggregates(case, {"f1": 1.0, "f2": 3.0, "f3": 6.0, "f4": 2.0, "f5": 4.0})
    wanted = {
        "shorts_over_longs": 2.5, "longs_over_shorts": 0.4, "f3_over_longs": 3.0, "f3_over_others": 3.0,
        "others_over_f3": 1 / 3, "spread_of_others": 3.0,
    }  # fmt: skip
    assert {name: habib(name, case, result) for name in wanted} == pytest.approx(wanted)
    with pytest.raises(KeyError, match="jain"):
        habib("jain", case, result)


def test_a_session_lasts_from_its_first_packet_to_its_last_acknowledgement() -> None:
    packets = {"f1-0": ((1.0, 1.2), (2.0, 2.4)), "f1-1": ((5.0, 5.6),)}
    flows = {
        name: FlowTotals(name, 0, 0, 0, 0, NO_DROPS, transfers=tuple(Transfer(*span) for span in spans))
        for name, spans in packets.items()
    }
    case = HabibCase("telnet", "standard")
    # 200, 400 and 600 ms; sessions of 1.4 and 0.6 s
    assert habib("packet_delay_ms", case, _run(flows)) == pytest.approx(400)
    assert habib("session_delay_s", case, _run(flows)) == pytest.approx(1.0)
