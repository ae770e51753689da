"""The ports of a table (CSV) as an inventory."""

from pathlib import Path

from hntes.settings.ports_table import PortRow, read_ports
from hntes.settings.units import of_key
from hntes.workflow.inventory.known import Inventory, KnownPort, KnownRouter


def inventory_of_table(path: Path) -> Inventory:
    """Each router of a table of ports. Its rows need the columns exporter and snmp_index, to be found by flow records.

    Raises:
        SettingsError: the table cannot be read.
    """
    rows: dict[str, list[PortRow]] = {}
    problems = []
    for row in read_ports(path):
        if row.exporter and row.name:
            rows.setdefault(row.router or row.exporter, []).append(row)
        else:
            problems.append(f"{path}: line {row.line}: no {'name' if row.exporter else 'exporter'}; it is left out")
    return Inventory(tuple(_router(name, found) for name, found in rows.items()), _few(problems))


def _router(name: str, rows: list[PortRow]) -> KnownRouter:
    ports = (
        KnownPort(row.snmp_index, row.name, row.unit, _rate_bps(row.rate_bps), row.description, row.role, row.logical)
        for row in rows
    )
    return KnownRouter(frozenset(row.exporter for row in rows), name, "", tuple(ports))


def _rate_bps(text: str) -> int | None:
    """Settings that are read later say what is wrong with it."""
    try:
        return int(of_key("rate_bps", text)) if text else None
    except ValueError:
        return None


def _few(problems: list[str], most: int = 5) -> tuple[str, ...]:
    more = [f"and {len(problems) - most} more lines"] if len(problems) > most else []
    return (*problems[:most], *more)
