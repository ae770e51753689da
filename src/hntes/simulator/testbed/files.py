"""The files of `scenarios/`: the testbed, its experiments, and the parameters of hosts and routers."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

from hntes.simulator.scenario import (
    Congestion,
    HostOptions,
    Interval,
    Parameters,
    Tcp,
    TrafficKind,
    UdpOptions,
    from_document,
    overlaid,
)

SCENARIOS = Path(__file__).parent / "scenarios"
# Kernels whose TCP hosts can have: that of the testbed, and one of today.
TESTBED_PROFILE = "linux-2.6.33"
PROFILES = (TESTBED_PROFILE, "linux-6")
Sharing = Literal["work_conserving", "strictly_partitioned"]
Table = TypeVar("Table")


@dataclass(frozen=True)
class TestbedLink:
    """A link of the testbed."""

    from_: str
    to: str
    rate_gbps: float
    delay_us: float


@dataclass(frozen=True)
class TestbedPolicer:
    """The policer of alpha packets."""

    rate_gbps: float
    burst_bytes: int
    per_flow: bool


@dataclass(frozen=True)
class Testbed:
    """The network of all experiments; `priority` is that of each class, 0 first."""

    routers: tuple[str, ...]
    hosts: tuple[str, ...]
    links: tuple[TestbedLink, ...]
    policer: TestbedPolicer
    priority: Mapping[str, int]


@dataclass(frozen=True)
class ExperimentFlow:
    """A flow of an experiment; without intervals it is on all the time."""

    from_: str
    to: str
    kind: TrafficKind
    class_: str
    rate_gbps: float = 0.0
    interval_s: float = 1.0
    intervals_s: tuple[Interval, ...] | None = None
    congestion: Congestion = "htcp"


@dataclass(frozen=True)
class FlowChange:
    """Changes to a flow by a configuration or variant; None changes nothing."""

    rate_gbps: float | None = None
    congestion: Congestion | None = None


@dataclass(frozen=True)
class Configuration:
    """The queues of an experiment: `shares` of rate and buffer alike, or `rate` and `buffer`, in per cent by class."""

    shares: Mapping[str, float] | None = None
    rate: Mapping[str, float] | None = None
    buffer: Mapping[str, float] | None = None
    policing: str | None = None
    sharing: Sharing = "work_conserving"
    without: tuple[str, ...] = ()
    flows: Mapping[str, FlowChange] = field(default_factory=dict)

    @property
    def rate_shares(self) -> Mapping[str, float]:
        """Shares of the rate."""
        return self.shares or self.rate or {}

    @property
    def buffer_shares(self) -> Mapping[str, float]:
        """Shares of the buffer."""
        return self.buffer or self.rate_shares


@dataclass(frozen=True)
class Variant:
    """Changes by a variant of the traffic: removed flows, flows, hosts."""

    without: tuple[str, ...] = ()
    flows: Mapping[str, FlowChange] = field(default_factory=dict)
    hosts: Mapping[str, HostOptions] = field(default_factory=dict)


@dataclass(frozen=True)
class ExperimentFile:
    """An experiment: its flows, the port whose queues are configured, configurations and variants."""

    title: str
    duration_s: float
    port: tuple[str, str]
    flows: Mapping[str, ExperimentFlow]
    configurations: Mapping[str, Configuration]
    variants: Mapping[str, Variant] = field(default_factory=dict)


@dataclass(frozen=True)
class _Published:
    """Differences of hosts in the published runs from those of `parameters.toml`."""

    host: HostOptions
    udp: UdpOptions
    tcp: Tcp
    hosts: Mapping[str, HostOptions]
    profiles: Mapping[str, Tcp]


@dataclass(frozen=True)
class _Kernel:
    """The TCP of another kernel."""

    tcp: Tcp


@cache
def load_testbed() -> Testbed:
    """The testbed."""
    return _load(Testbed, "testbed")


@cache
def load_experiment_file(number: int) -> ExperimentFile:
    """The file of an experiment."""
    return _load(ExperimentFile, f"experiment{number}")


@cache
def load_parameters(profile: str = TESTBED_PROFILE) -> Parameters:
    """The parameters of hosts and routers that serve all experiments.

    Args:
        profile: One of `PROFILES`: the kernel whose TCP the hosts have, in place of the testbed's.

    Raises:
        KeyError: There is no such profile.
    """
    if profile not in PROFILES:
        raise KeyError(f"there is no profile {profile!r}; there are: {', '.join(PROFILES)}")
    common = _load(Parameters, "parameters")
    if profile == TESTBED_PROFILE:
        return common
    return Parameters(common.host, common.udp, common.router, _load(_Kernel, profile).tcp)


@cache
def published_parameters() -> Parameters:
    """The parameters of the published runs, whose hosts are not alike: those of all hosts, and `published.toml`.

    Those of single hosts are assumptions (docs/reference/simulator-parameters.md).
    """
    common, published = load_parameters(), _load(_Published, "published")
    return Parameters(
        overlaid(common.host, published.host),
        overlaid(common.udp, published.udp),
        common.router,
        overlaid(common.tcp, published.tcp),
        published.hosts,
        published.profiles,
    )


def _load(table: type[Table], name: str) -> Table:
    return from_document(table, tomllib.loads((SCENARIOS / f"{name}.toml").read_text(encoding="utf-8")), name)
