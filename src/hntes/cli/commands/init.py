"""`hntes init`: writes a settings file from flow folders."""

from __future__ import annotations

import os
from pathlib import Path

import click

from hntes.cli import output
from hntes.cli.options import SafePath
from hntes.format import counted


@click.command()
@click.argument("folders", metavar="FOLDER...", nargs=-1, required=True,
                type=SafePath(path_type=Path, exists=True, file_okay=False))  # fmt: skip
@click.option("--nfdump", default="nfdump", show_default=True, help="The program.")
@click.option("--force", is_flag=True, help="Overwrite the settings file if there is one.")
@click.pass_context
def init(ctx: click.Context, folders: tuple[Path, ...], nfdump: str, force: bool) -> None:
    """Writes a first settings file from the flow files in or below folders.

    Exporters, their sampling and their ports (by SNMP index) are read from the newest files; each exporter becomes a
    router. The file is written to the path of --settings (hntes.toml). Fill in the values that flow files do not
    contain; `hntes check` lists them.
    """
    from hntes.workflow.context import DEFAULT_SETTINGS, SETTINGS_VARIABLE
    from hntes.workflow.errors import FAILED, expected, message
    from hntes.workflow.stages.init import init as begin

    settings = ctx.find_root().obj or Path(os.environ.get(SETTINGS_VARIABLE, DEFAULT_SETTINGS))
    try:
        begun = begin(folders, settings, nfdump=nfdump, overwrite=force)
    except expected() as problem:
        output.note(f"hntes: {message(problem)}")
        raise click.exceptions.Exit(FAILED) from problem
    for found in begun.surveys:
        output.line(f"{found.folder}: {counted(found.files, 'flow file')}, {counted(len(found.exporters), 'exporter')}")
        for exporter in found.exporters:
            ports = ", ".join(str(port.snmp_index) for port in exporter.ports) or "none named"
            output.line(f"  {exporter.address}: {counted(exporter.records, 'record')}, ports {ports}")
        for problem_text in found.problems:
            output.note(f"hntes: {found.folder}: not read: {problem_text}")
    output.line(
        f"written: {begun.settings}; fill in the marked values, `hntes --settings {begun.settings} check` lists them"
    )
