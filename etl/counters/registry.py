"""The sources of interface counters that are installed: those of the entry point group `hntes.counters`."""

from importlib.metadata import entry_points

from hntes.etl.counters.source import CounterSource, CounterSourceError
from hntes.settings.counters import Counters

GROUP = "hntes.counters"


def installed_counter_sources() -> dict[str, CounterSource]:
    """All of them, by name."""
    return {point.name: point.load() for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)}


def configured_source(settings: Counters) -> CounterSource:
    """The source that the settings name.

    Raises:
        CounterSourceError: it is not installed.
    """
    for point in entry_points(group=GROUP, name=settings.source):
        source: CounterSource = point.load()
        return source.configured(settings)
    known = ", ".join(sorted(point.name for point in entry_points(group=GROUP)))
    raise CounterSourceError(f"counters.source: {settings.source!r} is not installed; installed: {known or 'none'}")
