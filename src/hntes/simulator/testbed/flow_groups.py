"""Groups of like flows in a scenario's file: one table with `count` becomes that many flows.

`web` with `count = 3` is `web-0`, `web-1` and `web-2`. `start_s` is the distribution of their starts. With
`access_delay_us`, that of the delay of the sender's link, each has a host of its own, a copy of `from` with its link.
Rules of classifiers, aggregates of conditioners and windows that name the group mean all of its flows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import ClassVar
from zlib import crc32

import numpy as np

from hntes.simulator.scenario import (
    Conditioner,
    Flow,
    Host,
    Interval,
    Link,
    Port,
    Rule,
    Scenario,
    ScenarioError,
    Tcp,
    Window,
)

_MOST_FLOWS = 20_000


@dataclass(frozen=True)
class Uniform:
    """Uniform between two bounds."""

    kind: ClassVar[str] = "uniform"

    least: float
    most: float

    @property
    def is_sound(self) -> bool:
        """Whether values can be drawn from it."""
        return 0 <= self.least <= self.most

    def draw(self, random: np.random.Generator) -> float:
        """A value."""
        return float(random.uniform(self.least, self.most))


@dataclass(frozen=True)
class Exponential:
    """Exponential."""

    kind: ClassVar[str] = "exponential"

    mean: float

    @property
    def is_sound(self) -> bool:
        """Whether values can be drawn from it."""
        return self.mean > 0

    def draw(self, random: np.random.Generator) -> float:
        """A value."""
        return float(random.exponential(self.mean))


Distribution = Uniform | Exponential


@dataclass(frozen=True, kw_only=True)
class FlowEntry(Flow):
    """A flow of a file, or with `count` a group of flows. Without intervals it is on all the time."""

    intervals_s: tuple[Interval, ...] = ()
    count: int | None = None
    start_s: Distribution | None = None
    access_delay_us: Distribution | None = None


@dataclass(frozen=True, kw_only=True)
class ScenarioFile(Scenario):
    """A scenario as a file describes it."""

    hosts: tuple[Host, ...] = ()
    links: tuple[Link, ...] = ()
    tcp: Tcp = Tcp()  # noqa: RUF009 - frozen
    flows: tuple[FlowEntry, ...] = ()


def expanded(file: ScenarioFile) -> Scenario:
    """The file's scenario with each group as its flows; the seed and the group's name determine random values.

    Raises:
        ScenarioError: A group makes no sense; the message names the key.
    """
    scenario = Scenario(**{one.name: getattr(file, one.name) for one in fields(Scenario)})
    groups: dict[str, Sequence[str]] = {}
    flows: list[Flow] = []
    for number, entry in enumerate(file.flows):
        if entry.count is None:
            flows.append(_flow(entry, entry.intervals_s or ((0, file.duration_s),)))
            continue
        key = f"flows[{number}]"
        members = _members(key, entry, file)
        if entry.access_delay_us is not None:
            members, scenario = _with_hosts(key, entry.access_delay_us, members, scenario)
        groups[entry.name] = [member.name for member in members]
        flows += members
    return _renamed(replace(scenario, flows=tuple(flows)), groups)


def _flow(entry: FlowEntry, intervals_s: tuple[Interval, ...], name: str | None = None) -> Flow:
    return Flow(name or entry.name, entry.from_, entry.to, intervals_s, entry.traffic, entry.one_way_delays)


def _members(key: str, group: FlowEntry, file: ScenarioFile) -> list[Flow]:
    count = group.count or 0
    if not 1 <= count <= _MOST_FLOWS:
        raise ScenarioError(f"{key}.count: {count!r} is no whole number from 1 to {_MOST_FLOWS}")
    names = [f"{group.name}-{number}" for number in range(count)]
    if group.start_s is None:
        return [_flow(group, group.intervals_s or ((0, file.duration_s),), name) for name in names]
    start_s, random = _sound(f"{key}.start_s", group.start_s), _stream(file.seed, group.name, "start")
    return [_flow(group, ((start_s.draw(random), file.duration_s),), name) for name in names]


def _sound(key: str, distribution: Distribution) -> Distribution:
    if not distribution.is_sound:
        raise ScenarioError(f"{key}: {distribution}: bounds must rise from 0 on, a mean must be above 0")
    return distribution


def _stream(seed: int, group: str, purpose: str) -> np.random.Generator:
    """Random numbers of a group; the engine refuses a negative seed."""
    return np.random.default_rng([max(seed, 0), crc32(f"{group}/{purpose}".encode())])


def _with_hosts(
    key: str, delay_us: Distribution, members: Sequence[Flow], scenario: Scenario
) -> tuple[list[Flow], Scenario]:
    """Each flow from a copy of the host `from`, its link with a delay of its own; the scenario with hosts and links."""
    origin = members[0].from_
    hosts = [host for host in scenario.hosts if host.name == origin]
    links = [link for link in scenario.links if origin in link.ends]
    if len(hosts) != 1 or len(links) != 1:
        raise ScenarioError(f"{key}.from: for access_delay_us it must be a host with one link, which {origin!r} is not")
    _sound(f"{key}.access_delay_us", delay_us)
    random = _stream(scenario.seed, members[0].name.rpartition("-")[0], "delay")
    moved = [replace(member, from_=f"{origin}-{member.name}") for member in members]
    copies = [_copied(links[0], origin, member.from_, delay_us.draw(random)) for member in moved]
    scenario = replace(
        scenario,
        hosts=(*scenario.hosts, *(replace(hosts[0], name=member.from_) for member in moved)),
        links=(*scenario.links, *copies),
    )
    return moved, scenario


def _copied(link: Link, origin: str, host: str, delay_us: float) -> Link:
    moved = replace(link, from_=host) if link.from_ == origin else replace(link, to=host)
    return replace(moved, delay_us=delay_us)


def _renamed(scenario: Scenario, groups: Mapping[str, Sequence[str]]) -> Scenario:
    """Every place that names a group names its flows."""
    return replace(
        scenario,
        ports=tuple(_port(port, groups) for port in scenario.ports),
        windows=tuple(_window(window, groups) for window in scenario.windows),
    )


def _port(port: Port, groups: Mapping[str, Sequence[str]]) -> Port:
    rules = tuple(one for rule in port.classifier for one in _rules(rule, groups))
    return replace(port, classifier=rules, conditioners=tuple(_conditioner(one, groups) for one in port.conditioners))


def _rules(rule: Rule, groups: Mapping[str, Sequence[str]]) -> list[Rule]:
    if rule.flow is None or rule.flow not in groups:
        return [rule]
    return [replace(rule, flow=name) for name in groups[rule.flow]]


def _conditioner(conditioner: Conditioner, groups: Mapping[str, Sequence[str]]) -> Conditioner:
    if not isinstance(conditioner.aggregate, tuple):
        return conditioner
    return replace(conditioner, aggregate=tuple(_names(one, groups) for one in conditioner.aggregate))


def _window(window: Window, groups: Mapping[str, Sequence[str]]) -> Window:
    return window if window.flows is None else replace(window, flows=_names(window.flows, groups))


def _names(names: Sequence[str], groups: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    return tuple(member for name in names for member in groups.get(name, [name]))
