"""Estimated costs of runs, and the progress of several."""

from collections.abc import Sequence

import pytest

from hntes.simulator.runs.cost import expected_cost, expected_pkts
from hntes.simulator.runs.progress import RunProgress
from hntes.simulator.scenario import Flow, Interval, Link, PingTraffic, Scenario, Tcp, TcpTraffic, Traffic, UdpTraffic

LINKS = (Link("a", "r", 1e9, 0), Link("b", "r", 1e8, 0))
TCP, PING = TcpTraffic("reno"), PingTraffic(1.0)


def _scenario(
    *flows: tuple[Traffic, Sequence[Interval]], links: tuple[Link, ...] = LINKS, routers: tuple[str, ...] = ()
) -> Scenario:
    """10 s of flows, each with its intervals."""
    made = tuple(Flow(f"f{n}", "a", "b", tuple(each), traffic) for n, (traffic, each) in enumerate(flows))
    return Scenario("x", 10, 1, (), routers, links, Tcp(), made)


def _udp(rate_bps: float, datagram_bytes: int) -> UdpTraffic:
    return UdpTraffic(rate_bps=rate_bps, datagram_bytes=datagram_bytes)


def test_udp_costs_its_fragments() -> None:
    # 100 datagrams a second for 10 s; 8192 bytes of data are five pieces of 1480 bytes and one of 792
    assert expected_pkts(_scenario((_udp(8192 * 8 * 100.0, 8192), [(0, 10)]))) == pytest.approx(6000)


def test_tcp_fills_what_udp_leaves_of_the_fastest_link() -> None:
    udp = (_udp(4e8, 1000), [(0.0, 10.0)])
    alone, both = expected_pkts(_scenario(udp)), expected_pkts(_scenario(udp, (TCP, [(0, 10)])))
    assert both - alone == pytest.approx(6e8 * 10 / (1538 * 8))


def test_tcp_is_no_faster_than_what_lies_between_routers() -> None:
    between = (*LINKS, Link("r", "s", 5e7, 0), Link("s", "c", 1e12, 0))
    scenario = _scenario((TCP, [(0, 10)]), links=between, routers=("r", "s"))
    assert expected_pkts(scenario) == pytest.approx(5e8 / (1538 * 8))


def test_many_slow_flows_cost_more_than_their_packets() -> None:
    few, many = (_scenario(*[(TCP, [(0.0, 10.0)])] * n) for n in (1, 400))
    assert expected_pkts(few) == expected_pkts(many)
    assert expected_cost(many, "packet") - expected_cost(few, "packet") == pytest.approx(399 * 8000)


def test_time_shared_by_two_tcp_flows_counts_once_and_none_counts_after_the_end() -> None:
    scenario = _scenario((TCP, [(0, 6)]), (TCP, [(4, 8), (9, 99)]))
    assert expected_pkts(scenario) == pytest.approx(9e9 / (1538 * 8))


def test_a_ping_costs_nothing_worth_counting() -> None:
    assert expected_pkts(_scenario((PING, [(0, 10)]))) == 0


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
