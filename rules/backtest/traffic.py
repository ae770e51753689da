"""Past traffic of a router as columns: alpha flows, and beta traffic between the same hosts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hntes.rules.columns import HostPairs, Whole, summable, whole
from hntes.sql.observations import HostFlows


@dataclass(frozen=True)
class AlphaFlows:
    """One row per alpha flow and day. `hosts` are rows of the host pairs; rows of one flow share its number `flow`.

    `bytes` are all that the flow carried that day, `burst_bytes` those in windows above the threshold.
    """

    day: Whole
    hosts: Whole
    flow: Whole
    bytes: Whole
    burst_bytes: Whole

    def __len__(self) -> int:
        return len(self.day)


@dataclass(frozen=True)
class BetaBytes:
    """One row per day and pair of hosts: the bytes of flows between them that were no alpha flows."""

    day: Whole
    hosts: Whole
    bytes: Whole

    def __len__(self) -> int:
        return len(self.day)

    @classmethod
    def none(cls) -> "BetaBytes":
        """No beta traffic."""
        return cls(whole(), whole(), whole())


@dataclass(frozen=True)
class Traffic:
    """The traffic of one router on some days; each alpha flow is there once a day."""

    hosts: HostPairs
    alpha: AlphaFlows
    beta: BetaBytes


def traffic_of(seen: Sequence[HostFlows]) -> Traffic:
    """Traffic of some days as one sum, for rules that are the same on all of them: one row per flow, on no day.

    The first flow between two hosts has the bytes of all flows between them.
    """
    flows = whole([each.flows for each in seen])
    hosts = np.repeat(np.arange(len(seen)), flows)
    carried = np.zeros(len(hosts), dtype=np.int64)
    carried[np.cumsum(flows) - flows] = summable([each.flow_bytes for each in seen])
    nothing = np.zeros(len(hosts), dtype=np.int64)
    alpha = AlphaFlows(nothing, hosts, np.arange(len(hosts)), carried, nothing)
    return Traffic(HostPairs.of([(each.source, each.destination) for each in seen]), alpha, BetaBytes.none())
