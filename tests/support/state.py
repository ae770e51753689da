"""The whole state of an installation, for comparing: every table row and every file."""

import hashlib
from pathlib import Path

import sqlalchemy as sa

from sql.engine import open_database

State = dict[str, object]


def state_of(url: str, *folders: Path) -> State:
    """Rows of every table, and the hash of every file below the folders (lock files apart)."""
    return {"tables": _tables(url), "files": {str(f.name): _files(f) for f in folders}}


def _tables(url: str) -> dict[str, list[str]]:
    engine = open_database(url)
    try:
        metadata = sa.MetaData()
        metadata.reflect(engine)
        with engine.connect() as connection:
            return {
                name: sorted(repr(tuple(row)) for row in connection.execute(sa.select(table)))
                for name, table in sorted(metadata.tables.items())
            }
    finally:
        engine.dispose()


def _files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".locks" not in path.parts
    }
