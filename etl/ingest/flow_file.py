"""Reading one flow file into the lake's parts: the work of one worker process, with no database in it."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from etl.errors import NfdumpError, UnreadableFileError
from etl.ingest.decode import Claim, Evidence, Judged, judge
from etl.lake.parts import Part, write_parts, write_table
from etl.lake.url import Lake
from etl.nfcapd.layout import file_layout
from etl.nfcapd.nfdump import Nfdump, complaint, exporters, probe_version, promised_records, record_stream
from etl.nfcapd.records import raw_tables

# Part of every ingest hash: raise it when the same file would give other rows.
ROWS_VERSION = 3

REFERENCE_FILE = Path(__file__).parents[1] / "nfcapd" / "reference" / "nfcapd.202611201815"
# What the reference file holds, from the collector's own statistics (nfdump -I) and the known senders.
_REFERENCE = {"records": 45, "bytes": 3_698_746_400, "first_ms": 1_795_198_720_827, "last_ms": 1_795_198_784_998}


@dataclass(frozen=True)
class ReadFile:
    """What became of one flow file; `reason` is empty unless it was set aside as a whole."""

    sha256: str
    size_bytes: int
    reason: str = ""
    layout: int | None = None
    promised_records: int | None = None
    read_records: int = 0
    sequence_failures: int = 0
    parts: tuple[Part, ...] = ()
    counts: tuple[tuple[str, str, int, int], ...] = ()  # router, outcome, records, bytes
    evidence: tuple[Evidence, ...] = ()
    warnings: tuple[str, ...] = ()


def probe(program: str) -> Nfdump:
    """Finds the form in which this nfdump can be read, and checks it on the reference file.

    Raises:
        NfdumpError: nfdump is missing, of an unknown version, or reads the reference file otherwise than it should.
    """
    version = probe_version(program)
    seen = []
    for output in ("ndjson", "json"):
        nfdump = Nfdump(program, version, output)
        try:
            found = _summary(nfdump)
        except (pa.ArrowInvalid, UnreadableFileError) as problem:
            seen.append(f"{output}: {problem}")
            continue
        if found == _REFERENCE:
            return nfdump
        seen.append(f"{output}: {found}")
    raise NfdumpError(
        f"{program} {'.'.join(map(str, version))} does not read the reference file {REFERENCE_FILE.name} as known "
        f"({_REFERENCE}); it gave {'; '.join(seen)}. Nothing was read: this nfdump needs an adapted HNTES"
    )


def sha256_of(path: Path) -> str:
    """Hex digest of a file's content."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_file(
    path: Path,
    nfdump: Nfdump,
    lake: Lake,
    stem: str,
    claims: list[Claim],
    max_clock_ahead_ms: int,
    expected_sha256: str | None = None,
) -> ReadFile:
    """Reads one file and writes its parts; a file that cannot be read whole gives its reason and no part.

    A file that after reading has not the expected content gives no part either, and its new hash ("" if it is gone).
    """
    layout = promised = None
    reason = ""
    try:
        layout = file_layout(path)
        promised, failures = promised_records(nfdump, path)
        judged, read = _judged(path, nfdump, claims, max_clock_ahead_ms, layout)
        if read != promised:
            reason = f"it promises {promised} records, {read} can be read"
    except UnreadableFileError as problem:
        reason = str(problem)
    digest, size = _content(path)
    if reason or expected_sha256 not in (None, digest):
        return ReadFile(digest, size, reason=reason, layout=layout, promised_records=promised)
    _check_nothing_lost(judged, read, path)
    parts = write_parts(lake, stem, [claim.router for claim in claims], judged.rows, judged.owner)
    if judged.set_aside.num_rows:
        write_table(lake / "set_aside" / f"{stem}.parquet", judged.set_aside)
    return ReadFile(
        digest,
        size,
        layout=layout,
        promised_records=promised,
        read_records=read,
        sequence_failures=failures,
        parts=tuple(parts),
        counts=tuple((router, outcome, *numbers) for (router, outcome), numbers in sorted(judged.counts.items())),
        evidence=tuple(judged.evidence),
        warnings=tuple(judged.warnings),
    )


def _content(path: Path) -> tuple[str, int]:
    try:
        return sha256_of(path), path.stat().st_size
    except OSError:
        return "", 0


def _judged(
    path: Path, nfdump: Nfdump, claims: list[Claim], max_clock_ahead_ms: int, layout: int
) -> tuple[Judged, int]:
    read = 0

    def counted(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        nonlocal read
        for table in tables:
            read += table.num_rows
            yield table

    named = exporters(nfdump, path)
    try:
        with record_stream(nfdump, path) as stream:
            tables = counted(raw_tables(stream, nfdump.output))
            judged = judge(tables, claims, named, max_clock_ahead_ms, nfdump.loses_marks_of(layout))
    except pa.ArrowInvalid as problem:
        raise UnreadableFileError(f"nfdump's output cannot be parsed: {complaint(str(problem), path)}") from problem
    return judged, read


def _check_nothing_lost(judged: Judged, read: int, path: Path) -> None:
    settled = sum(
        records
        for (_, outcome), (records, _) in judged.counts.items()
        if outcome == "kept" or outcome.startswith(("set_aside:", "unclaimed:"))
    )
    if settled != read:
        raise AssertionError(f"{path}: {read} records were read but {settled} accounted for; this is a defect of HNTES")


def _summary(nfdump: Nfdump) -> dict[str, int]:
    with record_stream(nfdump, REFERENCE_FILE) as stream:
        judged = judge(raw_tables(stream, nfdump.output), [Claim("reference")], [], 0)
    rows = judged.rows
    return {
        "records": rows.num_rows,
        "bytes": sum(rows["bytes"].to_pylist()),
        "first_ms": min(rows["first_ms"].to_pylist(), default=0),
        "last_ms": max(rows["last_ms"].to_pylist(), default=0),
    }
