"""An experiment's traffic: scaled in time, cut short, with another load beside it, or with some of its flows only."""

from collections.abc import Collection
from dataclasses import replace
from math import ceil

from hntes.simulator.scenario import Flow, PingTraffic, Scenario, Tcp, UdpTraffic

# One IPv4 header per fragment and one UDP header per datagram, besides the payload.
IP_HEADER_BYTES, UDP_HEADER_BYTES = 20, 8
# Of the series, where a scenario does not say otherwise.
INTERVAL_S = 1.0


def shortened(scenario: Scenario, duration_s: float) -> Scenario:
    """The same course in less time: all times of flows and the pauses of pings shrink alike, rates stay."""
    factor = duration_s / scenario.duration_s
    flows = tuple(_scaled(flow, factor) for flow in scenario.flows)
    return replace(scenario, duration_s=duration_s, flows=flows)


def _scaled(flow: Flow, factor: float) -> Flow:
    traffic = flow.traffic
    if isinstance(traffic, PingTraffic):
        traffic = replace(traffic, interval_s=traffic.interval_s * factor)
    intervals_s = tuple((start * factor, end * factor) for start, end in flow.intervals_s)
    return replace(flow, intervals_s=intervals_s, traffic=traffic)


def cut_short(scenario: Scenario, end_s: float) -> Scenario:
    """The same course up to a moment, in whole intervals of its series; flows that would start later are left out."""
    interval_s = scenario.interval_s or INTERVAL_S
    duration_s = min(ceil(end_s / interval_s) * interval_s, float(scenario.duration_s))
    changed = without(scenario, {flow.name for flow in scenario.flows if flow.intervals_s[0][0] >= duration_s})
    return replace(changed, duration_s=duration_s, flows=tuple(_ended(flow, duration_s) for flow in changed.flows))


def _ended(flow: Flow, duration_s: float) -> Flow:
    intervals_s = ((start, min(end, duration_s)) for start, end in flow.intervals_s if start < duration_s)
    return replace(flow, intervals_s=tuple(intervals_s))


def staying(scenario: Scenario) -> Scenario:
    """Each flow that has come stays until the end."""
    flows = (replace(flow, intervals_s=((flow.intervals_s[0][0], scenario.duration_s),)) for flow in scenario.flows)
    return replace(scenario, flows=tuple(flows))


def with_udp_load(scenario: Scenario, ip_bps: float) -> Scenario:
    """UDP flows that send this much together, in bit/s of IP bytes, as flow records count; none at 0."""
    names = scenario.flows_of_kind("udp")
    if ip_bps <= 0:
        return without(scenario, names)
    flows = (_loaded(flow, ip_bps / len(names), scenario.tcp) for flow in scenario.flows)
    return replace(scenario, flows=tuple(flows))


def _loaded(flow: Flow, ip_bps: float, tcp: Tcp) -> Flow:
    if not isinstance(flow.traffic, UdpTraffic):
        return flow
    payload_bytes = datagram_bytes(flow)
    ip_bytes, _ = datagram_size(payload_bytes, tcp)
    return replace(flow, traffic=replace(flow.traffic, rate_bps=ip_bps * payload_bytes / ip_bytes))


def without(scenario: Scenario, names: Collection[str]) -> Scenario:
    """Without the flows of these names."""
    ports = (
        replace(port, classifier=tuple(rule for rule in port.classifier if rule.flow not in names))
        for port in scenario.ports
    )
    flows = tuple(flow for flow in scenario.flows if flow.name not in names)
    return replace(scenario, flows=flows, ports=tuple(ports))


def datagram_size(payload_bytes: int, tcp: Tcp, framing_bytes: int = 38) -> tuple[int, int]:
    """A datagram's IP bytes and bytes of link time, over all of its fragments; hosts have the MTU of full segments.

    Example:
        >>> datagram_size(8192, Tcp(segment_data_bytes=1448, header_bytes=52))
        (8320, 8548)
    """
    mtu = full_segment_bytes(tcp)
    # A fragment's data is a multiple of 8 bytes (RFC 791).
    data_bytes = (mtu - IP_HEADER_BYTES) // 8 * 8
    fragments = -(-(payload_bytes + UDP_HEADER_BYTES) // data_bytes)
    ip_bytes = payload_bytes + UDP_HEADER_BYTES + fragments * IP_HEADER_BYTES
    return ip_bytes, ip_bytes + fragments * framing_bytes


def datagram_bytes(flow: Flow) -> int:
    """Payload of the datagrams of a UDP flow.

    Raises:
        ValueError: It is no UDP flow, or its scenario leaves their size to the engine.
    """
    if not isinstance(flow.traffic, UdpTraffic) or flow.traffic.datagram_bytes is None:
        raise ValueError(f"flow {flow.name} has no size of datagrams")
    return flow.traffic.datagram_bytes


def segment_data_bytes(tcp: Tcp) -> int:
    """Payload of a full segment; raises ValueError if `tcp` leaves its size to the engine."""
    if tcp.segment_data_bytes is None:
        raise ValueError("tcp has no segment_data_bytes")
    return tcp.segment_data_bytes


def full_segment_bytes(tcp: Tcp) -> int:
    """IP bytes of a full segment; raises ValueError if `tcp` leaves its size to the engine."""
    if tcp.header_bytes is None:
        raise ValueError("tcp has no header_bytes")
    return segment_data_bytes(tcp) + tcp.header_bytes
