"""`hntes init`: writes a settings file from flow folders."""

from __future__ import annotations

import os
from pathlib import Path

import click

from hntes.cli import output
from hntes.cli.options import SafePath
from hntes.format import counted
from hntes.sanitize import shown


@click.command()
@click.argument("folders", metavar="[FOLDER...]", nargs=-1,
                type=SafePath(path_type=Path, exists=True, file_okay=False))  # fmt: skip
@click.option("--running-config", type=SafePath(path_type=Path, exists=True, dir_okay=False),
              help="A router's configuration: print settings that keep its classes.")  # fmt: skip
@click.option("--platform", help="Its platform.")
@click.option("--edge", "edges", multiple=True, metavar="PORT[.UNIT]", help="Its edge interface; may be repeated.")
@click.option("--core", "cores", multiple=True, metavar="PORT[.UNIT]", help="Its core interface; may be repeated.")
@click.option("--rate-bps", type=click.IntRange(8_000, 10**12), default=10_000_000_000, show_default=True,
              help="The rate of its core ports.")  # fmt: skip
@click.option("--nfdump", default="nfdump", show_default=True, help="The program.")
@click.option("--force", is_flag=True, help="Overwrite the settings file if there is one.")
@click.pass_context
def init(
    ctx: click.Context,
    folders: tuple[Path, ...],
    running_config: Path | None,
    platform: str | None,
    edges: tuple[str, ...],
    cores: tuple[str, ...],
    rate_bps: int,
    nfdump: str,
    force: bool,
) -> None:
    """Writes a first settings file from the flow files in or below folders.

    Exporters, their sampling and their ports (by SNMP index) are read from the newest files; each exporter becomes a
    router. The file is written to the path of --settings (hntes.toml). Fill in the values that flow files do not
    contain; `hntes check` lists them.

    With --running-config nothing is written: it prints the settings by which a router keeps its own class of service,
    and what is in the way of others.
    """
    if running_config is not None:
        _propose(running_config, platform, edges, cores, rate_bps)
        return
    if not folders:
        raise click.UsageError("name a FOLDER with flow files, or --running-config FILE")
    from hntes.settings_file import DEFAULT_SETTINGS, SETTINGS_VARIABLE
    from hntes.workflow.errors import FAILED, expected, message
    from hntes.workflow.stages.init import init as begin

    settings = ctx.find_root().obj or Path(os.environ.get(SETTINGS_VARIABLE, DEFAULT_SETTINGS))
    try:
        begun = begin(folders, settings, nfdump=nfdump, overwrite=force)
    except expected() as problem:
        output.note(f"hntes: {message(problem)}")
        raise click.exceptions.Exit(FAILED) from problem
    for found in begun.surveys:
        exporters = counted(len(found.exporters), "exporter")
        output.line(f"{shown(str(found.folder))}: {counted(found.files, 'flow file')}, {exporters}")
        for exporter in found.exporters:
            ports = ", ".join(str(port.snmp_index) for port in exporter.ports) or "none named"
            output.line(f"  {exporter.address}: {counted(exporter.records, 'record')}, ports {ports}")
    for note in begun.notes:
        output.note(f"hntes: {shown(note)}")
    output.line(
        f"written: {begun.settings}; fill in the marked values, `hntes --settings {begun.settings} check` lists them"
    )


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
    if found.found is None:
        output.line("no settings fit; the lines above are in the way")
        raise click.exceptions.Exit(FAILED)
    output.line(f"fits: {found.found.words}")
    for line in found.lines():
        output.line(line)
