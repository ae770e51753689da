"""The stage measure: the traffic that left each interface of a router on a day, and what of it was queued."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date

from hntes.etl.measure.interface_load import measure_day
from hntes.rules.backtest.effect import effect
from hntes.rules.backtest.effect_words import Seen
from hntes.rules.backtest.traffic import traffic_of
from hntes.rules.lifetime.rule import Rule
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql import interface_loads, load_profiles, observations, queued_days
from hntes.sql.entries import LakePart, LoadDayEntry
from hntes.sql.load_profiles import LoadProfile
from hntes.sql.queued_days import QueuedDay
from hntes.sql.session import reading, transaction
from hntes.sql.set_aside import SetAsideEntry, replace_pairs, set_aside
from hntes.workflow.context import Context
from hntes.workflow.stage_log import stage
from hntes.workflow.stages.day_flows import lake_parts, rates_bps
from hntes.workflow.stages.far_pairs import far_pairs
from hntes.workflow.stages.rules_as_of import rules_as_of

__all__ = ["LoadDayEntry", "measure"]


def _outcome(measured: LoadDayEntry) -> str:
    return "measured" if measured.minutes else "no_flows"


@stage(_outcome)
def measure(context: Context, router: Router, day: date) -> LoadDayEntry:
    """Measures the traffic that left each interface on that day, and replaces earlier measurements of the day.

    Beta is the traffic of neither the pairs in force nor the pairs learned that day. A pair's first day counts as
    alpha, since the rules that the share is advised for will treat it so. Pairs that take too much ordinary traffic are
    set aside first (far_pairs.py). The load profile of each core port and the day's queued bytes are stored with it;
    these are of the pairs in force, which were approved for an earlier day.
    """
    parts = lake_parts(context, router, day)
    as_of = rules_as_of(context, router, day, with_set_aside=False)
    rules, in_force = as_of.selection.kept, as_of.base.pairs if as_of.base else frozenset[PrefixPair]()
    measured = _measured(context, router, day, parts, rules, in_force, ())
    far = far_pairs(context, router, day, rules, parts)
    if not far:
        return measured
    named = {entry.subject for entry in far}
    left = [rule for rule in rules if str(rule.pair) not in named]
    return _measured(context, router, day, parts, left, in_force, far)


def _measured(
    context: Context, router: Router, day: date, parts: Sequence[LakePart], rules: Sequence[Rule],
    in_force: Collection[PrefixPair], far: Sequence[SetAsideEntry],
) -> LoadDayEntry:  # fmt: skip
    """Measures beside these rules; stores the load with what is drawn of it, and the pairs that are set aside."""
    with reading(context.database) as session:
        minutes = [each.subject.split() for each in set_aside(session, router.name, day, "minute")]
    measured, found, profiles = context.analytics.of_day(
        measure_day, context.lake, parts, router.name, day,
        [(rule.pair.source, rule.pair.destination) for rule in rules],
        in_force=[(pair.source, pair.destination) for pair in in_force],
        rates_bps=rates_bps(router), sum_exporters=router.sum_exporters,
        set_aside=[(int(index), int(minute)) for index, minute in minutes],
    )  # fmt: skip
    queued = _queued(context, router, day, in_force)
    with transaction(context.database) as session:
        interface_loads.replace_load(session, measured, found)
        load_profiles.replace_profiles(session, router.name, day, _of_core_ports(router, profiles))
        queued_days.replace_queued_day(session, queued)
        replace_pairs(session, router.name, day, far)
    return measured


def _of_core_ports(router: Router, profiles: Iterable[LoadProfile]) -> list[LoadProfile]:
    """Records name any number of interfaces; only ports with an alpha queue are drawn."""
    indexes = {each.snmp_index for each in router.interfaces if each.role != "edge"}
    return [each for each in profiles if each.interface_index in indexes]


def _queued(context: Context, router: Router, day: date, in_force: Collection[PrefixPair]) -> QueuedDay:
    with reading(context.database) as session:
        flows = observations.host_flows(session, router.name, day, day)
    found = effect(traffic_of(flows), in_force, (), Seen(1))
    return QueuedDay(router.name, day, len(in_force), found.alpha_bytes, found.queued_bytes_before)
