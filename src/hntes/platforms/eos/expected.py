"""The expected model of EOS routers: classes are traffic classes, all queues but that of network control are weighted.

Network control on its own queue of EOS is strict, as it is by default; a strict queue has no share.
"""

from collections.abc import Iterator
from typing import Literal

from hntes.platforms.effective import Action, Buffer, ClassPath, EffectiveModel, Policer, Program, Queue, Treatment
from hntes.platforms.eos.classes import class_name
from hntes.platforms.eos.limits import limit_bytes
from hntes.platforms.eos.render import is_strict
from hntes.platforms.expected import assembled, entry_of, path_of
from hntes.rules.qos.model import FilterTerm, ForwardingClass, InterfaceBinding, RouterModel, Scheduler


def expected(model: RouterModel) -> EffectiveModel:
    """The effective model of a valid model's EOS text."""
    return assembled(model, _Eos(model))


class _Eos:
    def __init__(self, model: RouterModel) -> None:
        self.model = model

    def programs(self, version: Literal[4, 6]) -> Iterator[Program]:
        terms = self.model.filter_of(version).all_terms
        if terms:
            yield Program("filter", tuple(entry_of(each, self._action(each, version)) for each in terms), Action())

    def _action(self, term: FilterTerm, version: Literal[4, 6]) -> Action:
        queue, path = self.model.queue_of(term.forwarding_class), path_of(self.model, term, version)
        return Action("accept", queue, class_name(queue), None, self._policer(term.policer), path)

    def _policer(self, name: str | None) -> Policer | None:
        for each in self.model.policers:
            if each.name == name:
                rates = each.rate_bps, each.burst_bytes, None, None
                return Policer(*rates, False, Treatment(), Treatment(discard=True), None, "term", False, name)
        return None

    def queues(self, port: InterfaceBinding) -> tuple[Queue, ...]:
        found = [self._queue(each, port.rate_bps) for each in self.model.schedulers]
        return tuple(sorted(found, key=lambda each: each.numbers))

    def _queue(self, scheduler: Scheduler, rate_bps: int) -> Queue:
        queue, strict = self.model.queue_of(scheduler.forwarding_class), is_strict(self.model, scheduler)
        return Queue(
            numbers=(queue,),
            code_points=(),
            forwarding_classes=(class_name(queue),),
            is_default=False,
            share_pct=0 if strict else scheduler.transmit_share_pct,
            ceiling="none",
            priority="high" if strict else "low",
            buffer=Buffer(limit_bytes(self.model, scheduler, rate_bps), "bytes"),
            drops=(),
            average_weight=None,
        )

    def classes(self) -> tuple[ForwardingClass, ...]:
        """The classes that have a queue of the text's on some port."""
        if not any(each.is_core for each in self.model.interfaces):
            return ()
        numbers = sorted(self.model.queue_of(each.forwarding_class) for each in self.model.schedulers)
        return tuple(ForwardingClass(class_name(each), each) for each in numbers)

    def class_paths(self) -> tuple[ClassPath, ...]:
        return ()
