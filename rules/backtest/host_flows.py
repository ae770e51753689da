"""Traffic between hosts over some days as one sum, for rules that are the same on all of them."""

from collections.abc import Sequence

import numpy as np

from hntes.rules.backtest.columns import AlphaFlows, BetaBytes, HostPairs, Traffic, octets, whole
from hntes.sql.observations import HostFlows


def traffic_of(seen: Sequence[HostFlows]) -> Traffic:
    """One row per flow, on no particular day; the first of two hosts has the bytes of all flows between them."""
    flows = whole([each.flows for each in seen])
    hosts = np.repeat(np.arange(len(seen)), flows)
    carried = np.zeros(len(hosts), dtype=np.int64)
    carried[np.cumsum(flows) - flows] = octets([each.flow_bytes for each in seen])
    nothing = np.zeros(len(hosts), dtype=np.int64)
    alpha = AlphaFlows(nothing, hosts, np.arange(len(hosts)), carried, nothing)
    return Traffic(HostPairs.of([(each.source, each.destination) for each in seen]), alpha, BetaBytes.none())
