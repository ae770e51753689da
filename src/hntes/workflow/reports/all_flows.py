"""The alpha flows of a day over all routers, each with what the configuration in force did with it."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from threading import Lock
from typing import Generic, TypeVar

from hntes.settings.model import Router
from hntes.sql import changes, host_totals, observations, overrides
from hntes.sql.entries import ExclusionEntry
from hntes.sql.observations import LargeFlow
from hntes.sql.session import Session, reading
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.reports.router_traffic import DrawnFlow, drawn_flows
from hntes.workflow.stages.rules_as_of import base_hash

# The largest of a day; more cannot be told apart in a figure.
MOST_FLOWS = 600
_Result = TypeVar("_Result")
_Largest = tuple[int, dict[str, tuple[LargeFlow, ...]]]


@dataclass(frozen=True)
class RouterFlow:
    """An alpha flow with the router on which it was seen."""

    router: str
    flow: DrawnFlow


@dataclass(frozen=True)
class AllFlows:
    """The believed alpha flows of a day: `alpha_flows` in all, and the largest of them, those with most bytes first."""

    day: date
    alpha_flows: int
    flows: tuple[RouterFlow, ...]


def flows_of_all(context: Context, routers: Sequence[Router], day: date) -> AllFlows:
    """The alpha flows of these routers on a day; one that two routers saw is there twice.

    Raises:
        CandidateStoreError: a configuration in force is missing on disk and in the database.
        CommandError: the day is in the future.
    """
    context.require_come(day)
    names = tuple(each.name for each in routers)
    with reading(context.database) as session:
        count, found = _largest(context, session, names, day)
        approved = changes.all_in_force(session, list(found))
        exclusions = [each for each in overrides.exclusions(session) if each.active_on(day)] if found else []
        bases = {name: base_hash(session, name, day, context.last_day) for name in approved}
    drawn = [
        RouterFlow(router.name, flow)
        for router in routers
        if router.name in found
        for flow in _drawn(context, router, found[router.name], bases.get(router.name), exclusions)
    ]
    return AllFlows(day, count, tuple(sorted(drawn, key=lambda each: -each.flow.flow_bytes)))


def _largest(context: Context, session: Session, names: tuple[str, ...], day: date) -> _Largest:
    """Read anew only where the day was detected anew: forty routers may have four hundred thousand flows."""
    marks = host_totals.day_marks(session, names, day)
    key = (str(context.database.url), day, names, marks, context.settings.detection.model_dump_json())
    return _read.of(key, lambda: observations.largest_of_routers(session, names, day, MOST_FLOWS))


def _drawn(
    context: Context, router: Router, flows: tuple[LargeFlow, ...], base: str | None, every: Sequence[ExclusionEntry]
) -> tuple[DrawnFlow, ...]:
    exclusions = tuple(each for each in every if each.covers(router.name))

    def made() -> tuple[DrawnFlow, ...]:
        return drawn_flows(flows, known_candidate(context, router, base) if base else None, exclusions)

    # a candidate's hash is that of its text: equal keys are equal flows under equal pairs, in whatever installation
    return _matched.of((flows, base, exclusions), made)


@dataclass
class _Known(Generic[_Result]):
    """The last `most` results, by all that they depend on."""

    most: int
    _results: OrderedDict[object, _Result] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def of(self, key: object, made: Callable[[], _Result]) -> _Result:
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        found = made()
        with self._lock:
            self._results[key] = found
            while len(self._results) > self.most:
                self._results.popitem(last=False)
        return found


# To match the pairs of forty routers takes a second of CPU, so each router's is kept by itself.
_matched: _Known[tuple[DrawnFlow, ...]] = _Known(256)
_read: _Known[_Largest] = _Known(8)
