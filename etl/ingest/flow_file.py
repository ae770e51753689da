"""Reading one flow file into the lake's parts: the work of one worker process, with no database in it."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pyarrow as pa

from hntes.etl.errors import UnreadableFileError, UnreadForNowError
from hntes.etl.ingest.content import Content, content_of
from hntes.etl.ingest.exporter_baseline import NOTHING_KNOWN, ExporterBaseline
from hntes.etl.ingest.exports import SEQUENCE_FAILURES
from hntes.etl.ingest.judge import Outcome, judge_file
from hntes.etl.ingest.result import ReadFile
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.lake.parts import PartWriter, write_part
from hntes.etl.lake.store import set_aside_name, store_of
from hntes.etl.lake.url import Lake
from hntes.etl.sources.source import FlowRecords, FlowSource, Promise


def read_file(
    path: Path,
    source: FlowSource,
    lake: Lake,
    stem: str,
    claims: list[RouterExporters],
    max_clock_ahead_ms: int,
    expected: Content | None = None,
    baseline: ExporterBaseline = NOTHING_KNOWN,
    day: date | None = None,
) -> ReadFile:
    """Reads one file and writes its parts; a file that cannot be read whole gives its reason and no part.

    `baseline` is what former files say of its exporters' sampling; `day` is the file's, by which records that are set
    aside are kept (None: by none). A file that after reading has not the expected content gives no part either, and its
    new hash ("" if it is gone).
    """
    layout: int | None = None
    records: FlowRecords | None = None
    outcome: Outcome | None = None
    reason, is_final, warnings = "", True, list[str]()
    with PartWriter(lake, stem, [claim.router for claim in claims]) as parts:
        try:
            layout = source.identify(path)
            records = source.open(path, layout)
            outcome = judge_file(records, claims, max_clock_ahead_ms, baseline, parts)
            warnings += records.warnings()
        except UnreadableFileError as problem:
            reason, is_final, outcome = str(problem), not isinstance(problem, UnreadForNowError), None
        content = _content_after(path, expected)
        is_unchanged = expected is None or content.sha256 == expected.sha256
        if records is None or outcome is None or not is_unchanged:
            promised = records.promise.records if records else None
            return ReadFile(content.sha256, content.size_bytes, reason, is_final, is_unchanged, layout, promised)
        promise = records.promise
        _check_nothing_lost(outcome, path)
        written = parts.finish()
    _write_set_aside(lake, set_aside_name(stem, day), outcome.set_aside)
    return replace(
        _report(promise, outcome), sha256=content.sha256, size_bytes=content.size_bytes, layout=layout,
        parts=tuple(written), warnings=(*warnings, *outcome.warnings),
    )  # fmt: skip


def _report(promise: Promise, outcome: Outcome) -> ReadFile:
    """The result of a file whose records were judged, without its content and parts."""
    failures = promise.sequence_failures
    if failures is not None:
        attributed = (number for (*_, named), (number, _) in outcome.exporters.items() if named == SEQUENCE_FAILURES)
        failures = max(0, failures - sum(attributed))
    return ReadFile(
        "",
        0,
        promised_records=promise.records,
        read_records=outcome.records,
        sequence_failures=failures,
        counts=tuple((router, named, *numbers) for (router, named), numbers in sorted(outcome.counts.items())),
        exporters=tuple((*key, *numbers) for key, numbers in sorted(outcome.exporters.items())),
        evidence=tuple(outcome.evidence),
    )


def _write_set_aside(lake: Lake, name: str, records: pa.Table) -> None:
    if records.num_rows:
        write_part(lake, name, records)
    else:
        # that of an earlier reading of the same flow file
        store_of(lake).remove([name])


def _content_after(path: Path, expected: Content | None) -> Content:
    """The file's content after reading; no hash if it is gone."""
    try:
        return expected if expected is not None and expected.is_still_in(path) else content_of(path)
    except OSError:
        return Content("", 0)


def _check_nothing_lost(outcome: Outcome, path: Path) -> None:
    settled = sum(
        records
        for (_, name), (records, _) in outcome.counts.items()
        if name == "kept" or name.startswith(("set_aside:", "unclaimed:"))
    )
    read = outcome.records + outcome.reversed_records
    if settled != read:
        raise AssertionError(f"{path}: {read} records were read but {settled} accounted for; this is a defect of HNTES")
