"""Reading one flow file into the lake's parts: the work of one worker process, with no database in it."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from etl.errors import NfdumpError, StoppedProgramError, UnreadableFileError
from etl.ingest.columns import compact_native
from etl.ingest.decode import Claim, Evidence, Judged, judge, judge_columns
from etl.ingest.trust import NOTHING_KNOWN, Usual
from etl.lake.parts import Part, remove_table, write_parts, write_table
from etl.lake.url import Lake
from etl.nfcapd.layout import file_layout
from etl.nfcapd.nfdump import Nfdump, Promise, complaint, exporters, probe_version, promised, record_stream
from etl.nfcapd.process import DEFAULT_LIMITS, Limits
from etl.nfcapd.records import raw_tables
from etl.nfcapd.sums import RecordSums

# Part of every ingest hash: raise it when the same file would give other rows.
ROWS_VERSION = 6

REFERENCE_FILE = Path(__file__).parents[1] / "nfcapd" / "reference" / "nfcapd.202611201815"
# What the reference file holds, from the collector's own statistics (nfdump -I) and the known senders.
_REFERENCE = {"records": 45, "bytes": 3_698_746_400, "first_ms": 1_795_198_720_827, "last_ms": 1_795_198_784_998}


@dataclass(frozen=True)
class ReadFile:
    """What became of one flow file; `reason` is empty unless it was set aside as a whole.

    `is_final` is false where nfdump was stopped at its limits: the next run may fare better.
    """

    sha256: str
    size_bytes: int
    reason: str = ""
    is_final: bool = True
    layout: int | None = None
    promised_records: int | None = None
    read_records: int = 0
    sequence_failures: int = 0
    parts: tuple[Part, ...] = ()
    counts: tuple[tuple[str, str, int, int], ...] = ()  # router, outcome, records, bytes
    evidence: tuple[Evidence, ...] = ()
    warnings: tuple[str, ...] = ()


def probe(program: str, limits: Limits = DEFAULT_LIMITS) -> Nfdump:
    """Finds the form in which this nfdump can be read, and checks it on the reference file.

    Raises:
        NfdumpError: nfdump is missing, of an unknown version, or reads the reference file otherwise than it should.
    """
    version = probe_version(program)
    seen = []
    for output in ("ndjson", "json"):
        nfdump = Nfdump(program, version, output, limits)
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
    usual: Usual = NOTHING_KNOWN,
    native: bool = False,
) -> ReadFile:
    """Reads one file and writes its parts; a file that cannot be read whole gives its reason and no part.

    `usual` is what former files say of its exporters' sampling. With `native`, nfdump reads only what the native reader
    refuses, and a warning says so.

    A file that after reading has not the expected content gives no part either, and its new hash ("" if it is gone).
    """
    layout = promise = None
    reason, is_final = "", True
    refusal: tuple[str, ...] = ()
    try:
        layout = file_layout(path)
        read = _judged_natively(path, claims, max_clock_ahead_ms, usual) if native else ""
        if isinstance(read, str):
            refusal = (f"read by nfdump: the native reader refuses it ({read})",) if read else ()
            promise = promised(nfdump, path)
            judged = _judged(path, nfdump, promise, claims, max_clock_ahead_ms, layout, usual)
        else:
            promise, judged = read
    except UnreadableFileError as problem:
        reason, is_final = str(problem), not isinstance(problem, StoppedProgramError)
    digest, size = _content(path)
    records = promise.records if promise else None
    if reason or promise is None or expected_sha256 not in (None, digest):
        return ReadFile(digest, size, reason=reason, is_final=is_final, layout=layout, promised_records=records)
    _check_nothing_lost(judged, promise.records, path)
    parts = write_parts(lake, stem, [claim.router for claim in claims], judged.rows, judged.owner)
    aside = lake / f"set_aside/{stem}.parquet"
    if judged.set_aside.num_rows:
        write_table(aside, judged.set_aside)
    else:
        remove_table(aside)
    return ReadFile(
        digest,
        size,
        layout=layout,
        promised_records=promise.records,
        read_records=promise.records,
        sequence_failures=promise.sequence_failures,
        parts=tuple(parts),
        counts=tuple((router, outcome, *numbers) for (router, outcome), numbers in sorted(judged.counts.items())),
        evidence=tuple(judged.evidence),
        warnings=refusal + tuple(judged.warnings),
    )


def _content(path: Path) -> tuple[str, int]:
    try:
        return sha256_of(path), path.stat().st_size
    except OSError:
        return "", 0


def _judged(
    path: Path, nfdump: Nfdump, promise: Promise, claims: list[Claim], max_clock_ahead_ms: int, layout: int,
    usual: Usual,
) -> Judged:  # fmt: skip
    """The file's records after judgement.

    Raises:
        UnreadableFileError: nfdump cannot read it, or its records are not those that it promises.
    """
    found = RecordSums()

    def counted(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        for table in tables:
            found.add(table)
            if found.records > promise.records:
                # damage can make nfdump list records without end
                raise UnreadableFileError(f"it promises {promise.records} records, more can be read")
            yield table

    named = exporters(nfdump, path)
    try:
        with record_stream(nfdump, path) as stream:
            tables = counted(raw_tables(stream, nfdump.output))
            judged = judge(tables, claims, named, max_clock_ahead_ms, nfdump.loses_marks_of(layout), usual)
    except pa.ArrowInvalid as problem:
        raise UnreadableFileError(f"nfdump's output cannot be parsed: {complaint(str(problem), path)}") from problem
    _check_sums(found, promise)
    return judged


def _check_sums(found: RecordSums, promise: Promise) -> None:
    if found.records != promise.records:
        raise UnreadableFileError(f"it promises {promise.records} records, {found.records} can be read")
    if differences := found.differences(promise.sums):
        raise UnreadableFileError(f"its counters do not add up: it promises {'; '.join(differences)}")


def _judged_natively(
    path: Path, claims: list[Claim], max_clock_ahead_ms: int, usual: Usual
) -> tuple[Promise, Judged] | str:
    """The file's promise and records, or why the native reader does not read it: damage is for nfdump to name."""
    # compiled, and not there on Spark's executors
    from etl.nfcapd.native import NativeFile, NotNativeError

    try:
        file = NativeFile(path)
        promise = file.promise
        blocks = [compact_native(block) for block in file.blocks()]
        _check_sums(file.sums, promise)
    except (NotNativeError, UnreadableFileError) as refusal:
        return str(refusal)
    return promise, judge_columns(blocks, claims, file.exporters, max_clock_ahead_ms, usual=usual)


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
