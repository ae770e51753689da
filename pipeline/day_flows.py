"""Where the flows of one day are: in which flow files, and in which parts of the lake."""

from datetime import date

from etl.days import day_bounds_ms
from pipeline.context import Context
from settings.model import Router
from sql import ledger
from sql.session import reading


def file_bounds_ms(context: Context, day: date) -> tuple[int, int]:
    """Times of files that can hold flows of a day: records end up to an active timeout after the minute they cover."""
    late_ms = context.settings.ingest.late_s * 1000
    from_ms, to_ms = day_bounds_ms(day)
    return from_ms - late_ms, to_ms + late_ms


def lake_parts(context: Context, router: Router, day: date) -> list[str]:
    """The lake parts, relative to the lake, of files that can hold flows of a router's day."""
    with reading(context.database) as session:
        parts = ledger.parts_between(session, router.name, *file_bounds_ms(context, day))
    return [part.part for part in parts]
