"""Commands run by forks of one process that has everything imported, each killed (SIGKILL) after a while, or not.

Run: python -m tests.support.forked_commands; one JSON list [seconds or null, path or null, argument, ...] per line of
input, one JSON list [exit status, seconds] per line of output. Seconds are counted from the start, or with a path from
when there is such a file; the status is negative where a signal ended the command.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRELOADED = (
    *(
        "hntes.cli.commands.deliver",
        "hntes.workflow.delivery.rounds",
        "hntes.workflow.delivery.text",
        "hntes.workflow.errors",
    ),
    *(
        "hntes.platforms.iosxe.session",
        "hntes.platforms.iosxr.session",
        "hntes.platforms.junos.session",
        "sqlalchemy.dialects.sqlite",
        "alembic.command",
    ),
)
_LOOK_S = 0.002


class ForkedCommands:
    """The process whose forks run the commands."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(
        self, *arguments: str, kill_after_s: float | None = None, since: Path | None = None
    ) -> tuple[int, float]:  # fmt: skip
        """Exit status of one command, and for how long it ran: since its start, or since there was that file."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([kill_after_s, str(since) if since else None, *arguments]) + "\n")
        self._process.stdin.flush()
        status, seconds = json.loads(self._process.stdout.readline())
        return status, seconds


@contextmanager
def forked_commands() -> Iterator[ForkedCommands]:
    """A process that forks; it ends with the block."""
    command = [sys.executable, "-m", "tests.support.forked_commands"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        yield ForkedCommands(process)
        assert process.stdin is not None
        process.stdin.close()


def main() -> None:
    """Reads requests, forks for each, and answers."""
    for module in PRELOADED:
        importlib.import_module(module)
    for line in sys.stdin:
        kill_after_s, since, *arguments = json.loads(line)
        child = os.fork()
        if child == 0:
            _run(arguments)
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


def _run(arguments: list[str]) -> None:
    """In the fork: never returns."""
    from hntes.cli.cli import main as hntes

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    status = 70
    try:
        hntes(arguments)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 70
    finally:
        os._exit(status)


if __name__ == "__main__":
    main()
