"""A table of routers' ports as CSV, as inventories export it and `hntes init` writes it."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hntes.format import counted
from hntes.settings.errors import SettingsError

COLUMNS = (
    "router", "exporter", "snmp_index", "name", "unit", "role", "rate_bps", "logical", "description", "out_mb", "in_mb",
)  # fmt: skip
_WHOLE = ("snmp_index", "unit")
MOST_ROWS = 200_000
MOST_BYTES = 64_000_000


@dataclass(frozen=True)
class PortRow:
    """A row of the table: what is known of a port; texts are empty and numbers None where nothing is."""

    line: int
    router: str
    exporter: str
    snmp_index: int | None
    name: str
    unit: int | None
    role: str
    rate_bps: str
    logical: str
    description: str

    def interface(self) -> dict[str, Any]:
        """As a table `[[routers.interfaces]]` has it, without what is not known."""
        rate = int(self.rate_bps) if self.rate_bps.isdecimal() else self.rate_bps
        known = {"name": self.name, "snmp_index": self.snmp_index, "unit": self.unit, "role": self.role,
                 "rate_bps": rate, "logical": self.logical}  # fmt: skip
        return {key: value for key, value in known.items() if value not in (None, "")}


def read_ports(path: Path) -> list[PortRow]:
    """The rows of a table. Its first line names the columns, in any order; other columns than ours are left alone.

    Raises:
        SettingsError: the file cannot be read, is too large, lacks a column, or a row has a number that is none.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise SettingsError(f"{path}: larger than {MOST_BYTES // 10**6} MB; this is no table of ports")
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(_rows(path, csv.DictReader(file)))
    except OSError as cause:
        raise SettingsError(f"{path}: the table of ports cannot be read: {cause.strerror}") from cause
    except (UnicodeDecodeError, csv.Error) as cause:
        raise SettingsError(f"{path}: the table of ports is no CSV in UTF-8: {cause}") from cause


def interfaces_by_router(rows: Iterable[PortRow]) -> dict[str, list[dict[str, Any]]]:
    """The ports that have a name, by router, as the settings have them."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row.name:
            found.setdefault(row.router, []).append(row.interface())
    return found


def table_text(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = COLUMNS) -> str:
    """A table with these columns."""
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, lineterminator="\n", restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def _rows(path: Path, table: "csv.DictReader[str]") -> Iterator[PortRow]:
    columns = table.fieldnames or ()
    missing = [name for name in ("router", "name") if name not in columns]
    if missing:
        raise SettingsError(f"{path}: line 1: no column {' or '.join(missing)}; it needs: {', '.join(COLUMNS[:8])}")
    for row in table:
        line = table.line_num
        if line > MOST_ROWS:
            raise SettingsError(f"{path}: more than {counted(MOST_ROWS, 'row')}; this is no table of ports")
        cells = {name: (row.get(name) or "").strip() for name in COLUMNS}
        for name in _WHOLE:
            if cells[name] and not (cells[name].isdecimal() and len(cells[name]) <= 10):
                raise SettingsError(f"{path}: line {line}: {name} is {cells[name][:40]!r}; write a whole number")
        numbers = {name: int(cells[name]) if cells[name] else None for name in _WHOLE}
        yield PortRow(
            line, cells["router"], cells["exporter"], numbers["snmp_index"], cells["name"], numbers["unit"],
            cells["role"], cells["rate_bps"], cells["logical"], cells["description"],
        )  # fmt: skip
