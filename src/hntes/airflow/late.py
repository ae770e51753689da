"""Reports that a night is late."""

import asyncio
import logging
import os
import shlex
import subprocess
from typing import Any

COMMAND_VARIABLE = "HNTES_LATE_COMMAND"
_LIMIT_S = 60

_log = logging.getLogger("hntes.late")


async def report_late(context: dict[str, Any] | None = None) -> None:
    """Logs it, and writes one line to the standard input of the program that $HNTES_LATE_COMMAND names.

    Runs in the triggerer: a night that hangs may occupy every slot of the executor.

    Raises:
        OSError, subprocess.SubprocessError: the program cannot be started, fails, or takes longer than a minute.
    """
    run = (context or {}).get("dag_run") or {}
    text = f"HNTES: the night of run {run.get('dag_run_id', 'unknown')} is late: not done by its deadline"
    _log.error(text)
    command = os.environ.get(COMMAND_VARIABLE)
    if command:
        await asyncio.to_thread(_run_program, shlex.split(command), f"{text}\n")


def _run_program(command: list[str], line: str) -> None:
    subprocess.run(command, input=line, text=True, check=True, timeout=_LIMIT_S)
