"""Commands run by forks of one process that has everything imported, each killed (SIGKILL) after a while, or not.

Run: python -m tests.support.forked_commands; one JSON list [seconds or null, path or null, argument, ...] per line of
input, one JSON list [exit status, seconds] per line of output. Seconds are counted from the start, or with a path from
when there is such a file; the status is negative where a signal ended the command.
"""

import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.forks import ForkServer, fork_server, run_in_fork

PRELOADED = (
    *(
        "hntes.cli.commands.deliver",
        "hntes.workflow.delivery.rounds",
        "hntes.workflow.delivery.text",
        "hntes.workflow.errors",
    ),
    *(
        "hntes.platforms.eos.session",
        "hntes.platforms.iosxe.session",
        "hntes.platforms.iosxr.session",
        "hntes.platforms.junos.session",
        "hntes.platforms.sros.session",
        "sqlalchemy.dialects.sqlite",
        "alembic.command",
    ),
)
_LOOK_S = 0.002


class ForkedCommands:
    """The process whose forks run the commands."""

    def __init__(self, server: ForkServer) -> None:
        self._server = server

    def run(self, *arguments: str, kill_after_s: float | None = None, since: Path | None = None) -> tuple[int, float]:
        """Exit status of one command, and for how long it ran: since its start, or since there was that file."""
        status, seconds = self._server.ask(kill_after_s, str(since) if since else None, *arguments)
        return status, seconds


@contextmanager
def forked_commands() -> Iterator[ForkedCommands]:
    """A process that forks; it ends with the block."""
    with fork_server(__name__) as server:
        yield ForkedCommands(server)


def main() -> None:
    """Reads requests, forks for each, and answers."""
    for module in PRELOADED:
        importlib.import_module(module)
    for line in sys.stdin:
        kill_after_s, since, *arguments = json.loads(line)
        child = os.fork()
        if child == 0:
            run_in_fork(arguments)
        print(json.dumps(_watched(child, kill_after_s, since)), flush=True)


def _watched(child: int, kill_after_s: float | None, since: str | None) -> tuple[int, float]:
    """Waits for a child, or kills it. One that has ended is not reaped before: nobody else has its number."""
    begun_s = None if since else time.monotonic()
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        now_s = time.monotonic()
        if begun_s is None and since is not None and Path(since).exists():
            begun_s = now_s
        if kill_after_s is not None and begun_s is not None and now_s >= begun_s + kill_after_s:
            os.kill(child, signal.SIGKILL)
            ended = os.waitpid(child, 0)
            break
        time.sleep(_LOOK_S)
    lasted_s = time.monotonic() - begun_s if begun_s is not None else 0.0
    return os.waitstatus_to_exitcode(ended[1]), lasted_s


if __name__ == "__main__":
    main()
