"""The whole state of an installation, for comparing: every table row and every file."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import sqlalchemy as sa

from hntes.sql.engine import open_database
from hntes.sql.table import METADATA
from tests.support.audit_log import comparable

State = dict[str, object]


def state_of(url: str, *folders: Path, by_rows: bool = False) -> State:
    """Rows of every table, and the hash of every file below the folders.

    Numbers, times and hashes of the audit log, and lock files, are left out. `by_rows`: of parts of the lake their rows
    and what their footers say of them.
    """
    content = _rows if by_rows else _content
    return {"tables": _tables(url), "files": {str(f.name): _files(f, content) for f in folders}}


def without_surroundings(state: State) -> State:
    """A state that names neither the settings with which nor the account by which anything was done."""
    tables = state["tables"]
    assert isinstance(tables, dict)
    events = [re.sub(r"'(os|airflow):[^']*'", "'account'", row) for row in tables["audit_event"]]
    kept = sorted(row for row in events if not row.startswith("('settings'"))
    return state | {"tables": tables | {"audit_event": kept, "settings_seen": []}}


def differences(one: State, other: State) -> list[str]:
    """What only one of two states has: a line for each row and each file."""
    lines = {state: set(_lines(found)) for state, found in (("first", one), ("second", other))}
    only = [(line, "first") for line in lines["first"] - lines["second"]]
    only += [(line, "second") for line in lines["second"] - lines["first"]]
    return [f"only the {state} has {line}" for line, state in sorted(only)]


def _lines(state: State) -> Iterator[str]:
    tables, folders = state["tables"], state["files"]
    assert isinstance(tables, dict)
    assert isinstance(folders, dict)
    for table, rows in tables.items():
        yield from (f"{table} {row} ({n})" for row, n in Counter(map(str, rows)).items())
    for folder, files in folders.items():
        yield from (f"{folder}/{path} {digest}" for path, digest in files.items())


def _tables(url: str) -> dict[str, list[str]]:
    engine = open_database(url)
    try:
        metadata = sa.MetaData()
        metadata.reflect(engine)
        with engine.connect() as connection:
            return {
                name: sorted(repr(comparable(table, row)) for row in connection.execute(_in_order(table)))
                for name, table in sorted(metadata.tables.items())
                # As the folder of simulations: which runs have been made, by whichever test came first.
                if name != "simulated_run"
            }
    finally:
        engine.dispose()


def _in_order(table: sa.Table) -> sa.Select[tuple[object, ...]]:
    """The rows, columns as they are declared: one that a migration added stands where each database puts it."""
    declared = METADATA.tables.get(table.name, table)
    names = [column.name for column in declared.columns]
    assert sorted(names) == sorted(column.name for column in table.columns)
    return sa.select(*(table.columns[name] for name in names))


def _files(folder: Path, content: Callable[[Path], bytes]) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(content(path)).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".locks" not in path.parts
    }


def _rows(path: Path) -> bytes:
    if path.suffix != ".parquet":
        return _content(path)
    table = pq.ParquetFile(path).read().combine_chunks()
    said = sorted((table.schema.metadata or {}).items())
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema.remove_metadata()) as stream:
        stream.write_table(table.replace_schema_metadata())
    return repr(said).encode() + sink.getvalue().to_pybytes()


def _content(path: Path) -> bytes:
    """What a file holds; of a delivery's manifest, what follows neither from the moment nor from an account."""
    if path.name != "manifest.json":
        return path.read_bytes()
    manifest = json.loads(path.read_text(encoding="utf-8"))
    del manifest["audit"]
    manifest["approvals"] = [each | {"time": None, "event": None, "identity": None} for each in manifest["approvals"]]
    return json.dumps(manifest).encode()
