"""Readiness for a night per router: its flow folder, its newest file, and ports that cannot be measured."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hntes.etl.sources.registry import discover
from hntes.settings.ingest import Ingest
from hntes.settings.model import Router
from hntes.workflow.context import Context


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


def readiness(context: Context, routers: Sequence[Router]) -> tuple[Readiness, ...]:
    """Readiness per router; reads only the names of files."""
    return tuple(_readiness(router, context.settings.ingest) for router in routers)


def folder_problems(context: Context) -> tuple[str, ...]:
    """Folders of the settings that are not writable."""
    paths = context.settings.paths
    folders = {"output": paths.output, "simulations": paths.simulations, "lake": paths.lake}
    return tuple(
        f"paths.{name}: {path} is not writable"
        for name, path in folders.items()
        if isinstance(path, Path) and not _is_writable(path)
    )


def _readiness(router: Router, ingest: Ingest) -> Readiness:
    unmeasured = tuple(
        port.name for port in router.interfaces if port.role in ("core", "both") and port.snmp_index is None
    )
    folder = router.flow_folder
    problem = f"flow folder {folder} is missing" if not folder.is_dir() else ""
    problem = problem or ("" if os.access(folder, os.R_OK | os.X_OK) else f"flow folder {folder} cannot be read")
    found = () if problem else discover(folder, ingest.file_timezone, ingest.source_name(folder)).files
    newest_ms = max((file.start_ms for file in found), default=None)
    return Readiness(router, problem, len(found), newest_ms, unmeasured)


def _is_writable(path: Path) -> bool:
    """Whether the folder, or the nearest one above it that exists, can be written to."""
    there = next(folder for folder in (path, *path.parents) if folder.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
