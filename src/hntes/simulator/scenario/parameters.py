"""Parameters that hosts, routers and datagrams of many scenarios have in common."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TypeVar

from hntes.simulator.scenario.flow import UdpOptions
from hntes.simulator.scenario.network import HostOptions
from hntes.simulator.scenario.tcp import Tcp

Options = TypeVar("Options", HostOptions, Tcp, UdpOptions)


@dataclass(frozen=True)
class RouterParameters:
    """Common parameters of router ports: buffer, tail drop, weighted fair queueing, WRED."""

    buffer_bytes: int
    reopen_bytes: int
    credit_window_us: float
    wred_step_pct: float


@dataclass(frozen=True)
class Parameters:
    """Parameters of all hosts and routers; `hosts` and `profiles` have what single hosts differ in, by their names."""

    host: HostOptions
    udp: UdpOptions
    router: RouterParameters
    tcp: Tcp
    hosts: Mapping[str, HostOptions] = field(default_factory=dict)
    profiles: Mapping[str, Tcp] = field(default_factory=dict)


def overlaid(base: Options, *others: Options) -> Options:
    """The options of `base`, except those that one of `others` gives; the last one counts."""
    for other in others:
        given = {one.name: value for one in fields(other) if (value := getattr(other, one.name)) is not None}
        base = replace(base, **given)
    return base
