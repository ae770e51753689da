"""Exporters at a collector, and whether the settings accept their records."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hntes.settings.model import Router
from hntes.sql import ledger
from hntes.sql.session import reading
from hntes.workflow.context import Context


@dataclass(frozen=True)
class FolderExporters:
    """The exporters of one flow folder.

    open_routers: routers that list no exporters and so accept any; heard: exporters whose records they have; strangers:
    exporters that no router lists, with the number of their rejected records.
    """

    folder: Path
    open_routers: tuple[str, ...]
    heard: tuple[str, ...]
    strangers: tuple[tuple[str, int], ...]


def senders(context: Context, routers: Sequence[Router]) -> tuple[FolderExporters, ...]:
    """The exporters of each flow folder of these routers, from the whole ledger."""
    found = []
    with reading(context.database) as session:
        for folder in context.folders(list(routers)):
            here = [router for router in context.settings.routers if router.flow_folder == folder]
            listed = {str(exporter) for router in here for exporter in router.exporters}
            heard = {seen.exporter for seen in ledger.factors_of_folder(session, str(folder))} - listed
            unclaimed = ledger.unclaimed_exporters(session, str(folder))
            strangers = tuple((address, records) for address, records in unclaimed if address not in listed)
            is_open = tuple(router.name for router in here if not router.exporters)
            found.append(FolderExporters(folder, is_open, tuple(sorted(heard)) if is_open else (), strangers))
    return tuple(found)
