"""Creation of a first settings file from the exporters and ports in the newest files of flow folders."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hntes.etl.sources.flow_folders import flow_folders, sources_in_several
from hntes.etl.sources.registry import discover, installed_sources
from hntes.etl.sources.scan import Scan
from hntes.etl.sources.source import FlowSource
from hntes.etl.sources.survey import NEWEST_FILES, FolderSurvey, survey
from hntes.files import write_changed_text
from hntes.format import counted, listed
from hntes.platforms.registry import installed_platforms
from hntes.sanitize import shown
from hntes.settings.ingest import Ingest
from hntes.settings.names import NAME_PATTERN
from hntes.settings.starter import FoundPort, FoundRouter, starter_settings
from hntes.settings.zones import zone_of_offset
from hntes.workflow.errors import CommandError
from hntes.workflow.inventory.known import Inventory, KnownPort, KnownRouter
from hntes.workflow.stages.add_routers import add_routers, completed_table
from hntes.workflow.stages.folder_words import folder_notes, scan_notes

PORTS_FILE = "ports.csv"
# From the addresses that export to what is known of their routers.
Inventories = Callable[[Sequence[str]], Inventory]


@dataclass(frozen=True)
class InitResult:
    """The settings file that was written, the survey of the folders, and sentences on what needs attention.

    `values_to_type` counts the gaps that are left. `ports` is the table of ports, None if the settings file has them.
    `added` counts the routers, `named_ports` the ports whose name was found in an inventory.
    """

    settings: Path
    surveys: tuple[FolderSurvey, ...]
    notes: tuple[str, ...]
    values_to_type: int
    ports: Path | None
    added: int
    named_ports: int


def init(
    tops: Sequence[Path], settings: Path, *, nfdump: str = "nfdump", overwrite: bool = False, adds: bool = False,
    inventories: Inventories = lambda _: Inventory(),
) -> InitResult:  # fmt: skip
    """Writes a commented settings file from the flow files in or below these folders.

    With `overwrite` the settings are written anew; a table of ports keeps what was filled in.
    With `adds` routers that the file does not have are appended to it, and what is empty in its table of ports is
    filled in; what people have written stays. `inventories` says what is known of the routers of some exporters.

    Raises:
        CommandError: the file exists and is neither to be overwritten nor added to, or no flow file or exporter was
            found.
        SettingsError: a file that is added to is not TOML, or its table of ports cannot be read.
        NfdumpError: nfdump is missing or has an unknown version.
    """
    if settings.exists() and not overwrite and not adds:
        raise CommandError(
            f"{settings} exists and was not changed; --add appends new routers to it, --force overwrites it"
        )
    sources = [source.configured(Ingest(nfdump=nfdump)) for source in installed_sources()]
    scans = [source.discover(top.resolve()) for source in sources for top in tops]
    folders = sorted({found.folder for scan in scans for found in flow_folders(scan)})
    where = ", ".join(map(str, tops))
    if not folders:
        raise CommandError(_nothing_found(where, sources, scans))
    for source in sources:
        source.check()
    surveys = tuple(survey(*discover(folder, sources=sources)) for folder in folders)
    notes = _notes(scans, surveys)
    routers = [router for each in surveys for router in _routers(each)]
    if not routers:
        raise CommandError(f"{where}: no exporter in the newest files{': ' if notes else ''}{'; '.join(notes)}")
    inventory = inventories([router.exporter for router in routers])
    routers = [_with_inventory(router, inventory.router(router.exporter)) for router in routers]
    notes = (*notes, *inventory.problems)
    named = sum(bool(port.name) for router in routers for port in router.ports)
    if adds and settings.exists():
        added = add_routers(settings, routers)
        return InitResult(settings, surveys, notes, added.values_to_type, added.ports, added.routers, named)
    looked_at = f"the newest files of {counted(len(folders), 'flow folder')}, at most {NEWEST_FILES} per source"
    made = starter_settings(routers, looked_at, installed_platforms(), PORTS_FILE, _file_timezone(surveys))
    ports = settings.with_name(PORTS_FILE) if made.rows is not None else None
    if made.rows is not None and ports is not None:
        if ports.exists() and not overwrite:
            raise CommandError(f"{ports} exists and was not changed; --force adds to it and keeps what is filled in")
        write_changed_text(ports, completed_table(ports, made.rows))
    write_changed_text(settings, made.text)
    return InitResult(settings, surveys, notes, made.values_to_type, ports, len(routers), named)


def _with_inventory(router: FoundRouter, known: KnownRouter | None) -> FoundRouter:
    """A router with what an inventory knows of it."""
    if known is None:
        return router
    by_index = known.by_index
    ports = [_with_known_port(port, by_index.get(port.snmp_index or 0)) for port in router.ports]
    if not any(port.name for port in ports):
        ports += [_with_known_port(FoundPort(None, 0, 0), each) for each in known.ports if each.snmp_index is None]
    name = known.name if re.fullmatch(NAME_PATTERN, known.name) else ""
    return replace(router, ports=tuple(ports), name=name, platform=known.platform)


def _with_known_port(port: FoundPort, known: KnownPort | None) -> FoundPort:
    if known is None:
        return port
    return replace(
        port, name=known.name, unit=known.unit or None, rate_bps=known.rate_bps, role=known.role,
        description=shown(known.description)[:200], logical=known.logical,
    )  # fmt: skip


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
        where = listed([str(folder) for folder in folders], most=4)
        notes.append(
            f"exporter {exporter} is in the files of {where}: several collectors receive its flows; "
            "keep the router of one folder and delete the others"
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
            looks_sampled=each.looks_sampled,
            is_timeless=each.is_timeless,
        )
        for each in found.exporters
    ]
