"""Sentences on a flow folder: what prevents its files from being read, and what to do."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from hntes.etl.sources.scan import Scan
from hntes.etl.sources.survey import FolderSurvey
from hntes.format import counted
from hntes.settings.zones import zone_of_offset

MANY = 5


def scan_notes(scan: Scan) -> list[str]:
    """Why a folder has no flow file, as far as its names say."""
    refused = [f"{one.path}: {one.reason}" for one in scan.refused]
    return [*scan.problems, *refused, *_of_names(scan.ignored, scan.unfinished, has_files=bool(scan.files))]


def folder_notes(found: FolderSurvey, timezone: str = "UTC") -> list[str]:
    """What is wrong with a folder, each with what to do; `timezone` is the one by which its names were read."""
    notes = [f"not read: {problem}" for problem in found.problems[:MANY]]
    if len(found.problems) > MANY:
        notes.append(f"and {len(found.problems) - MANY} more that cannot be read")
    notes += _of_names(found.ignored, found.unfinished, has_files=found.files > 0)
    if found.nameless_records:
        notes.append(
            f"{counted(found.nameless_records, 'record')} of the newest files name no exporter: have the collector "
            "store the exporter's address (nfcapd without -X; nfdump 1.6: -T all), or list no `exporters` for the one "
            "router of this folder"
        )
    if lead := _lead_words(found, timezone):
        notes.append(lead)
    return notes


def _lead_words(found: FolderSurvey, timezone: str) -> str:
    """The names in another time zone than they were read in, with the zone to set."""
    if not found.name_lead_s or found.newest_ms is None:
        return ""
    hours = abs(found.name_lead_s) / 3600
    side = "ahead of" if found.name_lead_s > 0 else "behind"
    newest = datetime.fromtimestamp(found.newest_ms / 1000, ZoneInfo(timezone))
    read_ahead_s = int((newest.utcoffset() or timedelta()).total_seconds())
    zone = zone_of_offset(read_ahead_s + found.name_lead_s, found.newest_ms)
    remedy = f'set `file_timezone = "{zone}"` or the zone of its clocks' if zone else "correct `file_timezone`"
    return (
        f"file names are {hours:g} h {side} the reception of their records, read as {timezone}: {remedy}, or run the "
        "collector with TZ=UTC"
    )


def _of_names(ignored: Sequence[str], unfinished: Sequence[str], *, has_files: bool) -> list[str]:
    notes = []
    if ignored:
        some = ", ".join(ignored[:MANY]) + (", ..." if len(ignored) > MANY else "")
        notes.append(f"{counted(len(ignored), 'name')} that no collector writes: {some}")
    writers = _writers(unfinished)
    for folder, names in writers.items():
        if len(names) > 1:
            notes.append(
                f"{', '.join(names)} in {folder}: several collectors write into one folder and overwrite each other's "
                "files, or some ended unexpectedly; give each its own folder (nfcapd -w), and have nfdump write what "
                "was left behind to a file with a time in its name (nfdump -r ... -w nfcapd.YYYYMMDDhhmm)"
            )
    if unfinished and not has_files:
        notes.append(f"{unfinished[0]} is still being written: try again after the collector's rotation")
    return notes


def _writers(unfinished: Sequence[str]) -> dict[str, list[str]]:
    """Unfinished files by folder."""
    found: dict[str, list[str]] = {}
    for path in unfinished:
        folder, _, name = path.rpartition("/")
        found.setdefault(folder or ".", []).append(name)
    return found
