"""The flow sources that are installed: those of the entry point group `hntes.sources`."""

import functools
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path

from hntes.etl.errors import EtlError, UnreadableFileError
from hntes.etl.sources.scan import Scan
from hntes.etl.sources.source import FlowSource

GROUP = "hntes.sources"


class NoSourceError(EtlError):
    """No flow source is installed."""


@functools.cache
def installed_sources() -> tuple[FlowSource, ...]:
    """All of them, by name.

    Raises:
        NoSourceError: there is none.
    """
    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    if not found:
        raise NoSourceError(f"no flow source is installed (entry point group {GROUP}); install hntes again")
    return tuple(point.load() for point in found)


def source_of(folder: Path, timezone: str = "UTC", sources: Sequence[FlowSource] = ()) -> FlowSource:
    """The source of a flow folder: the one that knows a file there, by name and content; else the first.

    A folder is written by one collector. `sources` are all that are installed by default.

    Raises:
        FlowFolderError: the folder does not exist, and there are several sources to choose from.
        NoSourceError: none is installed.
    """
    listed = tuple(sources) or installed_sources()
    if len(listed) == 1:
        return listed[0]
    named = [(source, source.discover(folder, timezone)) for source in listed]
    return next((source for source, scan in named if _knows_one(source, scan)), listed[0])


def _knows_one(source: FlowSource, scan: Scan) -> bool:
    """Whether one of a folder's files is the source's, by its content."""
    for file in scan.files:
        try:
            source.identify(scan.folder / file.path)
        except UnreadableFileError:
            continue
        return True
    return False


def discover(folder: Path, timezone: str = "UTC") -> Scan:
    """The finished flow files under a folder, by its source. Raises as `source_of`."""
    return source_of(folder, timezone).discover(folder, timezone)
