"""An experiment's traffic, made shorter, with another load beside it, or with some of its flows only."""

from collections.abc import Mapping
from copy import deepcopy
from math import ceil
from typing import Any

# One IPv4 header per fragment and one UDP header per datagram, besides the payload.
IP_HEADER_BYTES, UDP_HEADER_BYTES = 20, 8
# Of the series, where a scenario does not say otherwise.
INTERVAL_S = 1.0

Scenario = Mapping[str, Any]


def shortened(scenario: Scenario, duration_s: float) -> dict[str, Any]:
    """The same course in less time: all times of flows and the pauses of pings shrink alike, rates stay."""
    changed = deepcopy(dict(scenario))
    factor = duration_s / changed["duration_s"]
    changed["duration_s"] = duration_s
    for flow in changed["flows"]:
        flow["intervals_s"] = [[start * factor, end * factor] for start, end in flow["intervals_s"]]
        if flow["traffic"]["kind"] == "ping":
            flow["traffic"]["interval_s"] *= factor
    return changed


def cut_short(scenario: Scenario, end_s: float) -> dict[str, Any]:
    """The same course up to a moment, in whole intervals of its series; flows that would start later are left out."""
    interval_s = float(scenario.get("interval_s", INTERVAL_S))
    duration_s = min(ceil(end_s / interval_s) * interval_s, float(scenario["duration_s"]))
    changed = without(scenario, {flow["name"] for flow in scenario["flows"] if _starts_s(flow) >= duration_s})
    changed["duration_s"] = duration_s
    for flow in changed["flows"]:
        flow["intervals_s"] = [
            [start, min(end, duration_s)] for start, end in flow["intervals_s"] if start < duration_s
        ]
    return changed


def staying(scenario: Scenario) -> dict[str, Any]:
    """Each flow that has come stays until the end."""
    changed = deepcopy(dict(scenario))
    for flow in changed["flows"]:
        flow["intervals_s"] = [[flow["intervals_s"][0][0], changed["duration_s"]]]
    return changed


def with_udp_load(scenario: Scenario, ip_bps: float) -> dict[str, Any]:
    """UDP flows that send this much together, in bit/s of IP bytes, as flow records count; none at 0."""
    changed = deepcopy(dict(scenario))
    loads = [flow for flow in changed["flows"] if flow["traffic"]["kind"] == "udp"]
    if ip_bps <= 0:
        return without(changed, {flow["name"] for flow in loads})
    for flow in loads:
        datagram_bytes = flow["traffic"]["datagram_bytes"]
        ip_bytes, _ = datagram_size(datagram_bytes, scenario)
        flow["traffic"]["rate_bps"] = ip_bps / len(loads) * datagram_bytes / ip_bytes
    return changed


def without(scenario: Scenario, names: set[str]) -> dict[str, Any]:
    """Without the flows of these names."""
    changed = deepcopy(dict(scenario))
    changed["flows"] = [flow for flow in changed["flows"] if flow["name"] not in names]
    for port in changed["ports"]:
        port["classifier"] = [rule for rule in port["classifier"] if rule.get("flow") not in names]
    return changed


def _starts_s(flow: Mapping[str, Any]) -> float:
    return float(flow["intervals_s"][0][0])


def datagram_size(datagram_bytes: int, scenario: Scenario, framing_bytes: int = 38) -> tuple[int, int]:
    """A datagram's IP bytes and bytes of link time, over all of its fragments.

    Example:
        >>> datagram_size(8192, {"tcp": {"segment_data_bytes": 1448, "header_bytes": 52}})
        (8320, 8548)
    """
    mtu = scenario["tcp"]["segment_data_bytes"] + scenario["tcp"]["header_bytes"]
    # A fragment's data is a multiple of 8 bytes (RFC 791).
    room = (mtu - IP_HEADER_BYTES) // 8 * 8
    fragments = -(-(datagram_bytes + UDP_HEADER_BYTES) // room)
    ip_bytes = datagram_bytes + UDP_HEADER_BYTES + fragments * IP_HEADER_BYTES
    return ip_bytes, ip_bytes + fragments * framing_bytes
