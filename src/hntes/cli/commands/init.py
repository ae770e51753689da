"""`hntes init`: writes a settings file from flow folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hntes.cli import output
from hntes.cli.options import SafePath, json_option
from hntes.format import counted
from hntes.sanitize import shown

if TYPE_CHECKING:
    from hntes.workflow.inventory.known import Inventory
    from hntes.workflow.stages.init import InitResult

# Exporters, and ports of each, that are printed.
MANY = 12


@click.command()
@click.argument("folders", metavar="[FOLDER...]", nargs=-1,
                type=SafePath(path_type=Path, exists=True, file_okay=False))  # fmt: skip
@click.option("--platform", help="The platform of --running-config without FOLDER.")
@click.option("--edge", "edges", multiple=True, metavar="PORT[.UNIT]",
              help="Edge interface of that configuration; may be repeated.")  # fmt: skip
@click.option("--core", "cores", multiple=True, metavar="PORT[.UNIT]",
              help="Core interface of that configuration; may be repeated.")  # fmt: skip
@click.option("--rate-bps", type=click.IntRange(8_000, 10**12), default=10_000_000_000, show_default=True,
              help="Rate of those core interfaces, bit/s.")  # fmt: skip
@click.option("--snmp-walk", "walks", multiple=True, type=SafePath(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE", help="Names and rates of ports from snmpwalk's output; may be repeated.")  # fmt: skip
@click.option("--running-config", "configurations", multiple=True, metavar="FILE",
              type=SafePath(path_type=Path, exists=True, dir_okay=False),
              help="The same from a router's configuration; may be repeated. Without FOLDER: print settings that keep "
                   "its classes.")  # fmt: skip
@click.option("--snmp", is_flag=True, help="The same from the exporters, asked by SNMP ($HNTES_SNMP_COMMUNITY).")
@click.option("--netbox", metavar="URL", help="The same from NetBox ($NETBOX_TOKEN).")
@click.option("--netbox-index-field", default="snmp_index", show_default=True, metavar="NAME",
              help="NetBox's custom field with an interface's ifIndex.")  # fmt: skip
@click.option("--ports-csv", "tables", multiple=True, type=SafePath(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE",
              help="The same from a table: router, exporter, snmp_index, name, rate_bps, role.")  # fmt: skip
@click.option("--add", "adds", is_flag=True, help="Add new routers to the settings file, keep what is written in it.")
@click.option("--nfdump", default="nfdump", show_default=True, help="Path of nfdump.")
@click.option(
    "--force", is_flag=True, help="Overwrite the settings file if there is one; ports.csv keeps what was filled in."
)
@json_option
@click.pass_context
def init(
    ctx: click.Context,
    folders: tuple[Path, ...],
    configurations: tuple[Path, ...],
    platform: str | None,
    edges: tuple[str, ...],
    cores: tuple[str, ...],
    rate_bps: int,
    walks: tuple[Path, ...],
    snmp: bool,
    netbox: str | None,
    netbox_index_field: str,
    tables: tuple[Path, ...],
    adds: bool,
    nfdump: str,
    force: bool,
    as_json: bool,
) -> None:
    """Writes a first settings file from the flow files in or below folders.

    Exporters, their sampling and their ports (by SNMP index) are read from the newest files; each exporter becomes a
    router; ports that carry less than a thousandth of its bytes are left out. The file is written to the path of
    --settings (hntes.toml). Fill in the values that flow files do not contain; `hntes check` lists them. Ports of many
    routers are written to a table beside it, ports.csv.

    \b
      hntes init /flows                              exporters and indexes alone
      hntes init /flows --snmp                       names and rates by SNMP
      hntes init /flows --snmp-walk 192.0.2.1.walk   from snmpwalk's output
      hntes init /flows --running-config r1.conf     from a configuration
      hntes init /flows --netbox https://netbox.example.net
      hntes init --add /flows --snmp                 adds routers that came later

    With --running-config and no FOLDER nothing is written: it prints the settings by which a router keeps its own class
    of service, and what is in the way of others.
    """
    if configurations and not folders:
        if len(configurations) > 1:
            raise click.UsageError("without a FOLDER one --running-config is looked at; name the folder of flow files")
        _propose(configurations[0], platform, edges, cores, rate_bps)
        return
    if not folders:
        raise click.UsageError("name a FOLDER with flow files, or --running-config FILE")
    from hntes.settings_file import DEFAULT_SETTINGS, SETTINGS_VARIABLE
    from hntes.workflow.errors import FAILED, expected, message
    from hntes.workflow.stages.init import init as begin

    settings = ctx.find_root().obj or Path(os.environ.get(SETTINGS_VARIABLE, DEFAULT_SETTINGS))

    asked = _Asked(walks, tables, configurations, netbox, netbox_index_field, snmp)

    def inventories(exporters: Sequence[str]) -> Inventory:
        return _inventory(exporters, asked)

    try:
        begun = begin(folders, settings, nfdump=nfdump, overwrite=force, adds=adds, inventories=inventories)
    except expected() as problem:
        output.note(f"hntes: {message(problem)}")
        raise click.exceptions.Exit(FAILED) from problem
    if as_json:
        output.as_json(begun)
    else:
        _print(begun, adds=adds)


@dataclass(frozen=True)
class _Asked:
    """The sources that were asked for."""

    walks: tuple[Path, ...]
    tables: tuple[Path, ...]
    configurations: tuple[Path, ...]
    netbox: str | None
    index_field: str
    snmp: bool


def _inventory(exporters: Sequence[str], asked: _Asked) -> Inventory:
    """What they know; tables first, as people write them, and configurations last, as they seldom know an index."""
    from hntes.workflow.inventory.known import merged
    from hntes.workflow.inventory.netbox import inventory_of_netbox
    from hntes.workflow.inventory.running_config import inventory_of_running
    from hntes.workflow.inventory.snmp import inventory_by_snmp
    from hntes.workflow.inventory.snmp_walk import inventory_of_walk
    from hntes.workflow.inventory.table import inventory_of_table

    found = [*map(inventory_of_table, asked.tables), *map(inventory_of_walk, asked.walks)]
    if asked.netbox is not None:
        found.append(inventory_of_netbox(asked.netbox, exporters, asked.index_field))
    if asked.snmp:
        found.append(inventory_by_snmp(exporters))
    found += [inventory_of_running(path, exporters) for path in asked.configurations]
    return merged(found)


def _print(begun: InitResult, *, adds: bool) -> None:
    for found in begun.surveys:
        exporters = counted(len(found.exporters), "exporter")
        output.line(f"{shown(str(found.folder))}: {counted(found.files, 'flow file')}, {exporters}")
        for exporter in found.exporters[:MANY]:
            indexes = [str(port.snmp_index) for port in exporter.ports]
            ports = ", ".join(indexes[:MANY]) or "none named"
            more = f" and {len(indexes) - MANY} more" if len(indexes) > MANY else ""
            output.line(f"  {exporter.address}: {counted(exporter.records, 'record')}, ports {ports}{more}")
        if len(found.exporters) > MANY:
            output.line(f"  and {len(found.exporters) - MANY} more exporters")
    for note in begun.notes:
        output.note(f"hntes: {shown(note)}")
    written = f"{'added to' if adds else 'written:'} {begun.settings}: {counted(begun.added, 'router')}"
    if begun.ports is not None:
        written += f"; their ports in {begun.ports}"
    if begun.named_ports:
        written += f"; {counted(begun.named_ports, 'port')} named by the inventory"
    output.line(written)
    todo = f"fill in {counted(begun.values_to_type, 'marked value')}; " if begun.values_to_type else ""
    output.line(f"next: {todo}`hntes --settings {begun.settings} check` lists what is missing")


def _propose(path: Path, platform: str | None, edges: tuple[str, ...], cores: tuple[str, ...], rate_bps: int) -> None:
    """Prints the settings that fit a running configuration, or what is in the way of all."""
    from hntes.workflow.adoption import adoption_of_file
    from hntes.workflow.errors import FAILED, expected, message

    if platform is None or not edges or not cores:
        raise click.UsageError("--running-config needs --platform, and at least one --edge and one --core")
    try:
        found = adoption_of_file(path, platform, edges, cores, rate_bps)
    except expected() as problem:
        output.note(f"hntes: {message(problem)}")
        raise click.exceptions.Exit(FAILED) from problem
    for fit in found.tried:
        output.note(f"hntes: {fit.proposal.words}: {shown(str(fit.problems[0]))}")
    if found.recognized is not None and found.found is None:
        output.note(f"hntes: hardware: {found.recognized.hardware.name} (line {found.recognized.line})")
    if found.found is None:
        output.line("no settings fit; the lines above are in the way")
        raise click.exceptions.Exit(FAILED)
    output.line(f"fits: {found.found.words}")
    for line in found.lines():
        output.line(line)
