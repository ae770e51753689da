"""The expected model of toy routers: exactly the rendered one."""

from collections.abc import Iterator
from typing import Literal

from hntes.platforms.effective import (
    Action,
    Buffer,
    ClassPath,
    EffectiveModel,
    Policer,
    Program,
    Queue,
    Treatment,
)
from hntes.platforms.expected import assembled, curves_of, entry_of, marker_of, path_of
from hntes.rules.qos.model import FilterTerm, ForwardingClass, InterfaceBinding, RouterModel


def expected(model: RouterModel) -> EffectiveModel:
    """The effective model of a valid model's text."""
    return assembled(model, _Toy(model))


class _Toy:
    def __init__(self, model: RouterModel) -> None:
        self.model = model

    def programs(self, version: Literal[4, 6]) -> Iterator[Program]:
        terms = self.model.filter_of(version).all_terms
        if terms:
            yield Program("filter", tuple(entry_of(term, self._action(term, version)) for term in terms), Action())

    def _action(self, term: FilterTerm, version: Literal[4, 6]) -> Action:
        queue = self.model.queue_of(term.forwarding_class)
        path = path_of(self.model, term, version)
        return Action("accept", queue, term.forwarding_class, None, self._policer(term.policer), path)

    def _policer(self, name: str | None) -> Policer | None:
        for two in self.model.policers:
            if two.name == name:
                out = two.out_forwarding_class
                queue = None if out is None else self.model.queue_of(out)
                over = Treatment(two.out_discard, queue, out, two.out_loss_priority)
                rates = two.rate_bps, two.burst_bytes, None, None
                return Policer(*rates, False, Treatment(), over, None, "term", False, name)
        return marker_of(self.model, name, "term", Treatment(loss_priority="low"))

    def queues(self, _: InterfaceBinding) -> tuple[Queue, ...]:
        return tuple(
            Queue(
                numbers=(self.model.queue_of(each.forwarding_class),),
                code_points=(),
                forwarding_classes=(each.forwarding_class,),
                is_default=False,
                share_pct=each.transmit_share_pct,
                ceiling="none",
                priority=each.priority,
                buffer=Buffer(each.buffer_share_pct, "pct"),
                drops=tuple(curves_of(self.model, each)),
                average_weight=None,
                ecn=each.ecn,
            )
            for each in sorted(self.model.schedulers, key=lambda one: self.model.queue_of(one.forwarding_class))
        )

    def classes(self) -> tuple[ForwardingClass, ...]:
        return tuple(sorted(self.model.forwarding_classes, key=lambda each: (each.queue, each.name)))

    def class_paths(self) -> tuple[ClassPath, ...]:
        return ()
