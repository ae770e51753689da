"""The flow sources that are installed: those of the entry point group `hntes.sources`."""

import functools
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path

from hntes.etl.errors import EtlError, UnreadableFileError
from hntes.etl.sources.listing import listed_once
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


def discover(
    folder: Path,
    timezone: str = "UTC",
    sources: Sequence[FlowSource] = (),
    name: str | None = None,
    span: Span = ALWAYS,
) -> tuple[FlowSource, Scan]:
    """The source of a flow folder, and its finished files of a span of time there.

    The source of that name; without a name the one that knows a file there; else nfcapd. A file is known by its name
    and content. A folder is written by one collector. `sources` are all that are installed by default. The files of the
    span are looked at before all others.

    Raises:
        FlowFolderError: the folder does not exist.
        NoSourceError: none is installed, or none of that name.
    """
    with listed_once():
        source, scan = _chosen(folder, timezone, sources, name, span)
        return source, scan or source.discover(folder, timezone, span)


def _chosen(
    folder: Path, timezone: str, sources: Sequence[FlowSource], name: str | None, span: Span
) -> tuple[FlowSource, Scan | None]:
    """The source, with the files of the span if they were looked at for that."""
    listed = tuple(sources) or installed_sources()
    if name is not None:
        return _named(name, folder, listed), None
    if len(listed) == 1:
        return listed[0], None
    for times in (span,) if span.is_open else (span, ALWAYS):
        for source in listed:
            scan = source.discover(folder, timezone, times)
            if _knows_one(source, scan):
                return source, scan if times == span else None
    return next((source for source in listed if source.name == _USUAL), listed[0]), None


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
