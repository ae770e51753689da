"""The expected behaviour of a model on Junos.

Exact except for redirection by LSP, which depends on the class: pairs on queue 0 need their own class.
"""

from collections.abc import Iterable, Iterator
from typing import Literal

from hntes.addresses import Network
from hntes.platforms.effective import (
    ANY_CLASS,
    BEST_EFFORT,
    Action,
    Buffer,
    ClassPath,
    EffectiveModel,
    Entry,
    Lsp,
    Policer,
    Program,
    Queue,
    Treatment,
)
from hntes.platforms.expected import assembled, conditional, curves_of, marker_of, path_of
from hntes.rules.qos.model import FilterTerm, ForwardingClass, InterfaceBinding, LossPriority, RouterModel

LSP_CLASS = "alpha-lsp"


def expected(model: RouterModel) -> EffectiveModel:
    """The effective model of a valid model's Junos text."""
    return assembled(model, _Junos(model))


class _Junos:
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
        entries = [*conditional(entries), Entry((), (), Action(), "default")]
        yield Program("filter", tuple(entries), Action("discard"), own.name, self.model.fast_lookup)

    def _action(self, term: FilterTerm, version: Literal[4, 6]) -> Action:
        path = None if self.by_lsp else path_of(self.model, term, version)
        name = self._class(term)
        queue = self.model.queue_of(term.forwarding_class)
        adopted = self.model.adopted
        loss: LossPriority | None = "low" if adopted is not None and adopted.forwarding_class is not None else None
        return Action("accept", queue, name, loss, self._policer(term.policer), path)

    def _policer(self, name: str | None) -> Policer | None:
        for two in self.model.policers:
            if two.name == name:
                out = two.out_forwarding_class
                queue = None if out is None else self.model.queue_of(out)
                exceed = Treatment(two.out_discard, queue, out, two.out_loss_priority)
                return Policer(
                    two.rate_bps, two.burst_bytes, None, None, False, Treatment(), exceed, None, "term", False, name
                )
        return marker_of(self.model, name, "term", Treatment(loss_priority="low"))

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
                drops=tuple(curves_of(self.model, each)),
                average_weight=None,
                ecn=each.ecn,
            )
            for each in self.model.schedulers
        ]
        return tuple(sorted(found, key=lambda each: each.numbers))


def _sorted(networks: Iterable[Network]) -> tuple[Network, ...]:
    return tuple(sorted(networks, key=lambda each: (each.version, int(each.network_address), each.prefixlen)))
