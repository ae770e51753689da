"""External programs on files that may be damaged, with limits of time and memory for the whole process group.

nfdump trusts the block headers of a file: a flipped bit makes it read forever, or allocate gigabytes. The limits turn
both into a reason for setting that one file aside.
"""

import os
import resource
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from hntes.etl.errors import StoppedProgramError

MIB = 1 << 20
_BLOCK_BYTES = 512  # of st_blocks, whatever the file system's own are (POSIX.1-2017, sys/stat.h)
_TEXT_BYTES = 16 * MIB
_LINE_BYTES, _LINES = 4096, 100


@dataclass(frozen=True)
class Limits:
    """Limits of one run of a program: seconds per file and per MiB of it, address space.

    The time includes this program's own work on the records. nfdump 1.7.1 lists some 20,000 to 60,000 records a MiB
    in less than a second on one core, and takes 100 MiB.
    """

    base_s: float = 60.0
    per_mib_s: float = 30.0
    memory_mib: int = 2048

    def seconds(self, size_bytes: int) -> float:
        """The timeout of a run over a file of this size."""
        return self.base_s + self.per_mib_s * size_bytes / MIB

    def seconds_for(self, path: Path) -> float:
        """The same for a file; one that is not there takes no time of its own, and neither does a hole in it."""
        try:
            found = path.stat()
        except OSError:
            return self.seconds(0)
        return self.seconds(min(found.st_size, found.st_blocks * _BLOCK_BYTES))


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class Finished:
    """A run that ended by itself."""

    returncode: int
    stdout: str
    stderr: str


class Running:
    """A program at work in a process group of its own, and a clock that kills the group when its time is over."""

    def __init__(self, command: Sequence[str], environment: dict[str, str], limits: Limits, limit_s: float) -> None:
        self.command, self.limits, self.limit_s = command, limits, limit_s
        self.has_expired = False
        self._said: dict[str, None] = {}
        self._process = subprocess.Popen(
            _ending_with_parent(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment, pipesize=MIB, process_group=0,
        )  # fmt: skip
        self._limit_resources()
        self._clock = threading.Timer(limit_s, self._expire)
        self._clock.daemon = True
        self._listener = threading.Thread(target=self._listen, daemon=True)

    @property
    def stdout(self) -> IO[bytes]:
        """What the program writes; ends early when its time is over."""
        assert self._process.stdout is not None  # noqa: S101 - the pipe was asked for
        return self._process.stdout

    @property
    def returncode(self) -> int:
        """Its exit status, once it has ended."""
        return self._process.returncode

    def __enter__(self) -> "Running":
        self._clock.start()
        self._listener.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.kill()
        # seen, but not reaped: as long as the program has its number, so has its group
        os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        self._clock.cancel()
        self._clock.join()
        # whatever the program has started holds the pipes open and must not outlive it
        self.kill()
        self._process.wait()
        self.stdout.close()
        self._listener.join()

    def kill(self) -> None:
        """Ends the program and all it has started; harmless where none is left."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def text(self) -> str:
        """What it wrote to standard error: up to 100 different lines."""
        return "\n".join(self._said)

    def check_time(self) -> None:
        """Raises StoppedProgramError if the program was stopped because its time was over."""
        if self.has_expired:
            raise StoppedProgramError(
                f"{Path(self.command[0]).name} was stopped after {self.limit_s:.0f} s: the file is damaged, or this "
                "machine is too busy for the limit (ingest.nfdump_limit_s); it is tried again with the next run"
            )

    def _limit_resources(self) -> None:
        """After the start, since what runs between fork and exec must not be Python where there are threads.

        Address space, for files that ask for gigabytes; processor time as well, so that the program ends even where
        this process is killed and its clock with it; no core dumps.
        """
        seconds = int(self.limit_s) + 1
        wanted = (
            (resource.RLIMIT_AS, self.limits.memory_mib * MIB),
            (resource.RLIMIT_CPU, seconds * (os.cpu_count() or 1)),
            (resource.RLIMIT_CORE, 0),
        )
        for kind, most in wanted:
            _, hard = resource.getrlimit(kind)
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            try:
                resource.prlimit(self._process.pid, kind, (most, most))
            except ProcessLookupError:
                return  # it has ended already

    def _expire(self) -> None:
        self.has_expired = True
        self.kill()

    def _listen(self) -> None:
        """Drains standard error beside standard output, so that a talkative program never blocks on a full pipe."""
        assert self._process.stderr is not None  # noqa: S101 - the pipe was asked for
        with self._process.stderr as stream:
            while line := stream.readline(_LINE_BYTES):
                if len(self._said) < _LINES:
                    self._said.setdefault(line.decode("utf-8", "replace").rstrip("\n"), None)


def _ending_with_parent(command: Sequence[str]) -> Sequence[str]:
    """The command, killed when this process dies (prctl(2), PR_SET_PDEATHSIG) where util-linux' setpriv is there.

    Elsewhere a program that outlives this process ends by its limit of processor time.
    """
    setpriv, program = shutil.which("setpriv"), shutil.which(command[0])
    if setpriv is None or program is None:
        return command
    return [setpriv, "--pdeathsig", "KILL", "--", program, *command[1:]]


@contextmanager
def running(command: Sequence[str], environment: dict[str, str], limits: Limits, limit_s: float) -> Iterator[Running]:
    """A program at work; on leaving it has ended, or is ended where the block raised.

    Raises:
        OSError: the program cannot be started.
        StoppedProgramError: on leaving, if its time was over; what was read until then must not be used.
    """
    with Running(command, environment, limits, limit_s) as program:
        yield program
    program.check_time()


def run(command: Sequence[str], environment: dict[str, str], limits: Limits, limit_s: float) -> Finished:
    """Runs a program to its end and returns what it wrote: up to 16 MiB, more is cut off.

    Raises:
        OSError: the program cannot be started.
        StoppedProgramError: its time was over.
    """
    with running(command, environment, limits, limit_s) as program:
        text = program.stdout.read(_TEXT_BYTES)
        while program.stdout.read(MIB):
            pass
    return Finished(program.returncode, text.decode("utf-8", "replace"), program.text())
