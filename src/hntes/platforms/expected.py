"""The expected effective model of a vendor-neutral model, the counterpart of parsing its text.

It is computed from the model alone. The approximations of each platform (docs/reference/rendering.md, "What a platform
cannot say exactly") are in its module `expected`; this module is common to all platforms.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from ipaddress import ip_network
from typing import Literal, Protocol

from hntes.platforms.effective import (
    Action,
    ClassPath,
    DropCurve,
    Edge,
    EffectiveModel,
    Entry,
    NextHop,
    Path,
    Policer,
    Port,
    Program,
    Queue,
    Treatment,
    Tunnel,
)
from hntes.platforms.registry import platform_of
from hntes.rules.qos.model import (
    LOSS_PRIORITIES,
    Carrier,
    DropProfile,
    FilterTerm,
    ForwardingClass,
    InterfaceBinding,
    LossPriority,
    RouterModel,
    Scheduler,
)


def effective_of(model: RouterModel) -> EffectiveModel:
    """The effective model that a valid model's text must have."""
    return platform_of(model.platform).expected(model)


class Behaviour(Protocol):
    """The parts of a model's effective model on one platform."""

    def programs(self, version: Literal[4, 6]) -> Iterable[Program]:
        """The programs of an edge for that family."""

    def queues(self, port: InterfaceBinding, /) -> tuple[Queue, ...]:
        """The queues of a core port, in the platform's order."""

    def classes(self) -> tuple[ForwardingClass, ...]: ...

    def class_paths(self) -> tuple[ClassPath, ...]: ...


def assembled(model: RouterModel, behaviour: Behaviour, carrier: Carrier = "qos-group") -> EffectiveModel:
    """The effective model of all interfaces of a model; `carrier` brings packets into its queues."""
    interfaces = sorted(model.interfaces, key=lambda each: (each.name, each.unit))
    edges = tuple(
        Edge(each.name, each.unit, version, tuple(_of_edge(behaviour.programs(version), each, version)))
        for each in interfaces
        if each.is_edge
        for version in each.ip_versions
    )
    ports = {each.name: _port(each, behaviour.queues(each), carrier) for each in interfaces if each.is_core}
    return EffectiveModel(
        model.platform,
        edges,
        tuple(ports[name] for name in sorted(ports)),
        behaviour.classes(),
        behaviour.class_paths(),
        (),
    )


def _port(port: InterfaceBinding, queues: tuple[Queue, ...], carrier: Carrier) -> Port:
    return Port(port.name, port.rate_bps, queues, carrier if queues else "qos-group")


def _of_edge(programs: Iterable[Program], edge: InterfaceBinding, version: Literal[4, 6]) -> Iterator[Program]:
    """Adapts entries in front of an operator's filter: each continues, and the last matches no real packet."""
    ones = ip_network(2 ** (32 if version == 4 else 128) - 1)
    for each in programs:
        if edge.operator_filter(version) is None:
            yield each
        else:
            entries = (replace(one, action=replace(one.action, disposition="next")) for one in each.entries[:-1])
            yield replace(each, entries=(*entries, Entry((ones,), (ones,), Action())), final=Action())


def entry_of(term: FilterTerm, action: Action) -> Entry:
    """The entry of a term."""
    return conditional([Entry((term.source,), (term.destination,), action, term.name)])[0]


def conditional(entries: list[Entry]) -> list[Entry]:
    """Removes prefixes of length 0, which are no condition."""
    return [
        Entry(
            tuple(one for one in each.sources if one.prefixlen),
            tuple(one for one in each.destinations if one.prefixlen),
            each.action,
            each.label,
        )
        for each in entries
    ]


def path_of(model: RouterModel, term: FilterTerm, version: Literal[4, 6]) -> Path | None:
    """The next hop or tunnel that a term's packets are redirected to."""
    redirect = model.redirect
    if redirect is None or not term.redirect:
        return None
    if redirect.kind == "lsp":
        return None if redirect.tunnel is None else Tunnel(redirect.tunnel)
    hop, fallback = {4: (redirect.ipv4, redirect.fallback_ipv4), 6: (redirect.ipv6, redirect.fallback_ipv6)}[version]
    return None if hop is None else NextHop(hop, resolves=True, fallback=fallback)


def marker_of(
    model: RouterModel, name: str | None, scope: Literal["term", "class"], conform: Treatment
) -> Policer | None:
    """The marker of that name; None if the model has none."""
    for each in model.three_color_policers:
        if each.name == name:
            red = Treatment(discard=True) if each.discard_red else Treatment(loss_priority="high")
            return Policer(
                each.committed_rate_bps,
                each.committed_burst_bytes,
                each.peak_rate_bps,
                each.excess_burst_bytes,
                False,
                conform,
                Treatment(loss_priority="medium-high"),
                red,
                scope,
                scope == "class",
                each.name,
            )
    return None


def curves_of(model: RouterModel, scheduler: Scheduler) -> Iterator[DropCurve]:
    """The drop curves of a scheduler's queue in per cent of its buffer, by loss priority."""
    profiles: dict[str, DropProfile] = {each.name: each for each in model.drop_profiles}
    bound: dict[LossPriority, str] = {each.loss_priority: each.drop_profile for each in scheduler.drops}
    for loss in LOSS_PRIORITIES:
        if loss in bound:
            points = tuple((point.fill_pct, point.drop_pct) for point in profiles[bound[loss]].points)
            yield DropCurve(loss, "pct", points)
