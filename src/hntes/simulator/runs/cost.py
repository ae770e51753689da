"""The estimated cost of a run in packets, since the packet engine's work is proportional to them."""

from collections.abc import Sequence

from hntes.simulator.results import EngineName
from hntes.simulator.scenario import Interval, Scenario, TcpTraffic, UdpTraffic

# The fluid engine takes a hundredth of the packet engine's time, and twice that to see if a result is steady.
_FLUID_SHARE = 1 / 40
# Of the packet engine on one core, about; `python -m benchmarks.simulator` measures it. Conditioners take more.
PKTS_PER_CPU_S = 8e6
# What a flow costs besides, as packets: 400 flows that share 10 Mb/s take half a second, nearly all of it for losses.
_PKTS_PER_FLOW = 8000
_SEGMENT_WIRE_BITS = 1538 * 8
_FRAGMENT_DATA_BYTES = 1480
_DATAGRAM_BYTES = 8192  # the engine's default


def expected_cost(scenario: Scenario, engine: EngineName) -> float:
    """The work of a run by an engine, in packets of the packet engine."""
    pkts = expected_pkts(scenario) + _PKTS_PER_FLOW * len(scenario.flows)
    return pkts * (_FLUID_SHARE if engine == "fluid" else 1.0)


def expected_pkts(scenario: Scenario) -> float:
    """Data packets that the flows of a scenario send at most.

    UDP sends at its rate. TCP is taken to fill the fastest link of hosts, or between routers where that is slower,
    while any TCP flow is on, as far as UDP leaves it room; a flow that losses or policing slow down sends fewer.
    """
    duration_s = float(scenario.duration_s)
    udp_pkts, udp_bps = 0.0, 0.0
    tcp_intervals_s: list[Interval] = []
    for flow in scenario.flows:
        traffic = flow.traffic
        if isinstance(traffic, UdpTraffic):
            datagram_bytes = traffic.datagram_bytes or _DATAGRAM_BYTES
            pieces = -(-datagram_bytes // _FRAGMENT_DATA_BYTES)
            on_s = _union_s(flow.intervals_s, duration_s)
            udp_pkts += traffic.rate_bps * on_s / 8 / datagram_bytes * pieces
            udp_bps += traffic.rate_bps * on_s / duration_s
        elif isinstance(traffic, TcpTraffic):
            tcp_intervals_s += flow.intervals_s
    tcp_bps = max(_fastest_bps(scenario) - udp_bps, 0.0)
    return udp_pkts + _union_s(tcp_intervals_s, duration_s) * tcp_bps / _SEGMENT_WIRE_BITS


def _fastest_bps(scenario: Scenario) -> float:
    routers = set(scenario.routers)
    between = [float(link.rate_bps) for link in scenario.links if link.ends <= routers]
    of_hosts = [float(link.rate_bps) for link in scenario.links if not link.ends <= routers]
    return min((max(rates) for rates in (between, of_hosts) if rates), default=0.0)


def _union_s(intervals_s: Sequence[Interval], end_s: float) -> float:
    """Time covered by at least one of the intervals, up to `end_s`."""
    covered, reached = 0.0, 0.0
    for start, stop in sorted((min(pair[0], end_s), min(pair[1], end_s)) for pair in intervals_s):
        covered += max(stop - max(start, reached), 0.0)
        reached = max(reached, stop)
    return covered
