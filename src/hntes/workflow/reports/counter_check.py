"""What the source of interface counters has of each router now."""

from collections.abc import Iterator

from hntes.etl.counters.registry import configured_source
from hntes.etl.counters.source import CounterSourceError
from hntes.etl.days import DAY_MS, day_bounds_ms
from hntes.format import counted, minute
from hntes.workflow.context import Context


def counter_words(context: Context) -> Iterator[tuple[str, str]]:
    """Each router and a sentence on its counters of the last day that may be run; nothing without a source."""
    settings = context.settings.counters
    if settings is None:
        return
    _, to_ms = day_bounds_ms(context.last_day)
    for router in context.settings.routers:
        try:
            found = configured_source(settings).read(router.name, to_ms - 2 * DAY_MS, to_ms)
        except CounterSourceError as problem:
            yield router.name, f"cannot be read: {problem}"
            continue
        if not found:
            yield router.name, f"{settings.source} has none of the last two days"
            continue
        interfaces = counted(len({each.interface for each in found}), "interface")
        yield router.name, f"{interfaces} by {settings.source}, until {minute(max(each.end_ms for each in found))}"
