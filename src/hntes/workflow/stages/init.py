"""Creation of a first settings file from the exporters and ports in the newest files of flow folders."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hntes.etl.sources.flow_folders import flow_folders, sources_in_several
from hntes.etl.sources.registry import installed_sources, source_of
from hntes.etl.sources.scan import Scan
from hntes.etl.sources.source import FlowSource
from hntes.etl.sources.survey import NEWEST_FILES, FolderSurvey, survey
from hntes.files import write_changed_text
from hntes.format import counted
from hntes.platforms.registry import installed_platforms
from hntes.settings.ingest import Ingest
from hntes.settings.starter import FoundPort, FoundRouter, starter_settings
from hntes.settings.zones import zone_of_offset
from hntes.workflow.errors import CommandError
from hntes.workflow.stages.folder_words import folder_notes, scan_notes


@dataclass(frozen=True)
class InitResult:
    """The settings file that was written, the survey of the folders, and sentences on what needs attention."""

    settings: Path
    surveys: tuple[FolderSurvey, ...]
    notes: tuple[str, ...]


def init(tops: Sequence[Path], settings: Path, *, nfdump: str = "nfdump", overwrite: bool = False) -> InitResult:
    """Writes a commented settings file from the flow files in or below these folders.

    Raises:
        CommandError: the file exists and must not be overwritten, or no flow file or exporter was found.
        NfdumpError: nfdump is missing or has an unknown version.
    """
    if settings.exists() and not overwrite:
        raise CommandError(f"{settings} exists and was not changed; --force overwrites it")
    sources = [source.configured(Ingest(nfdump=nfdump)) for source in installed_sources()]
    scans = [source.discover(top.resolve()) for source in sources for top in tops]
    folders = sorted({found.folder for scan in scans for found in flow_folders(scan)})
    where = ", ".join(map(str, tops))
    if not folders:
        raise CommandError(_nothing_found(where, sources, scans))
    for source in sources:
        source.check()
    surveys = tuple(survey(source_of(folder, sources=sources), folder) for folder in folders)
    notes = _notes(scans, surveys)
    routers = [router for each in surveys for router in _routers(each)]
    if not routers:
        raise CommandError(f"{where}: no exporter in the newest files{': ' if notes else ''}{'; '.join(notes)}")
    looked_at = f"the newest {NEWEST_FILES} files of {counted(len(folders), 'flow folder')}"
    text = starter_settings(routers, looked_at, installed_platforms(), _file_timezone(surveys))
    write_changed_text(settings, text)
    return InitResult(settings, surveys, notes)


def _nothing_found(where: str, sources: Sequence[FlowSource], scans: Iterable[Scan]) -> str:
    names = " or ".join(f"{source.name} names them ({source.file_names})" for source in sources)
    notes = [note for scan in scans for note in scan_notes(scan)]
    return "; ".join((f"{where}: no flow file in or below it, named as {names}", *dict.fromkeys(notes)))


def _notes(scans: Iterable[Scan], surveys: Sequence[FolderSurvey]) -> tuple[str, ...]:
    """What was not looked into, what is wrong with each folder, and exporters in the files of several."""
    above = [f"{scan.folder}: {problem}" for scan in scans for problem in scan.problems]
    known = {f"{each.folder}: {problem}" for each in surveys for problem in each.problems}
    notes = [note for note in dict.fromkeys(above) if note not in known and not _is_below(note, surveys)]
    for each in surveys:
        notes += [f"{each.folder}: {note}" for note in folder_notes(each)]
    seen = ((exporter.address, each.folder) for each in surveys for exporter in each.exporters)
    for exporter, folders in sources_in_several(seen).items():
        notes.append(
            f"exporter {exporter} is in the files of {' and '.join(map(str, folders))}: several collectors receive its "
            "flows; keep the router of one folder and delete the others"
        )
    return tuple(notes)


def _is_below(note: str, surveys: Iterable[FolderSurvey]) -> bool:
    """Whether the survey of a folder names the same problem, by its path from there."""
    top, _, rest = note.partition(": ")
    return any(f"{top}/{rest}" == f"{each.folder}/{problem}" for each in surveys for problem in each.problems)


def _file_timezone(surveys: Iterable[FolderSurvey]) -> tuple[str, int] | None:
    """The time zone of the file names and by how many seconds it is ahead, if all folders have the same other one."""
    leads = {each.name_lead_s for each in surveys}
    newest_ms = max((each.newest_ms or 0 for each in surveys), default=0)
    (lead_s,) = leads if len(leads) == 1 else (None,)
    zone = zone_of_offset(lead_s, newest_ms) if lead_s else None
    return (zone, lead_s) if zone and lead_s else None


def _routers(found: FolderSurvey) -> list[FoundRouter]:
    return [
        FoundRouter(
            found.folder,
            each.address,
            each.factor,
            tuple(FoundPort(port.snmp_index, port.left_bytes, port.entered_bytes) for port in each.ports),
            found.rotation_s,
            each.unannounced_records,
        )
        for each in found.exporters
    ]
