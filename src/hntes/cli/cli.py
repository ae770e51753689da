"""The root of the command line: `hntes` itself, which loads a command's module when the command is called."""

import atexit
import gc
import importlib
import logging
import os
import sys
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from hntes.cli import output, streams
from hntes.cli.command_list import ALIASES, SECTIONS
from hntes.cli.options import SafePath

_COMMANDS = {name: listed for commands in SECTIONS.values() for name, listed in commands.items()}

# Loading modules creates some 150,000 objects and hardly any garbage; looking for it takes a tenth of a short command.
_OBJECTS_PER_COLLECTION = 200_000


def _spare_last_collection() -> None:
    """Keeps Python from looking for garbage among all that was loaded when it ends: a quarter of a short command.

    DuckDB's types are such garbage, and their binding reports those that were not collected as leaked.
    """
    if "_duckdb" not in sys.modules:
        gc.freeze()


class _Warnings(logging.Handler):
    """Prints what was mended by itself as messages, like errors."""

    def emit(self, record: logging.LogRecord) -> None:
        output.note(f"hntes: warning: {record.getMessage()}")


def _print_warnings() -> None:
    # The name is that of pipeline.stage_log.WARNINGS, which is not loaded for that.
    logging.getLogger("hntes.warning").handlers[:] = [_Warnings()]


def _print_loss() -> bool:
    """Says that results could not be written, and returns whether that is so."""
    loss = streams.loss()
    if loss:
        output.note(f"hntes: standard output: {loss}; not all results were written, what the command did stands")
    return bool(loss)


class LazyGroup(click.Group):
    """A group that knows its commands by name and help, and loads only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        name = ALIASES.get(cmd_name, cmd_name)
        listed = _COMMANDS.get(name)
        if listed is None:
            return None
        command = getattr(importlib.import_module(f"hntes.cli.commands.{listed.module}"), name.replace("-", "_"))
        return command if isinstance(command, click.Command) else None

    def invoke(self, ctx: click.Context) -> object:
        """Runs the command; status 1 if it did all but its results could not be written."""
        streams.open_closed()
        try:
            result = super().invoke(ctx)
        except BaseException:
            _print_loss()
            raise
        if _print_loss():
            raise click.exceptions.Exit(1)
        return result

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands' names, from the list, since loading them all takes a second; then the options."""
        named = [CompletionItem(name, help=listed.help) for name, listed in _COMMANDS.items()]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [item for item in named if item.value.startswith(incomplete)] + options

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, listed.help) for name, listed in commands.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--settings",
    "settings_path",
    type=SafePath(path_type=Path),
    help="Settings file; default $HNTES_SETTINGS, else hntes.toml.",
)
@click.option(
    "--log",
    "log_level",
    type=click.Choice(["off", "error", "info", "debug"]),
    default="off",
    envvar="HNTES_LOG",
    show_envvar=True,
    help="Structured log on standard error: one line of JSON per stage that ends (debug: and begins).",
)
@click.version_option(package_name="hntes")
@click.pass_context
def main(ctx: click.Context, settings_path: Path | None, log_level: str) -> None:
    """Finds alpha flows in NetFlow and prepares the router configuration that isolates them.

    \b
    A night:
      hntes nightly --day 2026-11-20      read flows, find alpha flows, propose changes
      hntes changes                       what waits for a decision
      hntes show --router r1              one change: pairs, reasons, the gate's verdict, diff
      hntes approve --router r1 --hash 3f2a9c41d07e --who anna
      hntes review                        all that waits, one after the other

    \b
    Questions:
      hntes why '198.18.10.0/24>203.0.113.0/24' --router r1
      hntes alphas --day 2026-11-20       the alpha flows of a day
      hntes files --set-aside             files that could not be read, and why
      hntes shares --router r1            does the alpha/beta split still fit the traffic

    \b
    The simulator:
      hntes reproduce --list              the published experiments, and what running them costs
      hntes simulate two-queues.toml      a scenario of your own

    Results go to standard output (--json for machines), messages to standard error. Exit status: 0 done, 1 failed,
    2 wrong usage, 3 done but something was set aside or one router failed, 4 refused (a decision that came too late
    or on another candidate).
    """
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    atexit.register(_spare_last_collection)
    # numpy brings a library for matrices whose threads wait busily: a tenth of a small ingest. HNTES has no matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    ctx.obj = settings_path
    _print_warnings()
    if log_level != "off":
        from hntes.workflow.stage_log import write_to

        write_to(sys.stderr, logging.getLevelNamesMapping()[log_level.upper()])
