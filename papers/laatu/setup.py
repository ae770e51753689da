"""The numbers of `setup.toml`: what the paper states, and what it does not say."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from hntes.papers.stated import read_setup
from hntes.simulator.scenario import Averages, Curves, Tcp


@dataclass(frozen=True)
class RatesBps:
    """Of a marker."""

    committed: float
    peak: float


@dataclass(frozen=True)
class BurstPkts:
    """Of a marker, in whole packets."""

    committed: int
    peak: int


@dataclass(frozen=True)
class Assumed:
    """Shares are of the bottleneck, in per cent. `tcp` is of all hosts, `last_flows_tcp` of the last flow's alone."""

    link_delay_us: float
    background_flows: int
    averages: Averages
    assured_buffer_share_pct: float
    best_effort_payload_bytes: int
    assured_share_pct: Mapping[str, float]
    tcp: Tcp
    last_flows_tcp: Tcp


@dataclass(frozen=True)
class Setup:
    """What all runs have. `rates_bps` is of a marker per `flow`, or per `class`."""

    duration_s: float
    link_bps: float
    flows: int
    segment_data_bytes: int
    header_bytes: int
    window_bytes: int
    core_buffer_bytes: int
    average_weight: float
    burst_pkts: BurstPkts
    rates_bps: Mapping[str, RatesBps]
    curves: Curves
    assumed: Assumed

    @property
    def packet_bytes(self) -> int:
        return self.segment_data_bytes + self.header_bytes


@cache
def setup() -> Setup:
    """All numbers."""
    return read_setup(Setup, __file__)
