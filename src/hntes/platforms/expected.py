"""What a vendor-neutral model ought to do on its platform: the other side of the read-back.

It is computed from the model alone, with the approximations of docs/reference/rendering.md, "What a platform cannot
say exactly"; `_Junos`, `_IosXr` and `_IosXe` are the only places where they stand.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from ipaddress import ip_network
from typing import Literal

from hntes.addresses import Network
from hntes.platforms.cisco.sequence import sequence_numbers
from hntes.platforms.effective import (
    ANY_CLASS,
    BEST_EFFORT,
    Action,
    Buffer,
    BufferUnit,
    Ceiling,
    ClassPath,
    DropCurve,
    Edge,
    EffectiveModel,
    Entry,
    Lsp,
    NextHop,
    Path,
    Policer,
    Port,
    Program,
    Queue,
    Treatment,
    Tunnel,
)
from hntes.rules.qos.model import (
    LOSS_PRIORITIES,
    DropProfile,
    FilterTerm,
    ForwardingClass,
    InterfaceBinding,
    LossPriority,
    RouterModel,
    Scheduler,
)
from hntes.settings.terms import NETWORK_CONTROL, Platform

LSP_CLASS = "alpha-lsp"
# RFC 2474: the class selectors of routing protocols, CS6 and CS7.
NETWORK_CONTROL_DSCP = (48, 56)
PACKET_BYTES = 1_500


def effective_of(model: RouterModel) -> EffectiveModel:
    """The effective model of a valid model's text, if the text says what the model does."""
    expected = _PLATFORMS[model.platform](model)
    interfaces = sorted(model.interfaces, key=lambda each: (each.name, each.unit))
    edges = tuple(
        Edge(each.name, each.unit, version, tuple(_of_edge(expected.programs(version), each, version)))
        for each in interfaces
        if each.is_edge
        for version in each.ip_versions
    )
    ports = {each.name: Port(each.name, each.rate_bps, expected.queues(each)) for each in interfaces if each.is_core}
    return EffectiveModel(
        model.platform,
        edges,
        tuple(ports[name] for name in sorted(ports)),
        expected.classes(),
        expected.class_paths(),
        (),
    )


def _of_edge(programs: Iterable[Program], edge: InterfaceBinding, version: Literal[4, 6]) -> Iterator[Program]:
    """Before a filter of the operator's each entry goes on, and the last takes nothing that is on a wire."""
    ones = ip_network(2 ** (32 if version == 4 else 128) - 1)
    for each in programs:
        if edge.operator_filter(version) is None:
            yield each
        else:
            entries = (replace(one, action=replace(one.action, disposition="next")) for one in each.entries[:-1])
            yield replace(each, entries=(*entries, Entry((ones,), (ones,), Action())), final=Action())


class _Junos:
    """Exact, but for redirection by LSP, which goes by class: pairs on queue 0 need a class of their own."""

    def __init__(self, model: RouterModel) -> None:
        self.model = model
        self.by_lsp = model.redirect is not None and model.redirect.kind == "lsp"

    def _class(self, term: FilterTerm) -> str:
        if self.by_lsp and term.redirect and self.model.queue_of(term.forwarding_class) == BEST_EFFORT:
            return LSP_CLASS
        return term.forwarding_class

    def programs(self, version: Literal[4, 6]) -> Iterator[Program]:
        own = self.model.filter_of(version)
        if not own.all_terms:
            return
        entries = [
            Entry((term.source,), (term.destination,), self._action(term, version), term.name) for term in own.all_terms
        ]
        entries = [*_whole(entries), Entry((), (), Action(), "default")]
        yield Program("filter", tuple(entries), Action("discard"), own.name, self.model.fast_lookup)

    def _action(self, term: FilterTerm, version: Literal[4, 6]) -> Action:
        path = None if self.by_lsp else _path(self.model, term, version)
        name = self._class(term)
        queue = self.model.queue_of(term.forwarding_class)
        return Action("accept", queue, name, None, self._policer(term.policer), path)

    def _policer(self, name: str | None) -> Policer | None:
        for two in self.model.policers:
            if two.name == name:
                out = two.out_forwarding_class
                queue = None if out is None else self.model.queue_of(out)
                exceed = Treatment(two.out_discard, queue, out, two.out_loss_priority)
                return Policer(
                    two.rate_bps, two.burst_bytes, None, None, False, Treatment(), exceed, None, "term", False, name
                )
        return _three_color(self.model, name, "term", Treatment(loss_priority="low"))

    def classes(self) -> tuple[ForwardingClass, ...]:
        return tuple(
            ForwardingClass(name, queue)
            for queue, name in sorted((queue, name) for name, queue in self._queue_numbers().items())
        )

    def _queue_numbers(self) -> dict[str, int]:
        found = {each.name: each.queue for each in self.model.forwarding_classes}
        if any(self._class(term) == LSP_CLASS for each in self.model.filters for term in each.terms):
            found[LSP_CLASS] = BEST_EFFORT
        return found

    def class_paths(self) -> tuple[ClassPath, ...]:
        if not self.by_lsp or self.model.redirect is None or self.model.redirect.lsp_name is None:
            return ()
        lsp = Lsp(self.model.redirect.lsp_name)
        policers = {each.name: each.out_forwarding_class for each in self.model.policers}
        by_lsp: set[str] = set()
        for term in (term for each in self.model.filters for term in each.terms if term.redirect):
            by_lsp.add(self._class(term))
            by_lsp.add(policers.get(term.policer or "") or self._class(term))
        names = sorted([*self._queue_numbers(), ANY_CLASS])
        routes = _sorted(self.model.redirect.routes)
        return tuple(ClassPath(name, lsp if name in by_lsp else None, name in by_lsp, routes) for name in names)

    def queues(self, _: InterfaceBinding) -> tuple[Queue, ...]:
        numbers = self._queue_numbers()
        found = [
            Queue(
                numbers=(number := self.model.queue_of(each.forwarding_class),),
                code_points=(),
                forwarding_classes=tuple(sorted(name for name, queue in numbers.items() if queue == number)),
                is_default=False,
                share_pct=each.transmit_share_pct,
                ceiling="none",
                priority=each.priority,
                buffer=Buffer(each.buffer_share_pct, "pct"),
                drops=tuple(_curve(self.model, each)),
                average_weight=None,
                ecn=each.ecn,
            )
            for each in self.model.schedulers
        ]
        return tuple(sorted(found, key=lambda each: each.numbers))


class _Cisco(ABC):
    """Approximations of both platforms: ranks are equal, and all pairs share one policer."""

    unit: BufferUnit
    strict_ceiling: Ceiling

    def __init__(self, model: RouterModel) -> None:
        self.model = model

    @abstractmethod
    def programs(self, version: Literal[4, 6]) -> Iterator[Program]:
        """What an edge does with a packet of that family."""

    @abstractmethod
    def queues(self, port: InterfaceBinding, /) -> tuple[Queue, ...]:
        """The classes of a port's output policy, in its order."""

    def classes(self) -> tuple[ForwardingClass, ...]:
        return ()

    def class_paths(self) -> tuple[ClassPath, ...]:
        return ()

    def _schedulers(self) -> list[Scheduler]:
        """Those of QoS groups first, the highest one first, then network control by code points, then the default."""

        def order(each: Scheduler) -> tuple[bool, bool, int]:
            queue = self.model.queue_of(each.forwarding_class)
            return queue == BEST_EFFORT, each.forwarding_class == NETWORK_CONTROL, -queue

        return sorted(self.model.schedulers, key=order)

    def _ordered(self, version: Literal[4, 6]) -> list[FilterTerm]:
        """The terms in the order of their sequence numbers (docs/decisions/0003)."""
        terms = self.model.filter_of(version).terms
        numbers = sequence_numbers(term.pair for term in terms)
        return sorted(terms, key=lambda term: numbers[term.pair])

    def _classes_program(self, terms: list[FilterTerm], version: Literal[4, 6]) -> Program:
        """A class for each reservation, and one for all pairs."""
        action = self._action(terms[0]) if terms else Action()
        reserved = [_entry(term, self._action(term)) for term in self.model.filter_of(version).reserved]
        pairs = [_entry(term, action) for term in terms]
        return Program("classes", (*reserved, *pairs), Action(queue=BEST_EFFORT))

    def _paths_program(self, terms: list[FilterTerm], version: Literal[4, 6]) -> Program:
        entries = tuple(_entry(term, Action(path=_path(self.model, term, version))) for term in terms)
        return Program("paths", entries, Action())

    def _action(self, term: FilterTerm) -> Action:
        queue = self.model.queue_of(term.forwarding_class)
        for two in self.model.policers:
            if two.name == term.policer:
                out = two.out_forwarding_class
                out_queue = None if out is None else self.model.queue_of(out)
                # A policer that marks the class on one side must mark it on both, and nothing else may.
                conform = Treatment() if out is None else Treatment(queue=queue)
                exceed = Treatment(two.out_discard, out_queue, None, two.out_loss_priority)
                policer = Policer(
                    two.rate_bps, two.burst_bytes, None, None, False, conform, exceed, None, "class", True
                )
                return Action("accept", queue if out is None else None, policer=policer)
        return Action("accept", queue, policer=_three_color(self.model, term.policer, "class", Treatment()))

    def _queue_of(self, scheduler: Scheduler, buffer: Buffer | None, drops: tuple[DropCurve, ...]) -> Queue:
        number = self.model.queue_of(scheduler.forwarding_class)
        by_dscp = scheduler.forwarding_class == NETWORK_CONTROL and number != BEST_EFFORT
        is_strict = scheduler.priority == "strict-high"
        return Queue(
            numbers=() if by_dscp else (number,),
            code_points=NETWORK_CONTROL_DSCP if by_dscp else (),
            forwarding_classes=(),
            is_default=number == BEST_EFFORT,
            share_pct=scheduler.transmit_share_pct,
            ceiling=self.strict_ceiling if is_strict else "none",
            priority="strict-high" if is_strict else None,
            buffer=buffer,
            drops=drops,
            average_weight=None,
            ecn=scheduler.ecn,
        )

    def _curves(self, scheduler: Scheduler, limit: int) -> Iterator[DropCurve]:
        """The straight part of each curve, from its last point without drops to the first where all is dropped."""
        for curve in _curve(self.model, scheduler):
            first = max(fill for fill, drop in curve.points if drop == 0)
            last = min(fill for fill, drop in curve.points if drop == 100)
            points = ((limit * first // 100, 0), (limit * last // 100, 100))
            yield DropCurve(curve.loss_priority, self.unit, points)


class _IosXr(_Cisco):
    """Buffers and thresholds are times at the class's own rate; a next hop is taken by an access list (ABF)."""

    unit = "ms"
    strict_ceiling = "policed"

    def programs(self, version: Literal[4, 6]) -> Iterator[Program]:
        terms = self._ordered(version)
        paths = [_path(self.model, term, version) for term in terms]
        if paths and isinstance(paths[0], NextHop):
            entries = [_entry(term, Action(path=path)) for term, path in zip(terms, paths, strict=True)]
            yield Program("access_list", (*entries, Entry((), (), Action())), Action("discard"))
        yield self._classes_program(terms, version)
        redirect = self.model.redirect
        # The policy is bound to the interface, not to a family: it stands there for both if either has pairs.
        if redirect is not None and redirect.kind == "lsp" and any(each.terms for each in self.model.filters):
            yield self._paths_program(terms, version)

    def queues(self, _: InterfaceBinding, /) -> tuple[Queue, ...]:
        return tuple(self._queue(each) for each in self._schedulers())

    def _queue(self, scheduler: Scheduler) -> Queue:
        share_ms = self.model.port_buffer_ms * scheduler.buffer_share_pct
        limit_ms = max(1, round(share_ms / scheduler.transmit_share_pct))
        drops = tuple(self._curves(scheduler, limit_ms))
        return self._queue_of(scheduler, Buffer(limit_ms, self.unit), drops)


class _IosXe(_Cisco):
    """Buffers and thresholds are packets at the port's rate; a redirect is a route map, whatever its kind."""

    unit = "packets"
    strict_ceiling = "policed when congested"

    def programs(self, version: Literal[4, 6]) -> Iterator[Program]:
        terms = self._ordered(version)
        yield self._classes_program(terms, version)
        if self.model.redirect is not None and terms:
            yield self._paths_program(terms, version)

    def queues(self, port: InterfaceBinding, /) -> tuple[Queue, ...]:
        return tuple(self._queue(each, port.rate_bps) for each in self._schedulers())

    def _queue(self, scheduler: Scheduler, rate_bps: int) -> Queue:
        whole_port_bytes = rate_bps * self.model.port_buffer_ms // 1_000 // 8
        limit_pkts = max(2, whole_port_bytes * scheduler.buffer_share_pct // 100 // PACKET_BYTES)
        drops = tuple(self._settable(curve) for curve in self._curves(scheduler, limit_pkts))
        if drops and drops[0].loss_priority != "low":
            # Packets of discard-class 0 would otherwise meet the platform's own thresholds.
            drops = (DropCurve("low", self.unit, ((limit_pkts - 1, 0), (limit_pkts, 100))), *drops)
        buffer = None if scheduler.priority == "strict-high" else Buffer(limit_pkts, self.unit)
        return replace(self._queue_of(scheduler, buffer, drops), average_weight=1 if drops else None)

    def _settable(self, curve: DropCurve) -> DropCurve:
        """A threshold of 0 is refused there, and so is a maximum that is not above the minimum."""
        (low, none), (high, all_) = curve.points
        low = max(1, low)
        return replace(curve, points=((low, none), (max(low + 1, high), all_)))


def _entry(term: FilterTerm, action: Action) -> Entry:
    return _whole([Entry((term.source,), (term.destination,), action, term.name)])[0]


def _whole(entries: list[Entry]) -> list[Entry]:
    """A prefix of length 0 is not a condition."""
    return [
        Entry(
            tuple(one for one in each.sources if one.prefixlen),
            tuple(one for one in each.destinations if one.prefixlen),
            each.action,
            each.label,
        )
        for each in entries
    ]


def _path(model: RouterModel, term: FilterTerm, version: Literal[4, 6]) -> Path | None:
    redirect = model.redirect
    if redirect is None or not term.redirect:
        return None
    if redirect.kind == "lsp":
        return None if redirect.tunnel is None else Tunnel(redirect.tunnel)
    hop, fallback = {4: (redirect.ipv4, redirect.fallback_ipv4), 6: (redirect.ipv6, redirect.fallback_ipv6)}[version]
    return None if hop is None else NextHop(hop, resolves=True, fallback=fallback)


def _sorted(networks: Iterable[Network]) -> tuple[Network, ...]:
    return tuple(sorted(networks, key=lambda each: (each.version, int(each.network_address), each.prefixlen)))


def _three_color(
    model: RouterModel, name: str | None, scope: Literal["term", "class"], conform: Treatment
) -> Policer | None:
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


def _curve(model: RouterModel, scheduler: Scheduler) -> Iterator[DropCurve]:
    profiles: dict[str, DropProfile] = {each.name: each for each in model.drop_profiles}
    bound: dict[LossPriority, str] = {each.loss_priority: each.drop_profile for each in scheduler.drops}
    for loss in LOSS_PRIORITIES:
        if loss in bound:
            points = tuple((point.fill_pct, point.drop_pct) for point in profiles[bound[loss]].points)
            yield DropCurve(loss, "pct", points)


_PLATFORMS: dict[Platform, Callable[[RouterModel], _Junos | _Cisco]] = {
    "junos": _Junos,
    "iosxr": _IosXr,
    "iosxe": _IosXe,
}
