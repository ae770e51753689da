"""The expected behaviour of a model common to IOS-XR and IOS-XE: equal ranks, and one policer for all pairs."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Literal

from hntes.platforms.cisco.carried import carrier_of, sets_exp
from hntes.platforms.cisco.sequence import sequence_numbers
from hntes.platforms.effective import (
    BEST_EFFORT,
    Action,
    Buffer,
    BufferUnit,
    Ceiling,
    ClassPath,
    DropCurve,
    Policer,
    Program,
    Queue,
    Treatment,
)
from hntes.platforms.expected import curves_of, entry_of, marker_of, path_of
from hntes.rules.qos.model import FilterTerm, ForwardingClass, InterfaceBinding, RouterModel, Scheduler
from hntes.settings.terms import NETWORK_CONTROL

# RFC 2474: the class selectors of routing protocols, CS6 and CS7.
NETWORK_CONTROL_DSCP = (48, 56)


class CiscoBehaviour(ABC):
    """The common behaviour; each platform implements its own `programs` and `queues`."""

    unit: BufferUnit
    strict_ceiling: Ceiling

    def __init__(self, model: RouterModel) -> None:
        self.model = model
        self.carrier = carrier_of(model)
        # Elsewhere a queueing policy matches traffic classes alone, and the router puts its control packets into one.
        self.by_group = self.carrier == "qos-group"

    @abstractmethod
    def programs(self, version: Literal[4, 6]) -> Iterator[Program]:
        """The programs of an edge for that family."""

    @abstractmethod
    def queues(self, port: InterfaceBinding, /) -> tuple[Queue, ...]:
        """The classes of a port's output policy, in its order."""

    def classes(self) -> tuple[ForwardingClass, ...]:
        return ()

    def class_paths(self) -> tuple[ClassPath, ...]:
        return ()

    def schedulers(self) -> list[Scheduler]:
        """The schedulers: by QoS group, highest first, then network control by code points, then the default."""

        def order(each: Scheduler) -> tuple[bool, bool, int]:
            queue = self.model.queue_of(each.forwarding_class)
            return queue == BEST_EFFORT, each.forwarding_class == NETWORK_CONTROL, -queue

        return sorted(self.model.schedulers, key=order)

    def ordered(self, version: Literal[4, 6]) -> list[FilterTerm]:
        """The terms in the order of their sequence numbers (docs/decisions/0003)."""
        terms = self.model.filter_of(version).terms
        numbers = sequence_numbers(term.pair for term in terms)
        return sorted(terms, key=lambda term: numbers[term.pair])

    def classes_program(self, terms: list[FilterTerm], version: Literal[4, 6]) -> Program:
        """The program of classes: one per reservation, and one for all pairs."""
        action = self._action(terms[0]) if terms else Action()
        reserved = [entry_of(term, self._action(term)) for term in self.model.filter_of(version).reserved]
        pairs = [entry_of(term, action) for term in terms]
        # Where the operator's classes stay, other packets keep what they carry.
        final = Action() if self.model.adopted is not None else Action(queue=BEST_EFFORT)
        return Program("classes", (*reserved, *pairs), final, sets_exp=sets_exp(self.model))

    def paths_program(self, terms: list[FilterTerm], version: Literal[4, 6]) -> Program:
        entries = tuple(entry_of(term, Action(path=path_of(self.model, term, version))) for term in terms)
        return Program("paths", entries, Action())

    def _action(self, term: FilterTerm) -> Action:
        queue = self.model.queue_of(term.forwarding_class)
        for two in self.model.policers:
            if two.name == term.policer:
                out = two.out_forwarding_class
                out_queue = None if out is None else self.model.queue_of(out)
                # A policer that sets the class for one colour must set it for all, and nothing else may.
                conform = Treatment() if out is None else Treatment(queue=queue)
                exceed = Treatment(two.out_discard, out_queue, None, two.out_loss_priority)
                policer = Policer(
                    two.rate_bps, two.burst_bytes, None, None, False, conform, exceed, None, "class", True
                )
                return Action("accept", queue if out is None else None, policer=policer)
        return Action("accept", queue, policer=marker_of(self.model, term.policer, "class", Treatment()))

    def queue_of(self, scheduler: Scheduler, buffer: Buffer | None, drops: tuple[DropCurve, ...]) -> Queue:
        number = self.model.queue_of(scheduler.forwarding_class)
        by_dscp = self.by_group and scheduler.forwarding_class == NETWORK_CONTROL and number != BEST_EFFORT
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

    def curves(self, scheduler: Scheduler, limit: int) -> Iterator[DropCurve]:
        """The straight part of each curve, from its last point without drops to the first with all dropped."""
        for curve in curves_of(self.model, scheduler):
            first = max(fill for fill, drop in curve.points if drop == 0)
            last = min(fill for fill, drop in curve.points if drop == 100)
            points = ((limit * first // 100, 0), (limit * last // 100, 100))
            yield DropCurve(curve.loss_priority, self.unit, points)
