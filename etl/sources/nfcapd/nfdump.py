"""Running nfdump: its version, a file's statistics and exporters, and its records as a stream.

Records are read in nfdump's JSON form. It is the only form of all 1.7 versions that tells, record by record, whether
the collector has already multiplied the counters by the sampling rate ("sampled"), and that prints the end time right
(`%ter` of 1.7.1 does not, and `fmt` durations lose seconds where a record ends before it starts). One pass also keeps
the record's fields together: from 1.7.5 on nfdump works with several threads and two passes over one file may come in
different orders.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from hntes.etl.errors import StoppedProgramError, UnreadableFileError
from hntes.etl.sources.nfcapd.errors import MissingNfdumpError, NfdumpError
from hntes.etl.sources.nfcapd.process import DEFAULT_LIMITS, Finished, Limits, Running, run, running
from hntes.etl.sources.nfcapd.sums import promised_sums
from hntes.etl.sources.source import Exporter, Promise

OLDEST, FIRST_UNKNOWN = (1, 7, 1), (1, 8, 0)
FIRST_OF_LAYOUT_3 = (1, 8, 0)
# Asking for the version needs no file.
_VERSION_LIMITS = Limits(base_s=30.0)
# What a column of the database holds; a damaged file may say more of itself.
MOST_RECORDS = (1 << 63) - 1
_CHUNK_BYTES = 1 << 20
_NO_MEMORY = re.compile(r"alloc|out of memory|cannot map", re.IGNORECASE)
# What 1.7 says of what it need not list, thousands of times: exporter tables of 1.6 files, elements of later versions,
# which carry nothing that counts or the records do not add up, and statistics of exporters that a file does not name.
_HARMLESS = re.compile(
    r"^(Skip unknown record type \d+|Unknown extension '\d+'|Exporter SysID: \d+ not found! - Skip stat record.*)?$"
)
_EXPORTER = re.compile(
    r"^\s*SysID:\s*(?P<sysid>\d+), IP:\s*(?P<address>[0-9a-fA-F.:]+), version:"
    r"(.*Sequence failures:\s*(?P<failures>\d+), packets:\s*(?P<packets>\d+))?"
)
_SAMPLER = re.compile(r"^\s+Sampler:(?P<name>.*?)algorithm:\s*(?P<algorithm>\d+).*?interval:\s*(?P<interval>\d+)"
                      r".*?space:\s*(?P<space>\d+)")  # fmt: skip


UNCHECKED = ""
# Older than any version, so that files it could not read are tried again once there is one.
MISSING = (0, 0, 0)


@dataclass(frozen=True)
class Nfdump:
    """An nfdump program that was probed.

    output: "json" or "ndjson"; UNCHECKED until it was tried which of them it gives. noise: lines that it prints on
    standard error for the reference file as well, such as on its own configuration.
    """

    program: str
    version: tuple[int, int, int]
    output: str
    limits: Limits = DEFAULT_LIMITS
    noise: frozenset[str] = frozenset()

    @property
    def version_text(self) -> str:
        return ".".join(str(part) for part in self.version)

    @property
    def is_missing(self) -> bool:
        """Whether there is no such program: files that the native reader refuses are then set aside."""
        return self.version == MISSING

    def loses_marks_of(self, layout: int) -> bool:
        """Whether it shows multiplied records as if they were not: 1.7.5 and 1.7.10 do so with files of nfdump 1.6.

        Seen on a file that 1.7.1 reads right; the versions between were not tried and are taken to be like the later.
        """
        return layout == 1 and self.version > (1, 7, 1)


@dataclass(frozen=True)
class Sampler:
    """A sampler of an exporter: `interval` packets are taken, then `space` passed over; 0 is no rate."""

    name: str
    interval: int
    space: int


@dataclass(frozen=True)
class NamedExporter:
    """An exporter with its samplers, as a file names it; a collector that was restarted gives its numbers again."""

    sysid: int
    address: str
    samplers: tuple[Sampler, ...]
    packets: int = 0
    sequence_failures: int = 0


def environment() -> dict[str, str]:
    """nfdump prints local times unless TZ says otherwise, and is several times slower doing so."""
    return {**os.environ, "TZ": "UTC", "LC_ALL": "C"}


def probe_version(program: str) -> tuple[int, int, int]:
    """The version of an nfdump program.

    Raises:
        MissingNfdumpError: it is missing.
        NfdumpError: it prints no version, or an unsupported one.
    """
    try:
        done = run([program, "-V"], environment(), _VERSION_LIMITS, _VERSION_LIMITS.base_s)
    except FileNotFoundError as cause:
        raise MissingNfdumpError(f"{program}: there is no such program; install the package nfdump") from cause
    except OSError as cause:
        raise NfdumpError(f"{program}: cannot be run ({cause.strerror}); install the package nfdump") from cause
    except StoppedProgramError as cause:
        raise NfdumpError(
            f"{program} -V does not answer within {_VERSION_LIMITS.base_s:.0f} s; is it nfdump?"
        ) from cause
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", done.stdout + done.stderr)
    if not found:
        raise NfdumpError(f"{program} -V prints no version: {(done.stdout + done.stderr).strip()!r}")
    version = (int(found[1]), int(found[2]), int(found[3]))
    if not OLDEST <= version < FIRST_UNKNOWN:
        raise NfdumpError(
            f"{program} is version {found[0]}; known are 1.7.1 and later 1.7 versions. "
            "Its output or file layout may differ, so nothing was read"
        )
    return version


def unchecked(program: str, limits: Limits = DEFAULT_LIMITS) -> Nfdump:
    """An nfdump of a known version that is checked on the reference file before it reads its first file.

    The check takes as long as reading some hundred thousand records natively, and most files need no nfdump.

    One that is not installed has the version `MISSING`.

    Raises:
        NfdumpError: nfdump is of an unknown version.
    """
    try:
        version = probe_version(program)
    except MissingNfdumpError:
        version = MISSING
    return Nfdump(program, version, UNCHECKED, limits)


def promised(nfdump: Nfdump, path: Path) -> Promise:
    """A file's own statistics.

    Raises:
        UnreadableFileError: nfdump cannot open it, or was stopped at its limits.
    """
    done = _run(nfdump, path, "-I", "-r", str(path))
    flows = re.search(r"^Flows: (\d+)$", done.stdout, re.MULTILINE)
    failures = re.search(r"^Sequence failures: (\d+)$", done.stdout, re.MULTILINE)
    sums = promised_sums(done.stdout)
    if done.returncode != 0 or not flows or sums is None or int(flows[1]) > MOST_RECORDS:
        said = complaint(done.stderr, path) or "it gives no reason"
        raise _failure(nfdump, f"nfdump cannot open it: {said}")
    _check_complaints(nfdump, done.stderr, path)
    return Promise(int(flows[1]), sums, min(int(failures[1]), MOST_RECORDS) if failures else 0)


def _run(nfdump: Nfdump, path: Path, *options: str) -> Finished:
    command = [nfdump.program, *options]
    return run(command, environment(), nfdump.limits, nfdump.limits.seconds_for(path))


def _check_complaints(nfdump: Nfdump, stderr: str, path: Path) -> None:
    """Raises UnreadableFileError on a complaint: nfdump exits with 0 where it skips blocks that it cannot read."""
    if said := complaint(stderr, path, nfdump.noise):
        raise _failure(nfdump, f"nfdump {nfdump.version_text} does not read all of it: {said}")


def _failure(nfdump: Nfdump, text: str) -> UnreadableFileError:
    """The error for what nfdump says of a file; one for which the memory did not suffice gets another try."""
    if _NO_MEMORY.search(text):
        return StoppedProgramError(
            f"{text}; the file is damaged, or {nfdump.limits.memory_mib} MiB are too little for it "
            "(ingest.nfdump_memory_mib)"
        )
    return UnreadableFileError(text)


def exporters(nfdump: Nfdump, path: Path) -> list[Exporter]:
    """The exporters and samplers a file names. It may name none and still hold their records.

    Raises:
        UnreadableFileError: nfdump failed; its silence must not pass for "not sampled".
    """
    done = _run(nfdump, path, "-E", str(path))
    if done.returncode != 0:
        said = complaint(done.stderr, path) or done.returncode
        raise _failure(nfdump, f"nfdump cannot list its exporters: {said}")
    _check_complaints(nfdump, done.stderr, path)
    return exporters_of(_named(done.stdout))


def _named(listing: str) -> Iterator[NamedExporter]:
    head: re.Match[str] | None = None
    samplers: list[Sampler] = []
    for line in listing.splitlines():
        if following := _EXPORTER.match(line):
            if head:
                yield _named_exporter(head, samplers)
            head, samplers = following, []
        elif (found := _SAMPLER.match(line)) and head:
            samplers.append(Sampler(found["name"], int(found["interval"]), int(found["space"])))
    if head:
        yield _named_exporter(head, samplers)


def _named_exporter(head: re.Match[str], samplers: Iterable[Sampler]) -> NamedExporter:
    exported = int(head["packets"] or 0), int(head["failures"] or 0)
    return NamedExporter(int(head["sysid"]), head["address"], tuple(samplers), *exported)


def exporters_of(named: Iterable[NamedExporter]) -> list[Exporter]:
    """Exporters by number and address, with the rate that their samplers agree on.

    Two domains of one exporter may have the same number, one after the other, where the collector was restarted: where
    their rates differ, the rate is unknown.
    """
    domains: dict[tuple[int, str], list[NamedExporter]] = {}
    for one in named:
        domains.setdefault((one.sysid, one.address), []).append(one)
    return [_joined(key, found) for key, found in sorted(domains.items())]


def _joined(key: tuple[int, str], domains: Sequence[NamedExporter]) -> Exporter:
    rates = {_rate(one.samplers) for one in domains}
    factor, is_general = next(iter(rates)) if len(rates) == 1 else (None, False)
    packets, failures = (sum(one.packets for one in domains), sum(one.sequence_failures for one in domains))
    return Exporter(*key, factor, is_general, min(packets, MOST_RECORDS), min(failures, MOST_RECORDS))


def _rate(samplers: Iterable[Sampler]) -> tuple[int | None, bool]:
    """The factor of an exporter's samplers, and whether it holds for all its traffic.

    A sampler for all traffic counts before those for some; those that differ leave the rate unknown, and so does one
    whose rate changed within the file: its records do not tell which of the two they were multiplied by.
    """
    general: dict[str, set[int | None]] = {}
    special: set[int | None] = set()
    for sampler in samplers:
        factor = (sampler.interval + sampler.space) // sampler.interval if sampler.interval else None
        if "Generic" in sampler.name or "Static" in sampler.name:
            general.setdefault(sampler.name, set()).add(factor)
        else:
            special.add(factor)
    if general:
        return _only(next(iter(general.values()))), True
    return _only(special), False


def _only(factors: set[int | None]) -> int | None:
    return next(iter(factors)) if len(factors) == 1 else None


@contextmanager
def record_stream(nfdump: Nfdump, path: Path) -> Iterator[IO[bytes]]:
    """The file's records as JSON bytes.

    Raises:
        UnreadableFileError: on leaving, if nfdump failed or was stopped at its limits; what was read until then must
            not be used.
    """
    with _listing(nfdump, path) as program:
        yield program.stdout
    if program.returncode != 0:
        raise _failure(nfdump, f"nfdump stopped with {program.returncode}: {complaint(program.text(), path)}")
    _check_complaints(nfdump, program.text(), path)


def noise_of(nfdump: Nfdump, path: Path) -> frozenset[str]:
    """What it prints on standard error while it lists a file that it is known to read."""
    with _listing(nfdump, path) as program:
        while program.stdout.read(_CHUNK_BYTES):
            pass
    return frozenset(line.strip() for line in program.text().splitlines())


def _listing(nfdump: Nfdump, path: Path) -> AbstractContextManager[Running]:
    command = [nfdump.program, "-r", str(path), "-q", "-N", "-o", nfdump.output]
    return running(command, environment(), nfdump.limits, nfdump.limits.seconds_for(path))


def complaint(stderr: str, path: Path, noise: Collection[str] = ()) -> str:
    """Error output of nfdump as one printable line, without noise and without the file's path."""
    lines = (line.strip() for line in stderr.splitlines())
    seen = dict.fromkeys(line for line in lines if line not in noise and not _HARMLESS.match(line))
    text = "; ".join(seen).replace(str(path), path.name)
    # foreign files put anything into a message; a database takes no zero bytes, a terminal should get no commands
    return "".join(sign if sign.isprintable() else "?" for sign in text)[:400]
