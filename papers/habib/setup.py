"""The numbers of `setup.toml`: what the paper states, and what it does not say."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from hntes.papers.stated import read_setup
from hntes.simulator.scenario import Averages, Curves, LossRecovery


@dataclass(frozen=True)
class Simple:
    """The round trips of both aggregates: of the first, and those of the second."""

    round_trip_ms: float
    round_trips_2_ms: tuple[int, ...]


@dataclass(frozen=True)
class Reading:
    """A reading of the paper's formula."""

    excess_exponent: int
    rto_exponent: int


@dataclass(frozen=True)
class Ends:
    """Where an aggregate comes from and goes to."""

    from_: str
    to: str
    enters: str
    leaves: str
    access_ms: float


@dataclass(frozen=True)
class Domains:
    """Domains in a row, and the aggregates across them."""

    domains: tuple[str, ...]
    domain_link_ms: float
    between_domains_ms: float
    flows: Mapping[str, Ends]


@dataclass(frozen=True)
class Telnet:
    """Sessions of single packets; `packets` is the range of their number."""

    link_bps: float
    sessions: int
    packets: tuple[int, int]


@dataclass(frozen=True)
class WebSessions:
    """Sessions that fetch objects one after another; the client of each aggregate's server."""

    sessions: tuple[int, ...]
    objects: int
    tcp_recovery: LossRecovery
    clients: Mapping[str, str]


@dataclass(frozen=True)
class Ns2Defaults:
    """What takes the place of the same fields of what is assumed."""

    timer_step_ms: float
    min_timeout_ms: float
    initial_rto_ms: float
    initial_window_pkts: int
    times_one_segment: bool
    partial_acks_restart_timer: bool
    buffer_pkts: int


@dataclass(frozen=True)
class Assumed:
    """Of all experiments."""

    duration_s: float
    start_within_s: float
    averages: Averages
    buffer_pkts: int
    estimator_window_s: float
    header_bytes: int
    initial_window_pkts: int
    initial_rto_ms: float
    timer_step_ms: float
    min_rto_ms: float
    min_timeout_ms: float
    times_one_segment: bool
    partial_acks_restart_timer: bool
    delays_acks: bool
    over_provisioned_share: float
    telnet_round_trip_2_ms: float
    telnet_pause_s: float
    telnet_start_within_s: float
    telnet_duration_s: float
    web_mean_object_bytes: float
    web_object_pareto_shape: float
    web_think_s: float
    web_duration_s: float


@dataclass(frozen=True)
class Setup:
    """What all experiments have, and each one's own."""

    link_bps: float
    microflows: int
    packet_bytes: int
    window_pkts: int
    committed_bps: float
    peak_bps: float
    average_weight: float
    small_window_pkts: int
    tcp_recovery: LossRecovery
    curves: Curves
    simple: Simple
    readings: Mapping[str, Reading]
    multi_domain: Domains
    telnet: Telnet
    web: WebSessions
    ns2_defaults: Mapping[str, Ns2Defaults]
    assumed: Assumed


@cache
def setup() -> Setup:
    """All numbers."""
    return read_setup(Setup, __file__)
