"""Ingest: a flow folder's files into the lake, each file in one transaction of the ledger.

Reading is idempotent by content: an unchanged file is left alone, a changed one replaces its rows, a copy of another
file adds nothing. A killed run leaves the ledger as it was before the file it was at; the next run finishes the rest.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from sqlalchemy import Engine

from hntes.etl.days import day_of_ms
from hntes.etl.ingest.actions import (
    Action,
    Keep,
    Read,
    Reading,
    RecordCopy,
    Seen,
    SetAside,
    plan_actions,
)
from hntes.etl.ingest.exporter_baseline import SAMPLING_CHANGED, SAMPLING_LOWERED
from hntes.etl.ingest.factor_history import FactorHistory, holds
from hntes.etl.ingest.leftovers import Superfluous, remove_leftovers
from hntes.etl.ingest.look import known_entries, look_at, orphans, refused
from hntes.etl.ingest.outcomes import LOSSES_UNTOLD
from hntes.etl.ingest.part_names import part_stem
from hntes.etl.ingest.readers import FileReader, LocalReader, ReadTask
from hntes.etl.ingest.result import ROWS_VERSION, ReadFile
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.ingest.unfinished import Unfinished
from hntes.etl.lake.part import folder_tag
from hntes.etl.lake.store import store_of
from hntes.etl.lake.url import Lake
from hntes.etl.locks import locked
from hntes.etl.sources.scan import FolderFile, Scan, Span
from hntes.etl.sources.source import FlowSource
from hntes.format import counted
from hntes.sql.entries import (
    ExporterCount,
    FactorSeen,
    FileEntry,
    FilePart,
    FileState,
    OutcomeCount,
    SamplingEntry,
)
from hntes.sql.ledger import (
    factors_of_folder,
    get_file,
    part_names_of_files,
    replace_file,
)
from hntes.sql.rows import MOST
from hntes.sql.session import reading, transaction


@dataclass(frozen=True)
class FolderPlan:
    """Reading of one flow folder: its routers, the time zone of its file names, and what its source is told ("")."""

    folder: Path
    claims: tuple[RouterExporters, ...]
    timezone: str = "UTC"
    max_clock_ahead_ms: int = 300_000
    reading: str = ""

    @property
    def ingest_hash(self) -> str:
        """Of all settings that decide which rows a file gives."""
        claims = [
            {
                "router": c.router,
                "exporters": sorted(c.exporters),
                "sampling": dict(c.sampling),
                "clock": c.clock,
                "allowed_factors": {exporter: sorted(factors) for exporter, factors in c.allowed_factors.items()},
                "rates_bps": sorted(c.ports.by_index.items()),
                "greatest_bps": c.ports.greatest_bps,
                "rotation_s": c.rotation_s,
            }
            for c in sorted(self.claims, key=lambda claim: claim.router)
        ]
        inputs = [ROWS_VERSION, claims, self.max_clock_ahead_ms, *([self.reading] if self.reading else ())]
        text = json.dumps(inputs, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class IngestReport:
    """The result of one run over a folder; counts are of this run's files, changed or not."""

    folder: str
    files: int = 0
    unchanged: int = 0
    ingested: int = 0
    duplicates: int = 0
    removed_leftovers: int = 0
    set_aside: dict[str, str] = field(default_factory=dict)  # path -> reason
    ignored: tuple[str, ...] = ()
    warnings: list[str] = field(default_factory=list)
    outcomes: dict[str, int] = field(default_factory=dict)  # of newly read files: outcome -> records
    sampling: dict[str, dict[str, int]] = field(default_factory=dict)  # "source 1:factor" -> exporter -> records

    def as_dict(self) -> dict[str, object]:
        """For machines, to which a file that was set aside is quarantined, as in the database."""
        return {"quarantined" if name == "set_aside" else name: value for name, value in asdict(self).items()}


# (files done, files to do, path of the last one)
Progress = Callable[[int, int, str], None]


def _silent(_done: int, _total: int, _path: str) -> None:
    """Reports nothing."""


def ingest_folder(
    engine: Engine,
    source: FlowSource,
    lake: Lake,
    plan: FolderPlan,
    *,
    from_ms: int | None = None,
    to_ms: int | None = None,
    scan: Scan | None = None,
    reader: FileReader | None = None,
    progress: Progress = _silent,
    lock_s: float = 600.0,
) -> IngestReport:
    """Ingests the folder's files whose time is in [from_ms, to_ms) (None: no bound); `reader` says where they are read.

    `scan`: those files, where they were looked for already. `lock_s`: how long another process may keep the folder.

    Raises:
        FlowFolderError: the folder does not exist.
        LockedError: another process is still ingesting this folder after `lock_s` seconds.
    """
    span = Span(from_ms, to_ms)
    scan = scan or source.discover(plan.folder, plan.timezone, span)
    ignored, warnings = tuple(scan.ignored), list(scan.problems)
    report = IngestReport(str(plan.folder), files=len(scan.files), ignored=ignored, warnings=warnings)
    store = store_of(lake)
    unfinished = Unfinished(store.state, plan.folder)
    with locked(store.state / ".locks" / folder_tag(plan.folder), f"ingest of {plan.folder}", lock_s):
        was_killed = unfinished.is_there
        if was_killed:
            killed = unfinished.leavings(claim.router for claim in plan.claims)
            report.removed_leftovers = remove_leftovers(engine, lake, plan.folder, killed)
        seen, unopened = look_at(plan.folder, scan.files, report.warnings)
        known = known_entries(engine, plan.folder, span, seen, scan, was_killed=was_killed)
        seen += orphans(plan.folder, known, seen, report.warnings)
        unopened += refused(scan, report.set_aside, span)
        with reading(engine) as session:
            held = part_names_of_files(session, str(plan.folder), [one.path for one in seen])
        missing = store.missing([part for _, part in held])
        lost = frozenset(path for path, part in held if part in missing)
        if lost:
            report.warnings.append(f"read again, as parts are missing from the lake: {counted(len(lost), 'file')}")
        actions = plan_actions(known, seen, unopened, lost, Reading(plan.ingest_hash, source.version))
        run = _Run(
            engine,
            source,
            lake,
            plan,
            reader or LocalReader(),
            report,
            progress,
            _history(engine, plan.folder, actions),
            Superfluous(engine, lake, plan.folder),
        )
        _execute(actions, run, unfinished)
    return report


def _history(engine: Engine, folder: Path, actions: Sequence[Action]) -> FactorHistory:
    """The factors by which the files to be read are judged; not asked for where none is."""
    if not any(isinstance(action, Read) for action in actions):
        return FactorHistory(())
    with reading(engine) as session:
        return FactorHistory(factors_of_folder(session, str(folder)))


@dataclass(frozen=True)
class _Run:
    """What carrying out the actions needs."""

    engine: Engine
    source: FlowSource
    lake: Lake
    plan: FolderPlan
    reader: FileReader
    report: IngestReport
    progress: Progress
    history: FactorHistory
    superfluous: Superfluous


def _execute(actions: Sequence[Action], run: _Run, unfinished: Unfinished) -> None:
    """Carries the actions out; copies last, when their owners are in the ledger."""
    reads = [action for action in actions if isinstance(action, Read)]
    copies = [action for action in actions if isinstance(action, RecordCopy)]
    for action in actions:
        if isinstance(action, SetAside):
            _set_aside(run, action)
        elif isinstance(action, Keep):
            _keep(run.report, action.entry)
    reads.sort(key=lambda action: action.seen.file)
    tasks = [_task(run, action.seen) for action in reads]
    if reads or copies:
        unfinished.begin((action.seen.file.start_ms, task.stem) for action, task in zip(reads, tasks, strict=True))
    results = run.reader.read(tasks)
    for done, (action, task, first) in enumerate(zip(reads, tasks, results, strict=True), start=1):
        result = _settled(run, action.seen, task, first)
        run.superfluous.add_parts(part.name for part in first.parts if part not in result.parts)
        if result.is_unchanged:
            _store(run, action.seen, result)
        _note(run.report, action.seen, result)
        run.progress(done, len(reads), action.seen.path)
    for copy in copies:
        _store_copy(run, copy)
    run.report.duplicates = len(copies)
    run.superfluous.remove()
    unfinished.end()


def _task(run: _Run, seen: Seen) -> ReadTask:
    return ReadTask(
        path=run.plan.folder / seen.path,
        content=seen.content,
        source=run.source,
        lake=run.lake,
        stem=part_stem(run.plan.folder, seen.content.sha256, run.plan.ingest_hash),
        claims=run.plan.claims,
        max_clock_ahead_ms=run.plan.max_clock_ahead_ms,
        baseline=run.history.before(seen.file.start_ms),
        day=day_of_ms(seen.file.start_ms),
    )


def _settled(run: _Run, seen: Seen, task: ReadTask, result: ReadFile) -> ReadFile:
    """The file's result by its baseline now: files before it, read side by side with it, may have changed that."""
    baseline = run.history.before(seen.file.start_ms)
    doubted = any(outcome in (SAMPLING_CHANGED, SAMPLING_LOWERED) for _, outcome, _, _ in result.counts)
    if not result.reason and not holds(result.evidence, doubted, task.baseline, baseline):
        (result,) = run.reader.read([replace(task, baseline=baseline)])
    for one in result.evidence:
        run.history.add(FactorSeen(one.exporter, one.factor, one.source, seen.file.start_ms))
    return result


def _store(run: _Run, seen: Seen, result: ReadFile) -> None:
    """One file's result in one transaction."""
    entry = FileEntry(
        folder=str(run.plan.folder),
        path=seen.path,
        sha256=result.sha256,
        size_bytes=result.size_bytes,
        file_start_ms=seen.file.start_ms,
        ingest_hash=run.plan.ingest_hash,
        state="quarantined" if result.reason else "ingested",
        reason=result.reason or "; ".join(result.warnings),
        file_layout=result.layout,
        # no program has come to an end with it, here or on an executor: the next run tries again
        nfdump_version=run.source.version if result.is_final else "",
        promised_records=result.promised_records,
        read_records=result.read_records,
    )
    counts = [OutcomeCount(*count) for count in result.counts]
    if result.sequence_failures is None and result.read_records:
        counts.append(OutcomeCount("", LOSSES_UNTOLD, result.read_records, 0))
    elif result.sequence_failures:
        counts.append(OutcomeCount("", "noted:export_sequence_failures", result.sequence_failures, 0))
    parts = [FilePart(p.router, p.day, p.name, p.records, p.bytes, p.sha256) for p in result.parts]
    exporters = [ExporterCount(*count) for count in result.exporters]
    with transaction(run.engine) as session:
        before = get_file(session, entry.folder, entry.path)
        former = replace_file(session, entry, counts, parts, _sampling_entries(result), exporters)
    run.superfluous.add(before, former)


def _sampling_entries(result: ReadFile) -> list[SamplingEntry]:
    """The evidence by exporter, factor and source: several groups of records may share them."""
    sums: dict[tuple[str, int, str], tuple[int, int]] = {}
    for one in result.evidence:
        key = (one.exporter, one.factor, one.source)
        records, stored_bytes = sums.get(key, (0, 0))
        sums[key] = (records + one.records, min(stored_bytes + one.bytes, MOST))
    return [SamplingEntry(*key, *numbers) for key, numbers in sorted(sums.items())]


def _store_copy(run: _Run, copy: RecordCopy) -> None:
    with transaction(run.engine) as session:
        owner = get_file(session, str(run.plan.folder), copy.owner)
        promised = owner.promised_records if owner else None
        entry = _without_rows(run, copy.seen.file, "duplicate", f"same content as {copy.owner}")
        seen = copy.seen.content
        copied = replace(entry, sha256=seen.sha256, size_bytes=seen.size_bytes, promised_records=promised)
        before = get_file(session, entry.folder, entry.path)
        former = replace_file(session, copied)
    run.superfluous.add(before, former)


def _set_aside(run: _Run, action: SetAside) -> None:
    run.report.set_aside[action.file.path] = action.reason
    if action.records:
        with transaction(run.engine) as session:
            replace_file(session, _without_rows(run, action.file, "quarantined", action.reason))


def _keep(report: IngestReport, entry: FileEntry) -> None:
    report.unchanged += 1
    if entry.state == "quarantined":
        report.set_aside[entry.path] = entry.reason


def _without_rows(run: _Run, file: FolderFile, state: FileState, reason: str) -> FileEntry:
    return FileEntry(
        folder=str(run.plan.folder),
        path=file.path,
        sha256="",
        size_bytes=0,
        file_start_ms=file.start_ms,
        ingest_hash=run.plan.ingest_hash,
        state=state,
        reason=reason,
        file_layout=None,
        nfdump_version=run.source.version,
        promised_records=None,
        read_records=0,
    )


def _note(report: IngestReport, seen: Seen, result: ReadFile) -> None:
    if not result.is_unchanged:
        report.warnings.append(f"{seen.path}: it changed or disappeared while it was read; run again")
        return
    if result.reason:
        report.set_aside[seen.path] = result.reason
    else:
        report.ingested += 1
    report.warnings += [f"{seen.path}: {warning}" for warning in result.warnings]
    for found in result.evidence:
        exporters = report.sampling.setdefault(f"{found.source} 1:{found.factor}", {})
        exporters[found.exporter] = exporters.get(found.exporter, 0) + found.records
    for _, outcome, records, _ in result.counts:
        report.outcomes[outcome] = report.outcomes.get(outcome, 0) + records
