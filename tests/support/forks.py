"""A process that has everything imported and forks for each command: the start-up is paid once."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Never

ROOT = Path(__file__).resolve().parents[2]
CRASHED = 70


class ForkServer:
    """The test's end: requests and answers are lines of JSON."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, *request: Any) -> list[Any]:
        """The answer to one request."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer: list[Any] = json.loads(self._process.stdout.readline())
        return answer


@contextmanager
def fork_server(module: str) -> Iterator[ForkServer]:
    """Runs a module that answers requests; its process ends with the block."""
    with subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        yield ForkServer(process)
        assert process.stdin is not None
        process.stdin.close()


def run_in_fork(arguments: list[str]) -> Never:
    """Runs a command of HNTES without its output and ends the process with the command's exit status."""
    from hntes.cli.cli import main as hntes

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    status = CRASHED
    try:
        hntes(arguments)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else CRASHED
    finally:
        os._exit(status)
