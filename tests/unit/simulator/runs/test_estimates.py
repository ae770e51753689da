"""What runs will cost, and how far several have come."""

import pytest

from hntes.simulator.runs.cost import expected_cost, expected_pkts
from hntes.simulator.runs.progress import RunProgress

LINKS = [{"from": "a", "to": "r", "rate_bps": 1e9}, {"from": "b", "to": "r", "rate_bps": 1e8}]


def _flow(intervals_s: list[list[float]], **traffic: object) -> dict[str, object]:
    return {"intervals_s": intervals_s, "traffic": traffic}


def test_udp_costs_its_fragments() -> None:
    flow = _flow([[0, 10]], kind="udp", rate_bps=8192 * 8 * 100.0, datagram_bytes=8192)
    # 100 datagrams a second for 10 s; 8192 bytes of data are five pieces of 1480 bytes and one of 792
    assert expected_pkts({"duration_s": 10, "links": LINKS, "flows": [flow]}) == pytest.approx(6000)


def test_tcp_fills_what_udp_leaves_of_the_fastest_link() -> None:
    udp = _flow([[0, 10]], kind="udp", rate_bps=4e8, datagram_bytes=1000)
    tcp = _flow([[0, 10]], kind="tcp")
    alone = expected_pkts({"duration_s": 10, "links": LINKS, "flows": [udp]})
    both = expected_pkts({"duration_s": 10, "links": LINKS, "flows": [udp, tcp]})
    assert both - alone == pytest.approx(6e8 * 10 / (1538 * 8))


def test_tcp_is_no_faster_than_what_lies_between_routers() -> None:
    between = [*LINKS, {"from": "r", "to": "s", "rate_bps": 5e7}, {"from": "s", "to": "c", "rate_bps": 1e12}]
    scenario = {"duration_s": 10, "routers": ["r", "s"], "links": between, "flows": [_flow([[0, 10]], kind="tcp")]}
    assert expected_pkts(scenario) == pytest.approx(5e8 / (1538 * 8))


def test_many_slow_flows_cost_more_than_their_packets() -> None:
    few, many = ({"duration_s": 10, "links": LINKS, "flows": [_flow([[0, 10]], kind="tcp")] * n} for n in (1, 400))
    assert expected_pkts(few) == expected_pkts(many)
    assert expected_cost(many, "packet") - expected_cost(few, "packet") == pytest.approx(399 * 8000)


def test_time_shared_by_two_tcp_flows_counts_once_and_none_counts_after_the_end() -> None:
    flows = [_flow([[0, 6]], kind="tcp"), _flow([[4, 8], [9, 99]], kind="tcp")]
    assert expected_pkts({"duration_s": 10, "links": LINKS, "flows": flows}) == pytest.approx(9e9 / (1538 * 8))


def test_a_ping_costs_nothing_worth_counting() -> None:
    assert expected_pkts({"duration_s": 10, "links": LINKS, "flows": [_flow([[0, 10]], kind="ping")]}) == 0


def test_progress_is_weighted_by_cost() -> None:
    progress = RunProgress({"short": 1.0, "long": 3.0})
    assert progress.share == 0
    assert progress.remaining_s(10.0) is None
    progress.move("long", 0.5)
    assert progress.share == pytest.approx(1.5 / 4)
    assert progress.remaining_s(15.0) == pytest.approx(25.0)
    progress.finish("long", reused=False)
    progress.finish("short", reused=False)
    assert progress.share == 1
    assert progress.remaining_s(40.0) == 0


def test_kept_runs_say_nothing_about_speed() -> None:
    progress = RunProgress({"kept": 10.0, "fresh": 4.0})
    progress.finish("kept", reused=True)
    assert progress.remaining_s(1.0) is None
    progress.move("fresh", 0.25)
    assert progress.remaining_s(2.0) == pytest.approx(6.0)


def test_no_work_is_done_work() -> None:
    assert RunProgress({}).share == 1
