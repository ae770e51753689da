"""Running nfdump: which version it is, what a file promises, who exported into it, and its records as a stream.

Records are read in nfdump's JSON form. It is the only form of all 1.7 versions that tells, record by record, whether
the collector has already multiplied the counters by the sampling rate ("sampled"), and that prints the end time right
(`%ter` of 1.7.1 does not, and `fmt` durations lose seconds where a record ends before it starts). One pass also keeps
the record's fields together: from 1.7.5 on nfdump works with several threads and two passes over one file may come in
different orders.
"""

import os
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from etl.errors import NfdumpError, UnreadableFileError

OLDEST, FIRST_UNKNOWN = (1, 7, 1), (1, 8, 0)
# 1.7.1 says this of records it needs not list (exporter tables of 1.6 files), thousands of times
_HARMLESS = re.compile(r"^(Skip unknown record type \d+)?$")
_EXPORTER = re.compile(r"^SysID:\s*(?P<sysid>\d+), IP:\s*(?P<address>[0-9a-fA-F.:]+), version:")
_SAMPLER = re.compile(r"^\s+Sampler:(?P<name>.*?)algorithm:\s*(?P<algorithm>\d+).*?interval:\s*(?P<interval>\d+)"
                      r".*?space:\s*(?P<space>\d+)")  # fmt: skip


@dataclass(frozen=True)
class Nfdump:
    """An nfdump program that was probed."""

    program: str
    version: tuple[int, int, int]
    output: str  # "json" or "ndjson"

    @property
    def version_text(self) -> str:
        return ".".join(str(part) for part in self.version)

    def loses_marks_of(self, layout: int) -> bool:
        """Whether it shows multiplied records as if they were not: 1.7.5 and 1.7.10 do so with files of nfdump 1.6.

        Seen on a file that 1.7.1 reads right; the versions between were not tried and are taken to be like the later.
        """
        return layout == 1 and self.version > (1, 7, 1)


@dataclass(frozen=True)
class Exporter:
    """An exporter that a file names, with the sampling the collector knew: 1 packet in `factor`, None if it knew none.

    `general` is true when that rate holds for everything the exporter sends, not for one of its samplers only.
    """

    sysid: int
    address: str
    factor: int | None
    general: bool


def environment() -> dict[str, str]:
    """nfdump prints local times unless TZ says otherwise, and is several times slower doing so."""
    return {**os.environ, "TZ": "UTC", "LC_ALL": "C"}


def probe_version(program: str) -> tuple[int, int, int]:
    """The version of an nfdump program.

    Raises:
        NfdumpError: it is missing, says no version, or one that is not known to be read right.
    """
    try:
        done = subprocess.run([program, "-V"], capture_output=True, text=True, env=environment(), check=False)
    except OSError as cause:
        raise NfdumpError(f"{program}: cannot be run ({cause.strerror}); install the package nfdump") from cause
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", done.stdout + done.stderr)
    if not found:
        raise NfdumpError(f"{program} -V names no version: {(done.stdout + done.stderr).strip()!r}")
    version = (int(found[1]), int(found[2]), int(found[3]))
    if not OLDEST <= version < FIRST_UNKNOWN:
        raise NfdumpError(
            f"{program} is version {found[0]}; known are 1.7.1 and later 1.7 versions. "
            "Its output or file layout may differ, so nothing was read"
        )
    return version


def promised_records(nfdump: Nfdump, path: Path) -> tuple[int, int]:
    """Records a file says it holds, and export sequence failures the collector counted, from its own statistics.

    Raises:
        UnreadableFileError: nfdump cannot open it.
    """
    done = subprocess.run(
        [nfdump.program, "-I", "-r", str(path)], capture_output=True, text=True, errors="replace", env=environment(),
        check=False,
    )  # fmt: skip
    flows = re.search(r"^Flows: (\d+)$", done.stdout, re.MULTILINE)
    failures = re.search(r"^Sequence failures: (\d+)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not flows:
        raise UnreadableFileError(f"nfdump cannot open it: {complaint(done.stderr, path) or 'it gives no reason'}")
    return int(flows[1]), int(failures[1]) if failures else 0


def exporters(nfdump: Nfdump, path: Path) -> list[Exporter]:
    """The exporters and samplers a file names. It may name none and still hold their records.

    Raises:
        UnreadableFileError: nfdump failed; its silence must not pass for "not sampled".
    """
    done = subprocess.run(
        [nfdump.program, "-E", str(path)], capture_output=True, text=True, errors="replace", env=environment(),
        check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise UnreadableFileError(
            f"nfdump cannot list its exporters: {complaint(done.stderr, path) or done.returncode}"
        )
    addresses: dict[int, str] = {}
    general: dict[int, int | None] = {}
    special: dict[int, set[int | None]] = {}
    sysid = None
    for line in done.stdout.splitlines():
        if head := _EXPORTER.match(line):
            sysid = int(head["sysid"])
            addresses[sysid] = head["address"]
        elif (sampler := _SAMPLER.match(line)) and sysid is not None:
            interval, space = int(sampler["interval"]), int(sampler["space"])
            factor = (interval + space) // interval if interval else None
            if "Generic" in sampler["name"] or "Static" in sampler["name"]:
                general.setdefault(sysid, factor)
            else:
                special.setdefault(sysid, set()).add(factor)
    # a sampler for all traffic counts before those for some; those that differ leave the rate unknown
    agreed = {sysid: factors.pop() for sysid, factors in special.items() if len(factors) == 1}
    return [
        Exporter(sysid, address, general.get(sysid, agreed.get(sysid)), sysid in general)
        for sysid, address in addresses.items()
    ]


@contextmanager
def record_stream(nfdump: Nfdump, path: Path) -> Iterator[IO[bytes]]:
    """The file's records as JSON bytes.

    Raises:
        UnreadableFileError: on leaving, if nfdump failed; what was read until then must not be used.
    """
    command = [nfdump.program, "-r", str(path), "-q", "-N", "-o", nfdump.output]
    with (
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), pipesize=1 << 20
        ) as process,
        _StderrReader(process) as said,
    ):
        assert process.stdout is not None  # noqa: S101 - the pipe was asked for in the line above
        try:
            yield process.stdout
        except BaseException:
            process.kill()
            raise
        process.wait()
    if process.returncode != 0:
        raise UnreadableFileError(f"nfdump stopped with {process.returncode}: {complaint(said.text(), path)}")


class _StderrReader:
    """Drains standard error beside standard output, so that a talkative nfdump never blocks on a full pipe."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._lines: dict[str, None] = {}
        self._thread = threading.Thread(target=self._drain, args=(process.stderr,), daemon=True)

    def _drain(self, stream: IO[bytes]) -> None:
        for line in stream:
            if len(self._lines) < 100:
                self._lines.setdefault(line.decode("utf-8", "replace").rstrip("\n"), None)

    def __enter__(self) -> "_StderrReader":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()

    def text(self) -> str:
        return "\n".join(self._lines)


def complaint(stderr: str, path: Path) -> str:
    """What nfdump complained of, in one line of printable text, without its noise and without the file's path."""
    seen = dict.fromkeys(line.strip() for line in stderr.splitlines() if not _HARMLESS.match(line.strip()))
    text = "; ".join(seen).replace(str(path), path.name)
    # foreign files put anything into a message; a database takes no zero bytes, a terminal should get no commands
    return "".join(sign if sign.isprintable() else "?" for sign in text)[:400]
