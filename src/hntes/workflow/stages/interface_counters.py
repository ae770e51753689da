"""The judge of a router's day by its interface counters, where the settings name a source of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from hntes.etl.counters.day import day_judge
from hntes.etl.counters.judge import CounterJudge
from hntes.etl.counters.port_octets import Port, port_octets
from hntes.etl.counters.registry import configured_source
from hntes.etl.counters.source import CounterSourceError, IntervalOctets
from hntes.etl.days import DAY_MS, day_bounds_ms, day_of_ms
from hntes.etl.detect.completeness import DayRules, settle_day
from hntes.etl.detect.silence import FORMER_DAYS, MIN_FORMER_DAYS
from hntes.settings.counters import Counters
from hntes.settings.model import Router
from hntes.sql import counter_hours
from hntes.sql.counter_hours import CounterHourEntry, flow_ratio
from hntes.sql.entries import LakePart
from hntes.sql.session import reading
from hntes.workflow.context import Context

# Around the day: windows of flows near midnight, and the polls that bound them.
_AROUND_MS = 2 * 3_600_000


@dataclass(frozen=True)
class JudgedByCounters:
    """The judge, None without counters of the router; and sentences on why there are none."""

    judge: CounterJudge | None = None
    notes: tuple[str, ...] = ()


def judged_by_counters(
    context: Context, router: Router, day: date, parts: Sequence[LakePart], rules: DayRules
) -> JudgedByCounters:
    """Reads the counters of the router's day and the octets of its flow records."""
    settings = context.settings.counters
    if settings is None:
        return JudgedByCounters()
    from_ms, to_ms = day_bounds_ms(day)
    around = (from_ms - _AROUND_MS, to_ms + _AROUND_MS)
    try:
        intervals = configured_source(settings).read(router.name, *around)
    except CounterSourceError as problem:
        return JudgedByCounters(notes=(f"not compared with interface counters: {problem}",))
    if not intervals:
        return JudgedByCounters(notes=("not compared with interface counters: the source has none of this router",))
    return JudgedByCounters(_judge(context, router, day, parts, rules, settings, intervals))


def ratio_note(hours: Iterable[CounterHourEntry]) -> str:
    """The day's flows by its counters, in one sentence; "" without counters."""
    ratio = flow_ratio(hours)
    return "" if ratio is None else f"flow records have {ratio:.1%} of the octets that the interfaces counted"


def _judge(
    context: Context, router: Router, day: date, parts: Sequence[LakePart], rules: DayRules, settings: Counters,
    intervals: Sequence[IntervalOctets],
) -> CounterJudge:  # fmt: skip
    from_ms, to_ms = day_bounds_ms(day)
    flows = context.analytics.of_day(
        port_octets, context.lake, parts, (from_ms - _AROUND_MS, to_ms + _AROUND_MS), settings.framing_bytes,
        sum_exporters=router.sum_exporters, longest_ms=context.settings.ingest.max_record_delay_s * 1000,
    )  # fmt: skip
    first, last = (day_of_ms(from_ms - back * DAY_MS) for back in (FORMER_DAYS, 1))
    with reading(context.database) as session:
        slots_s = settle_day(session, router.name, router.flow_folder, day, rules).known.slots_s
        metered = counter_hours.metered_days(session, router.name, first, last)
    formerly: frozenset[Port] = frozenset(port for port, days in metered.items() if days >= MIN_FORMER_DAYS)
    return day_judge(
        day, intervals, _indexes(router), flows, slots_s, settings.tolerance_pct / 100, formerly_metered=formerly
    )


def _indexes(router: Router) -> dict[str, int]:
    """SNMP indexes by the names that a source may use: of the interface, and of its unit."""
    known = [(each.name, each.unit, each.snmp_index) for each in router.interfaces if each.snmp_index is not None]
    return {f"{name}.{unit}": index for name, unit, index in known} | {name: index for name, _, index in known}
