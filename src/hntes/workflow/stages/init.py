"""Creation of a first settings file from the exporters and ports in the newest files of flow folders."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hntes.etl.sources.registry import installed_sources, source_of
from hntes.etl.sources.survey import NEWEST_FILES, FolderSurvey, flow_folders, survey
from hntes.files import write_changed_text
from hntes.format import counted
from hntes.platforms.registry import installed_platforms
from hntes.settings.model import Ingest
from hntes.settings.starter import FoundPort, FoundRouter, starter_settings
from hntes.workflow.errors import CommandError


@dataclass(frozen=True)
class InitResult:
    """The settings file that was written, and the survey of the folders."""

    settings: Path
    surveys: tuple[FolderSurvey, ...]


def init(tops: Sequence[Path], settings: Path, *, nfdump: str = "nfdump", overwrite: bool = False) -> InitResult:
    """Writes a commented settings file from the flow files in or below these folders.

    Raises:
        CommandError: the file exists and must not be overwritten, or no flow file or exporter was found.
        NfdumpError: nfdump is missing or has an unknown version.
    """
    if settings.exists() and not overwrite:
        raise CommandError(f"{settings} exists and was not changed; --force overwrites it")
    sources = [source.configured(Ingest(nfdump=nfdump)) for source in installed_sources()]
    folders = sorted({folder.resolve() for source in sources for top in tops for folder in flow_folders(source, top)})
    where = ", ".join(map(str, tops))
    if not folders:
        names = " or ".join(f"{source.name} names them ({source.file_names})" for source in sources)
        raise CommandError(f"{where}: no flow file in or below it, named as {names}")
    for source in sources:
        source.check()
    surveys = tuple(survey(source_of(folder, sources=sources), folder) for folder in folders)
    routers = [router for each in surveys for router in _routers(each)]
    if not routers:
        problems = "; ".join(text for each in surveys for text in each.problems)
        raise CommandError(f"{where}: no exporter in the newest files{': ' if problems else ''}{problems}")
    looked_at = f"the newest {NEWEST_FILES} files of {counted(len(folders), 'flow folder')}"
    write_changed_text(settings, starter_settings(routers, looked_at, installed_platforms()))
    return InitResult(settings, surveys)


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
