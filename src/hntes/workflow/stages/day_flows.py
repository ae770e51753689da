"""The flow files and lake parts with the flows of one day."""

from collections.abc import Sequence
from datetime import date

from hntes.etl.days import day_bounds_ms
from hntes.etl.lake.store import store_of
from hntes.format import counted
from hntes.settings.model import Router
from hntes.sql import ledger
from hntes.sql.entries import LakePart
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError


def file_bounds_ms(context: Context, day: date) -> tuple[int, int]:
    """The time range of files that can hold flows of a day: records end up to an active timeout after their minute."""
    late_ms = context.settings.ingest.max_record_delay_s * 1000
    from_ms, to_ms = day_bounds_ms(day)
    return from_ms - late_ms, to_ms + late_ms


def rotation_s(context: Context, router: Router) -> int:
    """The rotation interval of the router's collector."""
    return router.rotation_s or context.settings.ingest.rotation_s


def rates_bps(router: Router) -> dict[int, int]:
    """The rates of the router's ports, by SNMP index."""
    return {each.snmp_index: each.rate_bps for each in router.interfaces if each.snmp_index is not None}


def whole_bps(router: Router) -> int:
    """The rate of all ports that the settings name together; the units of a port share its rate."""
    return sum({each.name: each.rate_bps for each in router.interfaces}.values())


def late_note(context: Context, router: Router, longest_record_ms: int) -> str:
    """A note if records of this duration may be in later files than those that are read; else empty."""
    longest_s, max_record_delay_s = longest_record_ms // 1000, context.settings.ingest.max_record_delay_s
    needed_s = longest_s + rotation_s(context, router)
    if not longest_record_ms or needed_s <= max_record_delay_s:
        return ""
    return (
        f"a record of an alpha flow lasts {longest_s} s, so one that started before midnight may be in a file more "
        f"than max_record_delay_s = {max_record_delay_s} s later: raise max_record_delay_s to {needed_s}, "
        f"or shorten the exporter's active timeout"
    )


def lake_parts(context: Context, router: Router, day: date) -> tuple[LakePart, ...]:
    """The lake parts of files of the router's folder that can hold flows of a day.

    Whoever reads them verifies them first (`of_day` of hntes.etl.engines.base).

    Raises:
        CommandError: some are gone; the day's stored results must not be replaced by incomplete ones.
    """
    parts = _parts(context, router, day)
    if lost := _lost(context, parts):
        raise CommandError(
            f"{router.name} {day}: {lost} of the day's {counted(len(parts), 'part')} are no longer in the lake "
            f"({context.lake}): pruned or removed; if the flow files still exist, read them again with "
            f"`hntes stage ingest --day {day} --router {router.name}`"
        )
    return parts


def has_all_parts(context: Context, router: Router, day: date) -> bool:
    """Whether a day has flows and all are still in the lake."""
    parts = _parts(context, router, day)
    return bool(parts) and not _lost(context, parts)


def _parts(context: Context, router: Router, day: date) -> tuple[LakePart, ...]:
    with reading(context.database) as session:
        return ledger.parts_between(session, router.name, *file_bounds_ms(context, day), str(router.flow_folder))


def _lost(context: Context, parts: Sequence[LakePart]) -> int:
    return len(store_of(context.lake).missing([each.part for each in parts]))
