"""The root of the command line: `hntes` itself, which loads a command's module when the command is called."""

import atexit
import gc
import logging
import os
import sys
from pathlib import Path
from typing import Any

import click

from hntes import left_alone
from hntes.cli import output, streams
from hntes.cli.command_list import SECTIONS
from hntes.cli.lazy_group import LazyGroup
from hntes.cli.options import SafePath

# As shells have it: 128 and the number of SIGINT.
INTERRUPTED = 130
# Loading modules creates some 150,000 objects and little garbage; collection takes a tenth of a short command's time.
_OBJECTS_PER_COLLECTION = 200_000


def _spare_last_collection() -> None:
    """Exempts loaded objects from the collection at exit, a quarter of a short command's time.

    DuckDB's types are such garbage, and their binding reports those that were not collected as leaked.
    """
    if "_duckdb" not in sys.modules:
        gc.freeze()


class _Warnings(logging.Handler):
    """Prints warnings about automatic repairs as messages, like errors."""

    def emit(self, record: logging.LogRecord) -> None:
        output.note(f"hntes: warning: {record.getMessage()}")


def _print_warnings() -> None:
    # The name is that of pipeline.stage_log.WARNINGS, which is not loaded for that.
    logging.getLogger("hntes.warning").handlers[:] = [_Warnings()]


def _print_loss() -> bool:
    """Reports results that could not be written; returns whether there were any."""
    loss = streams.loss()
    if loss:
        output.note(f"hntes: standard output: {loss}; some results were not printed; the command itself completed")
    return bool(loss)


def _with_settings_first(args: list[str]) -> list[str]:
    """The arguments with each `--settings FILE` and `--settings=FILE` before the `--` in front."""
    end = args.index("--") if "--" in args else len(args)
    moved, rest, left = [], [], iter(args[:end])
    for each in left:
        if each == "--settings":
            moved += [each, *([value] if (value := next(left, None)) is not None else [])]
        elif each.startswith("--settings="):
            moved.append(each)
        else:
            rest.append(each)
    return [*moved, *rest, *args[end:]]


class _Root(LazyGroup):
    """All commands; a failed write to standard output fails the command."""

    def main(self, *arguments: Any, **named: Any) -> Any:
        """As click's; the process ends with the command, also where that has left threads alone."""
        try:
            return super().main(*arguments, **named)
        except SystemExit as end:
            left_alone.end_process(end.code if isinstance(end.code, int) else 0)
            raise

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes --settings wherever it stands, as people write it after the command, too."""
        return super().parse_args(ctx, _with_settings_first(args))

    def invoke(self, ctx: click.Context) -> object:
        """Runs the command; status 1 if it completed but its results could not be written, 130 if interrupted."""
        streams.open_closed()
        try:
            result = super().invoke(ctx)
        except KeyboardInterrupt:
            _print_loss()
            output.note("hntes: interrupted; what was finished is kept, and the same command goes on from there")
            raise click.exceptions.Exit(INTERRUPTED) from None
        except BaseException:
            _print_loss()
            raise
        if _print_loss():
            raise click.exceptions.Exit(1)
        return result


@click.group(
    cls=_Root, sections=SECTIONS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.option(
    "--settings",
    "settings_path",
    type=SafePath(path_type=Path),
    help="Settings file; default $HNTES_SETTINGS, else hntes.toml here or in a folder above.",
)
@click.option(
    "--log",
    "log_level",
    type=click.Choice(["off", "error", "info", "debug"]),
    default="off",
    envvar="HNTES_LOG",
    show_envvar=True,
    help="Structured log on standard error: one line of JSON per stage that ends (debug: also per start).",
)
@click.version_option(package_name="hntes")
@click.pass_context
def main(ctx: click.Context, settings_path: Path | None, log_level: str) -> None:
    """Finds alpha flows in NetFlow and prepares the router configuration that isolates them.

    \b
    A night:
      hntes nightly --day 2026-11-20      read flows, find alpha flows, propose and simulate changes
      hntes change list                   changes that wait for a decision
      hntes change show --router r1       one change: pairs, reasons, gate verdict, diff
      hntes change approve --router r1 --hash 3f2a9c41d07e --who anna
      hntes change review                 all pending changes, one by one

    \b
    Queries:
      hntes why '198.18.10.0/24>203.0.113.0/24' --router r1
      hntes flows --day 2026-11-20        the alpha flows of a day
      hntes data files --set-aside        unreadable files, with reasons
      hntes router queue-advice --router r1   check the alpha/beta split against the traffic

    \b
    The simulator:
      hntes reproduce --list              published experiments and their run times
      hntes simulate two-queues.toml      simulate your own scenario

    Results go to standard output (--json for machines), messages to standard error. Exit status: 0 done, 1 failed,
    2 wrong usage, 3 done but input was set aside or a router failed, 4 refused (a decision that came too late or is
    for another candidate), 130 interrupted by Ctrl-C.
    """
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    atexit.register(_spare_last_collection)
    # numpy's linear algebra library has busy-waiting threads: a tenth of a small ingest. HNTES needs no linear algebra.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    ctx.obj = settings_path
    _print_warnings()
    if log_level != "off":
        from hntes.workflow.stage_log import write_to

        write_to(sys.stderr, logging.getLevelNamesMapping()[log_level.upper()])
