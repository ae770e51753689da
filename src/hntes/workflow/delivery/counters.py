"""Router counters per pair, compared with NetFlow."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hntes import clock
from hntes.delivery.access import opener
from hntes.etl.days import day_of_ms
from hntes.platforms.counters import Counter
from hntes.platforms.registry import platform_of
from hntes.rules.counter_delta import CounterError, Reading, counted_bytes
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import RouterModel
from hntes.settings.model import Router
from hntes.sql import audit, counter_readings
from hntes.sql.counter_readings import CounterReadingEntry
from hntes.sql.deliveries import REMOVAL, REPORTS, standing
from hntes.sql.session import reading, transaction
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.stages.pair_days import alpha_bytes_by_day

# The maximum number of days for which NetFlow is looked up.
_MOST_DAYS = 30


@dataclass(frozen=True)
class CounterReading:
    """One counter. `pair` is None for the counter of all pairs together, per interface.

    `total_bytes` since the router started counting; `counted_bytes` since the last recorded reading at `since_ms`:
    None if there is none, the counter was reset since, or is implausible; `problem` says which. `flow_bytes` are those
    of accepted alpha flows between the pair's hosts on the UTC days of that time, whole days. `has_matched`: whether
    any packet has matched, now or in a recorded reading.
    """

    router: str
    interface: str
    counter: str
    pair: PrefixPair | None
    total_packets: int
    total_bytes: int
    since_ms: int | None
    counted_bytes: int | None
    flow_bytes: int | None
    has_matched: bool
    problem: str = ""


@dataclass(frozen=True)
class CountersRead:
    """One router's counters at one moment. `missing` are pairs of the delivered text without a counter on the router.

    `refused` gives the reasons why implausible counters were not recorded.
    """

    router: str
    read_ms: int
    counters: tuple[CounterReading, ...]
    missing: tuple[PrefixPair, ...]
    refused: tuple[str, ...]

    @property
    def never_matched(self) -> tuple[CounterReading, ...]:
        """Counters of rules that no packet has matched in any reading."""
        return tuple(each for each in self.counters if not each.has_matched)


def read_counters(context: Context, router: Router, *, record: bool) -> CountersRead:
    """Reads a router's counters; with `record` stores the plausible ones.

    Raises:
        CommandError: nothing of HNTES was delivered to the router.
        DeliveryError: it does not answer, or its answer cannot be parsed.
        InvalidEntryError: a reading of this moment or a later one is already stored.
    """
    model = _delivered(context, router)
    pairs = {term.counter: term.pair for each in model.filters for term in each.terms}
    device = opener(router, context.settings.delivery.timeout_s)()
    try:
        found = device.counters(_edges(model))
        read_ms = clock.now_ms()
    finally:
        device.close()
    by_pair = platform_of(router.platform).capabilities.counters == "pair"
    if by_pair:
        found = tuple(each for each in found if each.name in pairs)
    with reading(context.database) as session:
        before = {(each.interface, each.counter): each for each in counter_readings.newest(session, router.name)}
        known = counter_readings.known_counters(session, router.name)
    made = tuple(_counted(model, each, pairs.get(each.name), before, read_ms) for each in found)
    matched = frozenset((each.interface, each.counter) for each in known if each.first_matched_ms is not None)
    counters = tuple(_with_flows(context, router, made, matched, read_ms))
    refused = tuple(f"counter {each.counter} {each.interface}: {each.problem}" for each in made if _is_refused(each))
    if record:
        _record(context, router, [each for each in counters if not _is_refused(each)], read_ms)
    names = {each.name for each in found}
    missing = tuple(pair for name, pair in pairs.items() if name not in names and by_pair)
    return CountersRead(router.name, read_ms, counters, missing, refused)


_RESET, _FIRST = "reset since the last reading: the count is unknown", "no earlier reading"


def _is_refused(each: CounterReading) -> bool:
    return each.problem not in ("", _RESET, _FIRST)


def _delivered(context: Context, router: Router) -> RouterModel:
    """The model of the delivered configuration."""
    with reading(context.database) as session:
        events = audit.events(session, router.name, (*REPORTS, REMOVAL))
    hashes = [each.candidate_hash for each in standing(events, router.name) if each.candidate_hash]
    if not hashes:
        raise CommandError(f"router {router.name}: no delivery of HNTES was reported, so there are no counters")
    return known_candidate(context, router, hashes[-1]).model


def _edges(model: RouterModel) -> list[str]:
    """The edge interfaces by the names that the router uses."""
    return [each.name + (f".{each.unit}" if each.unit else "") for each in model.interfaces if each.is_edge]


def _rate_bps(model: RouterModel, interface: str) -> int:
    """The maximum rate of the counted traffic: that of one edge port, or of all together."""
    ports = {each.name: each.rate_bps for each in model.interfaces if each.is_edge}
    return sum(rate for name, rate in ports.items() if not interface or name == interface.partition(".")[0])


def _counted(
    model: RouterModel, each: Counter, pair: PrefixPair | None,
    known: Mapping[tuple[str, str], CounterReadingEntry], read_ms: int,
) -> CounterReading:  # fmt: skip
    before = known.get((each.interface, each.name))
    since_ms, counted, problem = None, None, _FIRST
    if before is not None:
        since_ms = before.read_ms
        try:
            counted = counted_bytes(
                Reading(before.read_ms, before.bytes), Reading(read_ms, each.bytes), _rate_bps(model, each.interface)
            )
            problem = "" if counted is not None else _RESET
        except CounterError as cause:
            problem = str(cause)
    return CounterReading(
        model.router, each.interface, each.name, pair, each.packets, each.bytes, since_ms, counted, None,
        each.packets > 0, problem,
    )  # fmt: skip


def _with_flows(
    context: Context, router: Router, made: Sequence[CounterReading], matched: frozenset[tuple[str, str]], read_ms: int
) -> Iterator[CounterReading]:
    """The counters with NetFlow bytes and earlier readings."""
    pairs = {each.pair for each in made if each.pair is not None and each.counted_bytes is not None}
    first = min((each.since_ms for each in made if each.since_ms is not None), default=read_ms)
    until = day_of_ms(read_ms)
    days = min((until - day_of_ms(first)).days + 1, _MOST_DAYS)
    flows = alpha_bytes_by_day(context, router, pairs, until, days) if pairs else {}
    for each in made:
        flow_bytes = None
        if each.pair in flows and each.since_ms is not None:
            flow_bytes = sum(flows[each.pair][-((until - day_of_ms(each.since_ms)).days + 1) :])
        has_matched = each.has_matched or (each.interface, each.counter) in matched
        yield CounterReading(**{**vars(each), "flow_bytes": flow_bytes, "has_matched": has_matched})


def _record(context: Context, router: Router, counters: Sequence[CounterReading], read_ms: int) -> None:
    entries = [
        CounterReadingEntry(
            router.name, read_ms, each.interface, each.counter, str(each.pair.source) if each.pair else None,
            str(each.pair.destination) if each.pair else None, each.total_packets, each.total_bytes,
        )
        for each in counters
    ]  # fmt: skip
    with transaction(context.database) as session:
        counter_readings.add(session, entries)
