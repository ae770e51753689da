"""Databases with the present schema, copied from one that was migrated; tests/integration/sql migrates in earnest."""

import tempfile
from functools import cache
from pathlib import Path

from sqlalchemy import Engine, make_url

from sql.engine import open_database, upgrade


def migrate(url: str) -> None:
    """Brings the database at this address to the present schema and leaves no connection."""
    engine = open_database(url)
    upgrade(engine)
    engine.dispose()


def migrated_sqlite(path: Path) -> str:
    """Writes an empty database with the present schema to a file that is not there yet; its SQLAlchemy address."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(_migrated())
    return f"sqlite:///{path}"


def opened(url: str) -> Engine:
    """The database at an address of `database_url`, or of a SQLite file; the file is made if it is not there yet."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite" and not (path := Path(parsed.database or "")).exists():
        migrated_sqlite(path)
    return open_database(url)


@cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hntes.db"
        migrate(f"sqlite:///{path}")
        left = [other.name for other in Path(folder).iterdir() if other != path]
        assert left == [], f"the write-ahead log is not folded in: {left}"
        return path.read_bytes()
