"""The expected behaviour of a model on IOS-XR."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

from hntes.platforms.cisco.expected import CiscoBehaviour
from hntes.platforms.effective import Action, Buffer, Entry, NextHop, Program, Queue
from hntes.platforms.expected import entry_of, path_of
from hntes.rules.qos.model import InterfaceBinding, RouterModel, Scheduler


class IosXrBehaviour(CiscoBehaviour):
    """Buffers are times at the rate of the class, or bytes where queues are virtual; a next hop is set by ABF."""

    strict_ceiling = "policed"

    def __init__(self, model: RouterModel) -> None:
        super().__init__(model)
        self.unit = "ms" if self.by_group else "bytes"

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

    def queues(self, port: InterfaceBinding, /) -> tuple[Queue, ...]:
        return tuple(self._queue(each, port.rate_bps) for each in self.schedulers())

    def _queue(self, scheduler: Scheduler, rate_bps: int) -> Queue:
        share_ms = Fraction(str(self.model.port_buffer_ms)) * scheduler.buffer_share_pct / 100
        in_bytes = int(rate_bps * share_ms / 8_000)
        in_ms = max(1, round(100 * share_ms / scheduler.transmit_share_pct))
        limit = in_ms if self.by_group else in_bytes
        return self.queue_of(scheduler, Buffer(limit, self.unit), tuple(self.curves(scheduler, limit)))
