"""Readiness for a night per router: its flow folder, its newest file, and ports that cannot be measured."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hntes.etl.sources.answer import NOTICE_S
from hntes.settings.model import Router
from hntes.workflow.context import Context
from hntes.workflow.reports.folder_state import FolderState


@dataclass(frozen=True)
class Readiness:
    """The readiness of one router. `problem` says what would make a night fail; empty if nothing would.

    Attributes:
        files: Flow files in the folder.
        newest_ms: When the newest of them began; None without files.
        unmeasured_ports: Core interfaces without an SNMP index: their egress records cannot be identified.
    """

    router: Router
    problem: str
    files: int
    newest_ms: int | None
    unmeasured_ports: tuple[str, ...]


def readiness(
    routers: Sequence[Router], answering: Collection[Path], states: Iterable[FolderState], unread: Mapping[Path, str]
) -> tuple[Readiness, ...]:
    """Readiness per router, by the states of those flow folders that answer; `unread`: why some have none."""
    by_folder = {state.survey.folder: state for state in states}
    found = []
    for router in routers:
        folder = router.flow_folder
        problem = unread.get(folder) or _flaw(folder, folder in answering)
        found.append(_readiness(router, problem, by_folder.get(folder)))
    return tuple(found)


def folder_problems(context: Context) -> tuple[str, ...]:
    """Folders of the settings that are not writable."""
    paths = context.settings.paths
    folders = {"output": paths.output, "simulations": paths.simulations, "lake": paths.lake}
    return tuple(
        f"paths.{name}: {path} is not writable"
        for name, path in folders.items()
        if isinstance(path, Path) and not _is_writable(path)
    )


def _readiness(router: Router, problem: str, state: FolderState | None) -> Readiness:
    unmeasured = tuple(
        port.name for port in router.interfaces if port.role in ("core", "both") and port.snmp_index is None
    )
    if problem or state is None:
        return Readiness(router, problem, 0, None, unmeasured)
    return Readiness(router, "", state.survey.files, state.survey.newest_ms, unmeasured)


def _flaw(folder: Path, is_answering: bool) -> str:
    """What keeps files of a flow folder from being read; one that does not answer must not be touched."""
    if not is_answering:
        return f"flow folder {folder} has not answered for {NOTICE_S:.0f} s; does its file server answer?"
    return "" if os.access(folder, os.R_OK | os.X_OK) else f"flow folder {folder} cannot be read"


def _is_writable(path: Path) -> bool:
    """Whether the folder, or the nearest one above it that exists, can be written to."""
    there = next(folder for folder in (path, *path.parents) if folder.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
