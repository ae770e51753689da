"""A folder of recorded flow files read into a database and a lake of its own, on one machine or by Spark."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from hntes.etl.ingest.readers import FileReader
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.ingest.run import FolderPlan, IngestReport, ingest_folder
from hntes.etl.sources.nfcapd.probe import probe
from hntes.sql.engine import open_database
from hntes.sql.entries import LakePart
from hntes.sql.ledger import parts_between
from hntes.sql.session import reading
from tests.support.databases import migrated_sqlite
from tests.support.nfcapd import by_nfdump
from tests.support.state import State, state_of


@dataclass(frozen=True)
class Folder:
    """A recorded folder as one machine reads it: what came of it, and the days its parts are of."""

    flows: Path
    report: IngestReport
    state: State
    lake: Path
    parts: list[LakePart]
    days: list[date]


def ingested(flows: Path, folder: Path, reader: FileReader | None, *, by_rows: bool = True) -> Folder:
    url = migrated_sqlite(folder / "hntes.db")
    database = open_database(url)
    plan = FolderPlan(flows, (RouterExporters("r1"),))
    report = ingest_folder(database, by_nfdump(probe("nfdump")), folder / "lake", plan, reader=reader)
    with reading(database) as session:
        parts = parts_between(session, "r1", 0, 1 << 62)
    database.dispose()
    state = state_of(url, folder / "lake", by_rows=by_rows)
    return Folder(flows, report, state, folder / "lake", list(parts), sorted({p.day for p in parts}))
