"""Reading one flow file into the lake's parts: the work of one worker process, with no database in it."""

import functools
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from hntes.etl.errors import NfdumpError, StoppedProgramError, UnreadableFileError
from hntes.etl.ingest.content import Content, content_of
from hntes.etl.ingest.decode import Claim
from hntes.etl.ingest.exporter_baseline import NOTHING_KNOWN, Usual
from hntes.etl.ingest.judge import FileRecords, Outcome, judge, judge_file
from hntes.etl.ingest.result import ReadFile
from hntes.etl.ingest.sources import NativeRecords, NfdumpRecords
from hntes.etl.lake.parts import PartWriter, remove_table, write_table
from hntes.etl.lake.url import Lake
from hntes.etl.sources.nfcapd.concatenated import glued_bytes
from hntes.etl.sources.nfcapd.layout import file_layout
from hntes.etl.sources.nfcapd.nfdump import UNCHECKED, Nfdump, Promise, probe_version, record_stream
from hntes.etl.sources.nfcapd.process import DEFAULT_LIMITS, Limits
from hntes.etl.sources.nfcapd.records import raw_tables

REFERENCE_FILE = Path(__file__).parents[1] / "sources" / "nfcapd" / "reference" / "nfcapd.202611201815"
# What the reference file holds, from the collector's own statistics (nfdump -I) and the known senders.
_REFERENCE = {"records": 45, "bytes": 3_698_746_400, "first_ms": 1_795_198_720_827, "last_ms": 1_795_198_784_998}


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


@functools.cache
def _checked(nfdump: Nfdump) -> Nfdump:
    """The same, once it was checked in this process.

    Raises:
        NfdumpError: it reads the reference file otherwise than it should.
    """
    return probe(nfdump.program, nfdump.limits) if nfdump.output == UNCHECKED else nfdump


def read_file(
    path: Path,
    nfdump: Nfdump,
    lake: Lake,
    stem: str,
    claims: list[Claim],
    max_clock_ahead_ms: int,
    expected: Content | None = None,
    usual: Usual = NOTHING_KNOWN,
    native: bool = False,
) -> ReadFile:
    """Reads one file and writes its parts; a file that cannot be read whole gives its reason and no part.

    `usual` is what former files say of its exporters' sampling. With `native`, nfdump reads only what the native reader
    refuses, and a warning says so.

    A file that after reading has not the expected content gives no part either, and its new hash ("" if it is gone).
    """
    layout: int | None = None
    promise: Promise | None = None
    outcome: Outcome | None = None
    reason, is_final, refusal, glued = "", True, "", 0
    with PartWriter(lake, stem, [claim.router for claim in claims]) as parts:
        judged = partial(judge_file, claims=claims, max_clock_ahead_ms=max_clock_ahead_ms, usual=usual, sink=parts)
        try:
            layout = file_layout(path)
            if native:
                promise, outcome, refusal = _natively(path, judged)
            if outcome is None:
                records = NfdumpRecords(path, _checked(nfdump), layout)
                promise = records.promise
                outcome = judged(records)
            glued = glued_bytes(path, layout)
        except UnreadableFileError as problem:
            reason, is_final = str(problem), not isinstance(problem, StoppedProgramError)
        content = _content_after(path, expected)
        is_unchanged = expected is None or content.sha256 == expected.sha256
        if promise is None or outcome is None or not is_unchanged:
            promised = promise.records if promise else None
            return ReadFile(content.sha256, content.size_bytes, reason, is_final, is_unchanged, layout, promised)
        _check_nothing_lost(outcome, promise.records, path)
        written = parts.finish()
    _write_set_aside(lake / f"set_aside/{stem}.parquet", outcome.set_aside)
    warnings = [f"read by nfdump: the native reader refuses it ({refusal})"] if refusal else []
    if glued:
        warnings.append(
            f"another flow file was glued to it, whose {glued} bytes are not read: give both as files of their own, or "
            "join them with nfdump -R and -w"
        )
    return replace(
        _told(promise, outcome), sha256=content.sha256, size_bytes=content.size_bytes, layout=layout,
        parts=tuple(written), warnings=(*warnings, *outcome.warnings),
    )  # fmt: skip


def _told(promise: Promise, outcome: Outcome) -> ReadFile:
    """What is known of a file whose records were judged, but for its content and its parts."""
    return ReadFile(
        "",
        0,
        promised_records=promise.records,
        read_records=promise.records,
        sequence_failures=promise.sequence_failures,
        counts=tuple((router, named, *numbers) for (router, named), numbers in sorted(outcome.counts.items())),
        evidence=tuple(outcome.evidence),
    )


def _natively(path: Path, judged: Callable[[FileRecords], Outcome]) -> tuple[Promise | None, Outcome | None, str]:
    """The file's promise and what became of its records, or why it is not read natively: nfdump names the damage."""
    from hntes.etl.sources.nfcapd.native import NotNativeError

    try:
        records = NativeRecords(path)
        return records.promise, judged(records), ""
    except (NotNativeError, UnreadableFileError) as refusal:
        return None, None, str(refusal)


def _write_set_aside(path: Lake, records: pa.Table) -> None:
    if records.num_rows:
        write_table(path, records)
    else:
        remove_table(path)


def _content_after(path: Path, expected: Content | None) -> Content:
    """What the file holds after it was read: no hash where it is gone."""
    try:
        return expected if expected is not None and expected.is_still_in(path) else content_of(path)
    except OSError:
        return Content("", 0)


def _check_nothing_lost(outcome: Outcome, read: int, path: Path) -> None:
    settled = sum(
        records
        for (_, name), (records, _) in outcome.counts.items()
        if name == "kept" or name.startswith(("set_aside:", "unclaimed:"))
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
