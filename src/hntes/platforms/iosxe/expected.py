"""The expected behaviour of a model on IOS-XE."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from hntes.platforms.cisco.expected import CiscoBehaviour
from hntes.platforms.effective import Buffer, DropCurve, Program, Queue
from hntes.rules.qos.model import InterfaceBinding, Scheduler

PACKET_BYTES = 1_500


class IosXeBehaviour(CiscoBehaviour):
    """Buffers and thresholds are packets at the port's rate; every kind of redirect is a route map."""

    unit = "packets"
    strict_ceiling = "policed when congested"

    def programs(self, version: Literal[4, 6]) -> Iterator[Program]:
        terms = self.ordered(version)
        yield self.classes_program(terms, version)
        if self.model.redirect is not None and terms:
            yield self.paths_program(terms, version)

    def queues(self, port: InterfaceBinding, /) -> tuple[Queue, ...]:
        return tuple(self._queue(each, port.rate_bps) for each in self.schedulers())

    def _queue(self, scheduler: Scheduler, rate_bps: int) -> Queue:
        whole_port_bytes = int(rate_bps * self.model.port_buffer_ms // 1_000) // 8
        limit_pkts = max(2, whole_port_bytes * scheduler.buffer_share_pct // 100 // PACKET_BYTES)
        drops = tuple(self._settable(curve) for curve in self.curves(scheduler, limit_pkts))
        if drops and drops[0].loss_priority != "low":
            # Otherwise the platform's default thresholds apply to discard-class 0.
            drops = (DropCurve("low", self.unit, ((limit_pkts - 1, 0), (limit_pkts, 100))), *drops)
        buffer = None if scheduler.priority == "strict-high" else Buffer(limit_pkts, self.unit)
        return replace(self.queue_of(scheduler, buffer, drops), average_weight=1 if drops else None)

    def _settable(self, curve: DropCurve) -> DropCurve:
        """A curve within the limits: IOS-XE refuses a threshold of 0 and a maximum not above the minimum."""
        (low, none), (high, all_) = curve.points
        low = max(1, low)
        return replace(curve, points=((low, none), (max(low + 1, high), all_)))
