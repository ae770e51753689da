"""`hntes demo`: the demonstration in a folder of its own, without a clone of the repository."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from hntes.cli import output
from hntes.cli.options import SafePath


@click.command()
@click.option("--out", type=SafePath(file_okay=False, path_type=Path), default="hntes-demo", show_default=True,
              help="Folder for flow files, settings and results.")  # fmt: skip
@click.option("--force", is_flag=True, help="Start again in a folder of the demonstration.")
def demo(out: Path, force: bool) -> None:
    """Runs the demonstration: four nights of real flow files, five routers.

    Finds alpha flows, proposes, simulates and approves the changes of each night, and says where to look. Takes about a
    minute. Its folder is an installation like any other: `hntes --settings hntes-demo/hntes.toml ...`. No router is
    reached.
    """
    from hntes.cli.demo import is_prepared, prepare, run

    if out.exists() and any(out.iterdir()):
        if not is_prepared(out):
            raise click.UsageError(f"{out} is not empty, and not a folder of the demonstration; --out names another")
        if not force:
            raise click.UsageError(f"{out} has a demonstration; --force starts again in it, --out names another folder")
        shutil.rmtree(out / "var", ignore_errors=True)
    base = Path.cwd()
    settings = prepare(out.resolve())
    if not settings.is_relative_to(base):
        base = settings.parent
    if status := run(settings, base):
        raise click.exceptions.Exit(status)
    output.line(f"folder: {out}")
