"""The sources of announcements that are installed: those of the entry point group `hntes.announced`."""

from importlib.metadata import entry_points

from hntes.etl.announced.source import AnnouncedSource

GROUP = "hntes.announced"


def installed_sources() -> dict[str, AnnouncedSource]:
    """All of them, by name."""
    return {point.name: point.load() for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)}
