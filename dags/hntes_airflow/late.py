"""Tells that a night is late."""

import asyncio
import logging
import os
import shlex
import subprocess
from typing import Any

COMMAND_VARIABLE = "HNTES_LATE_COMMAND"
_LIMIT_S = 60

_log = logging.getLogger("hntes.late")


async def tell_late(context: dict[str, Any] | None = None) -> None:
    """Logs it, and hands one line to the program that $HNTES_LATE_COMMAND names, on its standard input.

    Runs in the triggerer: a night that hangs may hold every place of the executor.

    Raises:
        OSError, subprocess.SubprocessError: the program cannot be started, fails, or takes longer than a minute.
    """
    run = (context or {}).get("dag_run") or {}
    text = f"HNTES: the night of run {run.get('dag_run_id', 'unknown')} is late: not done by its deadline"
    _log.error(text)
    command = os.environ.get(COMMAND_VARIABLE)
    if command:
        await asyncio.to_thread(_hand_over, shlex.split(command), f"{text}\n")


def _hand_over(command: list[str], line: str) -> None:
    subprocess.run(command, input=line, text=True, check=True, timeout=_LIMIT_S)
