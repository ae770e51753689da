"""Commands run by forks of one process that has everything imported, each killed at a chosen durable write, or not.

A durable write changes what a later run finds: a file takes its place or is removed, a transaction is committed. Syncs
are none: they matter to a machine that loses power, not to a process that is killed. The kill is a real one, SIGKILL
right before that write; only what a process does the first time, which is most of its time, is done once: the start of
Python, imports, and a whole night.

Run: python -m tests.support.killed_nights; one JSON list [kill_at or null, now_ms or null, argument, ...] per line of
input, one JSON list [exit status, durable writes] per line of output.
"""

import gc
import importlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Never

from sqlalchemy import Engine, event

from hntes import clock
from tests.support.forks import ForkServer, fork_server, run_in_fork
from tests.support.installation import demo_installation

# What commands import when they need it: more than half of a short night, if each fork did it by itself.
PRELOADED = (
    *(f"hntes.cli.commands.{name}" for name in ("audit", "decide", "deliver", "nightly", "stages", "upkeep")),
    *(
        "hntes.workflow.review.decide",
        "hntes.workflow.delivery.deliver",
        "hntes.workflow.stages.night",
        "hntes.workflow.reports.prune",
        "hntes.gate.figures",
        "hntes.gate.report",
    ),
    *("alembic.command", "duckdb", "matplotlib.backends.backend_svg", "matplotlib.figure", "pandas", "pyarrow.dataset"),
    *("pyarrow.parquet", "hntes.etl.engines.duck", "hntes.etl.ingest.readers", "sqlalchemy.dialects.sqlite"),
)
NIGHT = "2026-11-20"
WRITES = ("replace", "rename", "unlink")


class KilledNights:
    """The process whose forks run the commands."""

    def __init__(self, server: ForkServer) -> None:
        self._server = server

    def run(self, *arguments: str, kill_at: int | None = None, now_ms: int | None = None) -> tuple[int, int]:
        """Exit status (negative: the signal) and number of durable writes of one command, at a moment of the test's."""
        status, writes = self._server.ask(kill_at, now_ms, *arguments)
        return status, writes


@contextmanager
def killed_nights() -> Iterator[KilledNights]:
    """A process that forks; it ends with the block."""
    with fork_server(__name__) as server:
        yield KilledNights(server)


def main() -> None:
    """Reads requests, forks for each, and answers."""
    for module in PRELOADED:
        importlib.import_module(module)
    _run_a_night()
    gc.freeze()  # else a fork copies each page on which it looks for garbage
    for line in sys.stdin:
        kill_at, now_ms, *arguments = json.loads(line)
        with tempfile.NamedTemporaryFile() as counted:
            child = os.fork()
            if child == 0:
                _run(arguments, kill_at, now_ms, counted.name)
            _, status = os.waitpid(child, 0)
            writes = Path(counted.name).stat().st_size
        print(json.dumps([os.waitstatus_to_exitcode(status), writes]), flush=True)


def _run_a_night() -> None:
    """The first night of a process compiles templates and patterns, maps tables and loads fonts: as much again."""
    with tempfile.TemporaryDirectory() as folder:
        installation = demo_installation(Path(folder) / "site", **{"[ingest]": "[ingest]\nworkers = 1"})
        installation.run("nightly", "--day", NIGHT, "--router", "r1")


def _run(arguments: list[str], kill_at: int | None, now_ms: int | None, counted: str) -> Never:
    """In the fork."""
    if now_ms is not None:
        clock.now_ms = lambda: now_ms
    tally = os.open(counted, os.O_WRONLY | os.O_APPEND)
    done = 0

    def count() -> None:
        nonlocal done
        if done == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        done += 1
        os.write(tally, b".")  # a byte per write: the count survives the kill

    for name in WRITES:
        setattr(os, name, _counted(getattr(os, name), count))
    event.listen(Engine, "commit", lambda _connection: count())
    run_in_fork(arguments)


def _counted(write: Callable[..., Any], count: Callable[[], None]) -> Callable[..., Any]:
    def counting(path: Any, *arguments: Any, **options: Any) -> Any:
        if os.path.lexists(path):  # what is not there is not removed
            count()
        return write(path, *arguments, **options)

    return counting


if __name__ == "__main__":
    main()
