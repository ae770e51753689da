"""The flow sources that are installed: those of the entry point group `hntes.sources`."""

import functools
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path

from hntes.etl.errors import EtlError, UnreadableFileError
from hntes.etl.sources.scan import ALWAYS, Scan, Span
from hntes.etl.sources.source import FlowSource

GROUP = "hntes.sources"
# The one that reads a folder whose files none knows: it says best why.
_USUAL = "nfcapd"


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


def source_of(
    folder: Path,
    timezone: str = "UTC",
    sources: Sequence[FlowSource] = (),
    name: str | None = None,
    span: Span = ALWAYS,
) -> FlowSource:
    """The source of a flow folder: the one of that name; without a name the one that knows a file there; else nfcapd.

    A file is known by its name and content. A folder is written by one collector. `sources` are all that are installed
    by default. The files of a span are looked at before all others.

    Raises:
        FlowFolderError: the folder does not exist, and there are several sources to choose from.
        NoSourceError: none is installed, or none of that name.
    """
    listed = tuple(sources) or installed_sources()
    if name is not None:
        return _named(name, folder, listed)
    if len(listed) == 1:
        return listed[0]
    for times in (span,) if span.is_open else (span, ALWAYS):
        for source in listed:
            if _knows_one(source, source.discover(folder, timezone, times)):
                return source
    return next((source for source in listed if source.name == _USUAL), listed[0])


def _named(name: str, folder: Path, listed: Sequence[FlowSource]) -> FlowSource:
    for source in listed:
        if source.name == name:
            return source
    known = ", ".join(source.name for source in listed)
    raise NoSourceError(f"ingest.folders, {folder}: no flow source {name!r} is installed; there are: {known}")


def _knows_one(source: FlowSource, scan: Scan) -> bool:
    """Whether one of a folder's files is the source's, by its content."""
    for file in scan.files:
        try:
            source.identify(scan.folder / file.path)
        except UnreadableFileError:
            continue
        return True
    return False


def discover(folder: Path, timezone: str = "UTC", name: str | None = None) -> Scan:
    """The finished flow files under a folder, by its source. Raises as `source_of`."""
    return source_of(folder, timezone, name=name).discover(folder, timezone)
