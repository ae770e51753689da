"""Resource usage of a command: CPU seconds of it and its children, and the largest memory of one of them."""

import ctypes
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36  # prctl(2), Linux


@dataclass(frozen=True)
class Used:
    """By a command and the processes below it; `peak_mb` is that of the largest of them.

    `clock_s` is until the command ended: nobody waits for a server that ends by itself a moment later.
    """

    cpu_s: float
    clock_s: float
    peak_mb: float


class CommandFailedError(Exception):
    """A measured command ended with another status than 0; the message names the file that has what it said."""


def used_by(command: tuple[str, ...], tree: Path, said: Path) -> Used:
    """Runs a command in a folder; what it prints goes to `said`.1 and `said`.2.

    Raises:
        CommandFailedError: its status was not 0.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    files = [(os.POSIX_SPAWN_OPEN, stream, f"{said}.{stream}", flags, 0o644) for stream in (1, 2)]
    os.chdir(tree)
    adopt_orphans()
    begin = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=files)
    cpu_s, clock_s, peak_mb, failed = 0.0, 0.0, 0.0, 0
    while (ended := _next_to_end()) is not None:
        pid, status, usage = ended
        cpu_s += usage.ru_utime + usage.ru_stime
        peak_mb = max(peak_mb, usage.ru_maxrss / 1024)
        if pid == process:
            clock_s = time.perf_counter() - begin
            failed = os.waitstatus_to_exitcode(status)
    if failed:
        raise CommandFailedError(f"{' '.join(command[1:])} ended with status {failed}: see {said}.2")
    return Used(cpu_s, clock_s, peak_mb)


def tree_cpu_s(root: int) -> float:
    """CPU seconds so far of a process and of all below it that run or were waited for.

    A process whose parent ended before it counts only if the root has called `adopt_orphans`.
    """
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        children.setdefault(int(fields[1]), []).append(int(entry.name))
        ticks[int(entry.name)] = sum(map(int, fields[11:15]))
    todo, total = [root], 0
    while todo:
        process = todo.pop()
        total += ticks.get(process, 0)
        todo += children.get(process, [])
    return total / os.sysconf("SC_CLK_TCK")


def compile_modules(tree: Path) -> None:
    """Writes what Python keeps of a tree's modules: where commands may not, each of them would compile its own anew."""
    packages = [str(path.parent) for pattern in ("*", "src/*") for path in tree.glob(f"{pattern}/__init__.py")]
    subprocess.run([sys.executable, "-m", "compileall", "-q", *packages], check=True, stdout=sys.stderr)


def hntes(settings: Path, *arguments: str) -> tuple[str, ...]:
    """The command `hntes` of the tree that it is run in, by this Python."""
    return sys.executable, "-m", "hntes", "--settings", str(settings), *arguments


def adopt_orphans() -> None:
    """Makes this process the parent of orphans: no command waits for the server that its workers are forked from."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1):
        raise OSError(ctypes.get_errno(), "prctl")


def _next_to_end() -> tuple[int, int, resource.struct_rusage] | None:
    """The next child process to end and the resources that it and its own children used; None if none is left."""
    try:
        return os.wait3(0)
    except ChildProcessError:
        return None
