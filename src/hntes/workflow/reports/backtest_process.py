"""Back-tests that a server starts: each a process of its own, one at a time per installation, with limits.

The lock is inherited by the process and freed by the kernel when it ends, however it ends. Its standard input is a pipe
from the server: when that closes, the server has ended, and the process ends, too.
"""

import fcntl
import os
import resource
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

from hntes.files import make_folder
from hntes.workflow.context import Context, opened
from hntes.workflow.errors import CommandError, expected, message
from hntes.workflow.reports.backtest_request import BacktestAsked
from hntes.workflow.reports.stored_backtests import (
    RunHead,
    StoredRun,
    advanced,
    backtest_folder,
    begun,
    failed,
    finished,
    stored_head,
    stored_run,
)

# Half a year of forty routers takes minutes; beta traffic is read from the lake, a day of a router in seconds.
CPU_LIMIT_S, LIMIT_S = 1800, 3600
# Another process may look whether the lock is free at the very moment.
_TRIES, _TRY_S = 3, 0.05
_NICENESS = 10
_LOCK = "lock"


class BacktestBusyError(CommandError):
    """Another back-test is running in this installation."""


@dataclass
class BacktestProcesses:
    """The back-tests that this server has started."""

    _processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def start(self, context: Context, settings_path: Path | None, asked: BacktestAsked, who: str) -> RunHead:
        """Starts a process; `who` is the identity of the audit log.

        Raises:
            BacktestBusyError: a back-test is running in this installation.
        """
        with self._guard:
            self._forget_ended()
            lock = _taken(context)
            try:
                head = begun(context, asked, who)
                os.truncate(lock, 0)
                os.pwrite(lock, head.name.encode(), 0)
                command = [sys.executable, "-m", __name__, str(settings_path or ""), head.name]
                self._processes.append(subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=(lock,)))
            finally:
                os.close(lock)
        return head

    def _forget_ended(self) -> None:
        for each in self._processes:
            if each.poll() is not None and each.stdin is not None:
                each.stdin.close()
        self._processes = [each for each in self._processes if each.returncode is None]

    def close(self) -> None:
        """Ends what is running, as the end of this process does."""
        with self._guard:
            for each in self._processes:
                if each.stdin is not None:
                    each.stdin.close()
                each.wait()
            self._processes.clear()


def running_name(context: Context) -> str | None:
    """The name of the run whose process is alive, whoever started it; None without one."""
    try:
        lock = os.open(backtest_folder(context) / _LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.pread(lock, 100, 0).decode("ascii", "replace")
    finally:
        os.close(lock)
    return None


def has_died(context: Context, head: RunHead) -> bool:
    """Whether its document says that it runs, and its process is not alive."""
    return head.state == "running" and running_name(context) != head.name


def present_head(context: Context, name: str) -> RunHead:
    """A stored run without results, as it is now.

    A process that ends between the reading of its document and the look at its lock has left its last word meanwhile.

    Raises:
        UnknownBacktestError: as `stored_head`.
    """
    head = stored_head(context, name)
    return stored_head(context, name) if has_died(context, head) else head


def present_run(context: Context, name: str) -> StoredRun:
    """As `present_head`, with its results.

    Raises:
        UnknownBacktestError: as `stored_run`.
    """
    run = stored_run(context, name)
    return stored_run(context, name) if has_died(context, run.head) else run


def _taken(context: Context) -> int:
    """The lock as a descriptor that holds it."""
    folder = backtest_folder(context)
    make_folder(folder)
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    for left in reversed(range(_TRIES)):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as cause:
            if not left:
                os.close(lock)
                raise BacktestBusyError(
                    "a back-test is running; wait until it has ended, then start another"
                ) from cause
            threading.Event().wait(_TRY_S)
        else:
            break
    return lock


def main() -> None:
    """The process: replays what a stored run asks for, and stores its results."""
    settings_path, name = sys.argv[1:]
    _limit()
    threading.Thread(target=_end_with_server, daemon=True).start()
    with opened(Path(settings_path) if settings_path else None) as context:
        head = stored_run(context, name).head
        try:
            _run(context, head)
        except expected() as problem:
            failed(context, head, message(problem))


def _run(context: Context, head: RunHead) -> None:
    from hntes.workflow.reports.backtest import run_asked
    from hntes.workflow.reports.backtest_results import results_of

    found, _ = run_asked(context, head.asked, lambda number, _total, _router: advanced(context, head, number))
    finished(context, head, results_of(found))


def _limit() -> None:
    """Nobody waits for it, and nothing that it does may take the machine from the night."""
    os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S))
    signal.alarm(LIMIT_S)  # ends the process: nothing handles the signal


def _end_with_server() -> None:
    # the descriptor itself: a lock of `sys.stdin`, held here, aborts the interpreter when it ends
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
