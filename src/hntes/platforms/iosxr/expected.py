"""The expected behaviour of a model on IOS-XR."""

from collections.abc import Iterator
from typing import Literal

from hntes.platforms.cisco.expected import CiscoBehaviour
from hntes.platforms.effective import Action, Buffer, Entry, NextHop, Program, Queue
from hntes.platforms.expected import entry_of, path_of
from hntes.rules.qos.model import InterfaceBinding, Scheduler


class IosXrBehaviour(CiscoBehaviour):
    """Buffers and thresholds are times at the class's own rate; a next hop is set by an access list (ABF)."""

    unit = "ms"
    strict_ceiling = "policed"

    def programs(self, version: Literal[4, 6]) -> Iterator[Program]:
        terms = self.ordered(version)
        paths = [path_of(self.model, term, version) for term in terms]
        if paths and isinstance(paths[0], NextHop):
            entries = [entry_of(term, Action(path=path)) for term, path in zip(terms, paths, strict=True)]
            yield Program("access_list", (*entries, Entry((), (), Action())), Action("discard"))
        yield self.classes_program(terms, version)
        redirect = self.model.redirect
        # The policy is bound to the interface, not to a family: it applies to both if either has pairs.
        if redirect is not None and redirect.kind == "lsp" and any(each.terms for each in self.model.filters):
            yield self.paths_program(terms, version)

    def queues(self, _: InterfaceBinding, /) -> tuple[Queue, ...]:
        return tuple(self._queue(each) for each in self.schedulers())

    def _queue(self, scheduler: Scheduler) -> Queue:
        share_ms = self.model.port_buffer_ms * scheduler.buffer_share_pct
        limit_ms = max(1, round(share_ms / scheduler.transmit_share_pct))
        drops = tuple(self.curves(scheduler, limit_ms))
        return self.queue_of(scheduler, Buffer(limit_ms, self.unit), drops)
