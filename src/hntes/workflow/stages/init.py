"""A first settings file from flow folders: what the newest files in them say of their exporters and ports."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hntes.etl.ingest.flow_file import probe
from hntes.etl.sources.nfcapd.survey import NEWEST_FILES, FolderSurvey, flow_folders, survey
from hntes.files import write_changed_text
from hntes.format import counted
from hntes.platforms.registry import installed_platforms
from hntes.settings.starter import FoundPort, FoundRouter, starter_settings
from hntes.workflow.errors import CommandError


@dataclass(frozen=True)
class Begun:
    """The settings file that was written, and what the folders held."""

    settings: Path
    surveys: tuple[FolderSurvey, ...]


def init(tops: Sequence[Path], settings: Path, *, nfdump: str = "nfdump", overwrite: bool = False) -> Begun:
    """Writes a commented settings file from what lies in or below these folders.

    Raises:
        CommandError: the file exists and is not to be overwritten, or no flow file, or no exporter, was found.
        NfdumpError: nfdump is missing or of an unknown version.
    """
    if settings.exists() and not overwrite:
        raise CommandError(f"{settings} exists and was not changed; --force writes it anew")
    folders = sorted({folder.resolve() for top in tops for folder in flow_folders(top)})
    where = ", ".join(map(str, tops))
    if not folders:
        raise CommandError(
            f"{where}: no file there, or in a folder below, is named as nfcapd names them (nfcapd.2026...)"
        )
    program = probe(nfdump)
    surveys = tuple(survey(program, folder) for folder in folders)
    routers = [router for each in surveys for router in _routers(each)]
    if not routers:
        problems = "; ".join(text for each in surveys for text in each.problems)
        raise CommandError(f"{where}: the newest files name no exporter{': ' if problems else ''}{problems}")
    looked_at = f"the newest {NEWEST_FILES} files of {counted(len(folders), 'flow folder')}"
    write_changed_text(settings, starter_settings(routers, looked_at, installed_platforms()))
    return Begun(settings, surveys)


def _routers(found: FolderSurvey) -> list[FoundRouter]:
    return [
        FoundRouter(
            found.folder,
            each.address,
            each.factor,
            tuple(FoundPort(port.snmp_index, port.left_bytes, port.entered_bytes) for port in each.ports),
            found.rotation_s,
        )
        for each in found.exporters
    ]
