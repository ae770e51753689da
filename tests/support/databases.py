"""Databases with the present schema, copied from one that was migrated; tests/integration/sql migrates in earnest."""

import json
import os
import tempfile
from functools import cache, lru_cache
from pathlib import Path

import pyarrow.parquet as pq
from sqlalchemy import Engine, delete, make_url

from hntes.sql.engine import open_database, upgrade
from hntes.sql.rows import store
from hntes.sql.session import transaction
from hntes.sql.simulated_runs import SIMULATED_RUN, SimulatedRunEntry

# As in tests/support/gate_subjects.py, which needs the whole gate.
SIMULATIONS = Path(__file__).resolve().parent.parent.parent / "var" / "simulations"


def migrate(url: str) -> None:
    """Brings the database at this address to the present schema and leaves no connection."""
    engine = open_database(url)
    upgrade(engine)
    engine.dispose()
    vouch_for_shared_runs(url)


def vouch_for_shared_runs(url: str) -> None:
    """Has a database with the present schema believe the tests' shared runs of now, as if it had made them.

    So a scenario runs once for all tests, whatever database judges it.
    """
    runs = dict(_key_and_digest(SIMULATIONS / name) for name in _shared_runs())
    entries = [SimulatedRunEntry(key, digest) for key, digest in runs.items()]
    engine = open_database(url)
    with transaction(engine) as session:
        session.execute(delete(SIMULATED_RUN).where(SIMULATED_RUN.c.run_key.in_(runs)))
        store(session, SIMULATED_RUN, entries)
    engine.dispose()


@cache
def _key_and_digest(path: Path) -> tuple[str, str]:
    about = json.loads(pq.read_metadata(path).metadata[b"hntes_run"])
    return about["key"], about["digest"]


def _shared_runs() -> tuple[str, ...]:
    """The names of their files; there may be thousands, and each world asks."""
    if not SIMULATIONS.is_dir():
        return ()
    return tuple(sorted(each.name for each in os.scandir(SIMULATIONS) if each.name.endswith(".parquet")))


def migrated_sqlite(path: Path) -> str:
    """Writes an empty database with the present schema to a file that is not there yet; its SQLAlchemy address."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(_migrated(_shared_runs()))
    return f"sqlite:///{path}"


def opened(url: str) -> Engine:
    """The database at an address of `database_url`, or of a SQLite file; the file is made if it is not there yet."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite" and not (path := Path(parsed.database or "")).exists():
        migrated_sqlite(path)
    return open_database(url)


@lru_cache(maxsize=1)
def _migrated(_believed: tuple[str, ...]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hntes.db"
        migrate(f"sqlite:///{path}")
        left = [other.name for other in Path(folder).iterdir() if other != path]
        assert left == [], f"the write-ahead log is not folded in: {left}"
        return path.read_bytes()
