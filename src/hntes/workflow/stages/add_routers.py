"""Adds routers to a settings file that people have filled in: nothing that is written in it is changed."""

import csv
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hntes.files import write_changed_text
from hntes.settings.defaults import ports_path
from hntes.settings.errors import SettingsError
from hntes.settings.ingest import Ingest
from hntes.settings.ports_table import COLUMNS, read_ports, table_text
from hntes.settings.starter import MARK, FoundRouter, port_rows, router_blocks, with_names


@dataclass(frozen=True)
class Added:
    """How many routers were appended and values they lack; the table of ports, None if the settings have none."""

    routers: int
    values_to_type: int
    ports: Path | None


def add_routers(settings: Path, found: Sequence[FoundRouter]) -> Added:
    """Appends those routers that no router of the file claims, and completes the table of ports.

    In the table, rows of new ports are appended, and cells without a value are filled in where it is known now.

    Raises:
        SettingsError: the file is not TOML, or its table of ports cannot be read.
    """
    try:
        text = settings.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as cause:
        raise SettingsError(f"{settings}: not valid TOML: {cause}") from cause
    listed = [each for each in document.get("routers", []) if isinstance(each, dict)]
    claimed = {str(address): str(each.get("name")) for each in listed for address in each.get("exporters", [])}
    new = with_names([each for each in found if each.exporter not in claimed], claimed.values())
    ports = ports_path(document, settings.resolve().parent)
    if ports is not None:
        known = [_renamed(each, claimed[each.exporter]) for each in found if each.exporter in claimed]
        rows = [row for router in (*known, *new) for row in port_rows(router)]
        write_changed_text(ports, completed_table(ports, rows))
    rotation_s = document.get("ingest", {}).get("rotation_s", Ingest().rotation_s)
    more = router_blocks(new, rotation_s, is_table=ports is not None)
    if new:
        write_changed_text(settings, "\n".join((text.rstrip("\n"), *more, "")))
    return Added(len(new), sum(line.count(f"  {MARK}: ") for line in more), ports)


def _renamed(router: FoundRouter, name: str) -> FoundRouter:
    return replace(router, name=name)


def completed_table(ports: Path, rows: Sequence[Mapping[str, Any]]) -> str:
    """The table with its rows and columns as they are, what the rows lack, and new rows; all are new without a file.

    Raises:
        SettingsError: the table cannot be read.
    """
    if not ports.exists():
        return table_text(rows)
    read_ports(ports)
    with ports.open(encoding="utf-8-sig", newline="") as file:
        table = csv.DictReader(file)
        written, columns = [dict(row) for row in table], list(table.fieldnames or ())
    fresh = {_by_index(row) or _by_name(row): row for row in rows}
    # a port that is written by its name alone gets its index, so that no port stands twice
    indexes = {_by_name(row): key for key, row in fresh.items() if row["name"]}
    nameds = [fresh.pop(indexes.get(_by_name(row), ()), {}) if not _by_index(row) else {} for row in written]
    found = [named or fresh.pop(_by_index(row), {}) for row, named in zip(written, nameds, strict=True)]
    completed = [_filled(row, known) for row, known in zip(written, found, strict=True)]
    return table_text([*completed, *fresh.values()], [*columns, *(name for name in COLUMNS if name not in columns)])


def _filled(row: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """A row with what it lacks."""
    return {**row, **{key: value for key, value in known.items() if value not in (None, "") and not row.get(key)}}


def _by_index(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What identifies a port in flow records; empty if its index is not known."""
    index = str(row.get("snmp_index") or "")
    return (str(row.get("router") or ""), index) if index else ()


def _by_name(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(row.get(key) or "") for key in ("router", "name", "unit"))
