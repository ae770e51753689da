"""The expected model of SR OS routers.

All eight classes exist on every router, under their own names. Those without a queue of the plan share that of best
effort; nc and h1, of the router's own packets, share that of network control.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from hntes.platforms.effective import (
    BEST_EFFORT,
    Action,
    Buffer,
    ClassPath,
    EffectiveModel,
    Lsp,
    Path,
    Policer,
    Program,
    Queue,
    Treatment,
)
from hntes.platforms.expected import assembled, entry_of, path_of
from hntes.platforms.sros.classes import CLASSES, CONTROL_CLASSES
from hntes.rules.qos.model import FilterTerm, ForwardingClass, InterfaceBinding, RouterModel, Scheduler
from hntes.settings.terms import NETWORK_CONTROL


def expected(model: RouterModel) -> EffectiveModel:
    """The effective model of a valid model's SR OS text."""
    # An operator's filter embeds that of HNTES, whose entries then are as they are where they are bound.
    bare = tuple(replace(each, operator_filters=()) for each in model.interfaces)
    return assembled(replace(model, interfaces=bare), _Sros(model))


class _Sros:
    def __init__(self, model: RouterModel) -> None:
        self.model = model

    def programs(self, version: Literal[4, 6]) -> Iterator[Program]:
        own = self.model.filter_of(version)
        if own.all_terms:
            entries = tuple(entry_of(term, self._action(term, version)) for term in own.all_terms)
            yield Program("filter", entries, Action(), own.name)

    def _action(self, term: FilterTerm, version: Literal[4, 6]) -> Action:
        queue = self.model.queue_of(term.forwarding_class)
        return Action("accept", queue, CLASSES[queue], None, self._policer(term.policer), self._path(term, version))

    def _path(self, term: FilterTerm, version: Literal[4, 6]) -> Path | None:
        redirect = self.model.redirect
        if redirect is not None and redirect.kind == "lsp":
            return Lsp(redirect.lsp_name) if term.redirect and redirect.lsp_name is not None else None
        return path_of(self.model, term, version)

    def _policer(self, name: str | None) -> Policer | None:
        for each in self.model.policers:
            if each.name == name:
                rates = each.rate_bps, each.burst_bytes, None, None
                return Policer(*rates, False, Treatment(), Treatment(discard=True), None, "term", False, name)
        return None

    def queues(self, _: InterfaceBinding) -> tuple[Queue, ...]:
        served = {self.model.queue_of(each.forwarding_class): each for each in self.model.schedulers}
        control = self.model.queue_for(NETWORK_CONTROL)
        numbers: dict[int, list[int]] = {number: [] for number in served}
        for number in range(len(CLASSES)):
            by_default = control if number in CONTROL_CLASSES and control is not None else BEST_EFFORT
            numbers.setdefault(number if number in served else by_default, []).append(number)
        found = [self._queue(tuple(sorted(numbers[number])), each) for number, each in served.items()]
        return tuple(sorted(found, key=lambda each: each.numbers))

    def _queue(self, numbers: tuple[int, ...], scheduler: Scheduler) -> Queue:
        return Queue(
            numbers=numbers,
            code_points=(),
            forwarding_classes=tuple(sorted(CLASSES[number] for number in numbers)),
            is_default=False,
            share_pct=scheduler.transmit_share_pct,
            ceiling="none",
            priority=scheduler.priority,
            buffer=Buffer(scheduler.buffer_share_pct, "pct"),
            drops=(),
            average_weight=None,
        )

    def classes(self) -> tuple[ForwardingClass, ...]:
        return tuple(ForwardingClass(name, number) for number, name in enumerate(CLASSES))

    def class_paths(self) -> tuple[ClassPath, ...]:
        return ()
