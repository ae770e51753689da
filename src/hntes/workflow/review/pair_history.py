"""The history of one pair by day: seen, weak, in force, delivered, excluded, pinned; and counters beside flows."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from hntes.etl.days import day_of_ms
from hntes.rules.lifetime.rule import excludes
from hntes.rules.lifetime.why import Explanation
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.json_form import from_json
from hntes.settings.model import Router
from hntes.sql import approved_texts, audit, overrides, pair_history
from hntes.sql.deliveries import REMOVAL, REPORTS, is_reduction
from hntes.sql.entries import AuditEventEntry, ObservationEntry
from hntes.sql.pair_history import ApprovedStep, PairReading
from hntes.sql.session import Session, reading
from hntes.workflow.context import Context


@dataclass(frozen=True)
class Lane:
    """One property of the pair and the days that have it, in order."""

    name: str
    days: tuple[date, ...]


@dataclass(frozen=True)
class CountedSpan:
    """What the router counted for the pair between two readings, beside its believed alpha flows that ended then.

    `counted_bytes` is None if the counter began anew. Smaller flows are counted, too, and are no alpha flows.
    """

    from_ms: int
    until_ms: int
    counted_bytes: int | None
    alpha_bytes: int


@dataclass(frozen=True)
class PairTimeline:
    """The history from `first_day` through `last_day`, in the order of `LANES`."""

    first_day: date
    last_day: date
    lanes: tuple[Lane, ...]
    counted: tuple[CountedSpan, ...]


# In the order in which they are drawn.
LANES = ("seen", "weak evidence", "rule in force", "delivered", "excluded", "pinned")


def timeline_of(context: Context, router: Router, found: Explanation) -> PairTimeline:
    """The history of a pair over the days of its evidence.

    A rule is in force on the days after that of the approved change that has it. It is delivered from the day on which
    that was reported, until another text, or nothing of HNTES, was.
    """
    pair, span = found.pair, (found.evidence_from, found.day)
    ends = (router.name, str(pair.source), str(pair.destination))
    with reading(context.database) as session:
        steps = pair_history.approved_steps(session, *ends)
        readings = pair_history.pair_readings(session, *ends)
        events = audit.events(session, router.name, (*REPORTS, REMOVAL))
        stored = overrides.exclusions(session, router.name)
        left = _texts_left(session, events, pair)
    exclusions = [each for each in stored if each.covers(router.name) and excludes(each, pair)]
    approved = Approved(steps, in_force=found.in_force)
    sure = {flow.day for flow in found.evidence if not flow.borderline and not flow.implausible}
    delivered = deliveries_of(events, approved, left)
    has: dict[str, Callable[[date], bool]] = {
        "seen": lambda day: day in sure,
        "weak evidence": lambda day: day not in sure and any(flow.day == day for flow in found.evidence),
        "rule in force": approved.before,
        "delivered": delivered,
        "excluded": lambda day: any(each.active_on(day) for each in exclusions),
        "pinned": lambda day: any(each.active_on(day) for each in found.pins),
    }
    days = [span[0] + timedelta(days=n) for n in range((span[1] - span[0]).days + 1)]
    lanes = tuple(Lane(name, tuple(day for day in days if has[name](day))) for name in LANES)
    return PairTimeline(*span, lanes, tuple(counted_spans(readings, found.evidence)))


class Approved:
    """Which approved configurations have the pair; before the first change that names it, the opposite of that held."""

    def __init__(self, steps: Sequence[ApprovedStep], *, in_force: bool) -> None:
        self._days = [each.day for each in steps]
        first = next((each.sign for each in steps if each.sign is not None), None)
        state = in_force if first is None else first == "-"
        self._has = []
        for each in steps:
            state = state if each.sign is None else each.sign == "+"
            self._has.append(state)

    def before(self, day: date) -> bool:
        """Whether the configuration in force on a day has it: that approved for the latest earlier day."""
        place = bisect_left(self._days, day)
        return place > 0 and self._has[place - 1]

    def of(self, day: date) -> bool:
        """Whether the approved change of a day has it."""
        place = bisect_left(self._days, day)
        return place < len(self._days) and self._days[place] == day and self._has[place]


def deliveries_of(
    events: Sequence[AuditEventEntry], approved: Approved, left: Mapping[str, bool]
) -> Callable[[date], bool]:  # fmt: skip
    """Whether the router held the pair's rule at the end of a day (UTC), by the reports of deliveries.

    `left`: whether the texts that removals of pairs left have the pair, by hash; one that is unknown ends nothing.
    """
    steps: list[tuple[date, bool]] = []
    for event in events:
        day = day_of_ms(event.time_ms)
        holds = bool(steps) and steps[-1][1]
        if event.kind == REMOVAL:
            holds = False
        elif is_reduction(event):
            holds = left.get(event.candidate_hash or "", holds)
        elif event.day is not None:
            holds = approved.of(event.day)
        steps.append((day, holds))

    def held(day: date) -> bool:
        return next((holds for known, holds in reversed(steps) if known <= day), False)

    return held


def _texts_left(session: Session, events: Sequence[AuditEventEntry], pair: PrefixPair) -> dict[str, bool]:
    """Whether the texts that removals left on the router have the pair, by hash.

    By their models: the note of a removal that another call has finished names no pair.
    """
    found: dict[str, bool] = {}
    for candidate_hash in {each.candidate_hash for each in events if is_reduction(each) and each.candidate_hash}:
        model_json = approved_texts.approved_model_json(session, candidate_hash)
        if model_json is not None:
            terms = (term for each in from_json(model_json).filters for term in each.terms)
            found[candidate_hash] = any(term.pair == pair for term in terms)
    return found


def counted_spans(
    readings: Sequence[PairReading], evidence: Sequence[ObservationEntry]
) -> Iterator[CountedSpan]:  # fmt: skip
    """Consecutive readings of the pair's counter, beside its believed alpha flows that ended between them."""
    believed = [flow for flow in evidence if not flow.implausible]
    for before, after in pairwise(readings):
        carried = sum(flow.flow_bytes for flow in believed if before.read_ms < flow.last_ms <= after.read_ms)
        counted = after.bytes - before.bytes
        yield CountedSpan(before.read_ms, after.read_ms, counted if counted >= 0 else None, carried)
