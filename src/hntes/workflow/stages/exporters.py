"""Exporters at a collector, and whether the settings accept their records."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hntes.etl.days import DAY_MS, day_bounds_ms
from hntes.settings.model import Router
from hntes.sql import ledger
from hntes.sql.exporter_counts import unclaimed_exporters
from hntes.sql.session import reading
from hntes.workflow.context import Context

# Who sent once, but has not for a week, needs no line in the settings.
UNCLAIMED_DAYS = 7


@dataclass(frozen=True)
class FolderExporters:
    """The exporters of one flow folder.

    open_routers: routers that list no exporters and so accept any; heard: exporters whose records they have; strangers:
    exporters that no router lists, with the number of their rejected records in the newest days.
    """

    folder: Path
    open_routers: tuple[str, ...]
    heard: tuple[str, ...]
    strangers: tuple[tuple[str, int], ...]


def senders(context: Context, routers: Sequence[Router]) -> tuple[FolderExporters, ...]:
    """The exporters of each flow folder of these routers: heard at any time, rejected in its newest week of files."""
    found = []
    until_ms = day_bounds_ms(context.last_day)[1] + DAY_MS  # with what has come today
    with reading(context.database) as session:
        for folder in context.folders(list(routers)):
            here = [router for router in context.settings.routers if router.flow_folder == folder]
            listed = {str(exporter) for router in here for exporter in router.exporters}
            heard = {seen.exporter for seen in ledger.factors_of_folder(session, str(folder))} - listed
            newest_ms = ledger.newest_start_ms(session, str(folder), until_ms) or 0
            from_ms = newest_ms - UNCLAIMED_DAYS * DAY_MS
            unclaimed = unclaimed_exporters(session, str(folder), from_ms, until_ms)
            strangers = tuple((address, records) for address, records in unclaimed if address not in listed)
            is_open = tuple(router.name for router in here if not router.exporters)
            found.append(FolderExporters(folder, is_open, tuple(sorted(heard)) if is_open else (), strangers))
    return tuple(found)
