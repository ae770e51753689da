"""Ingest: a flow folder's files into the lake, each file in one transaction of the ledger.

Reading is idempotent by content: an unchanged file is left alone, a changed one replaces its rows, a copy of another
file adds nothing. A killed run leaves the ledger as it was before the file it was at; the next run finishes the rest.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from sqlalchemy import Engine

from etl.ingest.decode import Claim
from etl.ingest.flow_file import ROWS_VERSION, ReadFile, sha256_of
from etl.ingest.readers import FileReader, LocalReader, ReadTask
from etl.lake.parts import folder_tag, sweep
from etl.lake.url import Lake, state_folder
from etl.locks import locked
from etl.nfcapd.folder import FolderFile, scan_folder
from etl.nfcapd.nfdump import Nfdump
from sql.entries import FileEntry, FilePart, FileState, OutcomeCount, SamplingEntry
from sql.ledger import files_of_folder, get_file, part_names_of_folder, parts_of_file, replace_file
from sql.session import reading, transaction


@dataclass(frozen=True)
class FolderPlan:
    """How one flow folder is read: for which routers, and in whose time zone its file names are."""

    folder: Path
    claims: tuple[Claim, ...]
    timezone: str = "UTC"
    max_clock_ahead_ms: int = 300_000

    @property
    def ingest_hash(self) -> str:
        """Of all settings that decide which rows a file gives."""
        claims = [
            {"router": c.router, "exporters": sorted(c.exporters), "sampling": dict(c.sampling), "clock": c.clock}
            for c in sorted(self.claims, key=lambda claim: claim.router)
        ]
        text = json.dumps([ROWS_VERSION, claims, self.max_clock_ahead_ms], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class IngestReport:
    """What one run over a folder did; counts are of this run's files, changed or not."""

    folder: str
    files: int = 0
    unchanged: int = 0
    ingested: int = 0
    duplicates: int = 0
    removed_leftovers: int = 0
    quarantined: dict[str, str] = field(default_factory=dict)  # path -> reason
    ignored: tuple[str, ...] = ()
    warnings: list[str] = field(default_factory=list)
    outcomes: dict[str, int] = field(default_factory=dict)  # of newly read files: outcome -> records
    sampling: dict[str, dict[str, int]] = field(default_factory=dict)  # "source 1:factor" -> exporter -> records

    def as_dict(self) -> dict[str, object]:
        """For machines."""
        return asdict(self)


@dataclass(frozen=True)
class _Seen:
    """A file with its content's hash, and the file that owns this content where it is another."""

    file: FolderFile
    sha256: str
    size_bytes: int
    owner: str = ""


# (files done, files to do, path of the last one)
Progress = Callable[[int, int, str], None]


def _silent(_done: int, _total: int, _path: str) -> None:
    """Reports nothing."""


def ingest_folder(
    engine: Engine,
    nfdump: Nfdump,
    lake: Lake,
    plan: FolderPlan,
    *,
    from_ms: int | None = None,
    to_ms: int | None = None,
    reader: FileReader | None = None,
    progress: Progress = _silent,
) -> IngestReport:
    """Ingests the folder's files whose time is in [from_ms, to_ms) (None: no bound); `reader` says where they are read.

    Raises:
        FlowFolderError: the folder does not exist.
        LockedError: another process is ingesting this folder.
    """
    scan = scan_folder(plan.folder, plan.timezone)
    chosen = [file for file in scan.files if _within(file.start_ms, from_ms, to_ms)]
    report = IngestReport(str(plan.folder), files=len(chosen), ignored=scan.ignored, warnings=list(scan.problems))
    state = state_folder(lake)
    unfinished = state / ".unfinished" / folder_tag(plan.folder)
    with locked(state / ".locks" / folder_tag(plan.folder), f"ingest of {plan.folder}"):
        with reading(engine) as session:
            known = {entry.path: entry for entry in files_of_folder(session, str(plan.folder))}
            held = part_names_of_folder(session, str(plan.folder))
        if unfinished.exists():
            report.removed_leftovers = _sweep(engine, lake, plan)
        seen, unreadable = _look_at(plan, known, chosen, list(scan.files), report)
        lost = _lost(lake, held, seen)
        if lost:
            report.warnings.append(f"{len(lost)} file(s) are read again: their part of the lake is gone")
        work, copies, unchanged = _choose(known, plan, nfdump, seen, lost)
        for file, reason in unreadable:
            _store_unreadable(engine, nfdump, plan, file, reason)
        _note_old(report, known, unchanged, copies)
        if work or copies:
            _mark(unfinished)
        results = (reader or LocalReader()).read(_tasks(work, nfdump, lake, plan))
        for done, (item, result) in enumerate(zip(work, results, strict=True), start=1):
            if result.sha256 == item.sha256:
                _store(engine, nfdump, plan, item, result)
            _note(report, item, result)
            progress(done, len(work), item.file.path)
        for item in copies:
            _store_copy(engine, nfdump, plan, item)
        if any(item.file.path in known for item in (*work, *copies)):
            _sweep(engine, lake, plan)
        unfinished.unlink(missing_ok=True)
    return report


def _within(moment_ms: int, from_ms: int | None, to_ms: int | None) -> bool:
    return (from_ms is None or moment_ms >= from_ms) and (to_ms is None or moment_ms < to_ms)


def _look_at(
    plan: FolderPlan,
    known: dict[str, FileEntry],
    chosen: list[FolderFile],
    present: list[FolderFile],
    report: IngestReport,
) -> tuple[list[_Seen], list[tuple[FolderFile, str]]]:
    """The chosen files with their contents, and those never read before that cannot be opened, with the reason.

    A copy of a file whose content is no longer anywhere else is looked at too, wherever it stands.
    """
    seen: list[_Seen] = []
    unreadable: list[tuple[FolderFile, str]] = []
    names = {file.path for file in chosen}
    for file in chosen:
        try:
            path = plan.folder / file.path
            seen.append(_Seen(file, sha256_of(path), path.stat().st_size))
        except FileNotFoundError:
            report.warnings.append(f"{file.path}: it disappeared before it was read")
        except OSError as problem:
            reason = f"the file cannot be opened: {problem.strerror}"
            report.quarantined[file.path] = reason
            if file.path not in known or not known[file.path].sha256:
                unreadable.append((file, reason))
    looked_at = {item.file.path for item in seen}
    owned = {e.sha256 for e in known.values() if e.state != "duplicate" and e.path not in looked_at}
    owned |= {item.sha256 for item in seen}
    for file in present:
        entry = known.get(file.path)
        if file.path not in names and entry is not None and entry.state == "duplicate" and entry.sha256 not in owned:
            try:
                path = plan.folder / file.path
                seen.append(_Seen(file, sha256_of(path), path.stat().st_size))
            except OSError as problem:
                reason = f"a copy of records that are nowhere else, and it cannot be opened: {problem.strerror}"
                report.warnings.append(f"{file.path}: {reason}")
    return seen, unreadable


def _lost(lake: Lake, held: Iterable[tuple[str, str]], seen: list[_Seen]) -> frozenset[str]:
    """The files whose part of the lake is gone: somebody made room, or restored a database without its lake."""
    looked_at = {item.file.path for item in seen}
    return frozenset(path for path, part in held if path in looked_at and not (lake / part).is_file())


def _choose(
    known: dict[str, FileEntry], plan: FolderPlan, nfdump: Nfdump, seen: list[_Seen], lost: frozenset[str]
) -> tuple[list[_Seen], list[_Seen], list[_Seen]]:
    """The files to read, those that are copies of others (with the owner's path), and those that are unchanged.

    The first file with some content owns it; a file that owned it in an earlier run goes on owning it. A copy whose
    owner changed meanwhile is taken up.
    """
    names = {item.file.path for item in seen}
    owners = {e.sha256: e.path for e in known.values() if e.state != "duplicate" and e.path not in names}
    for item in seen:
        entry = known.get(item.file.path)
        if entry is not None and entry.state != "duplicate" and entry.sha256 == item.sha256:
            owners.setdefault(item.sha256, item.file.path)
    work, copies, unchanged = [], [], []
    for item in seen:
        owner = owners.setdefault(item.sha256, item.file.path)
        entry = known.get(item.file.path)
        if owner != item.file.path:
            copies.append(replace(item, owner=owner))
        elif entry is not None and item.file.path not in lost and _is_current(entry, item, plan, nfdump):
            unchanged.append(item)
        else:
            work.append(item)
    return work, copies, unchanged


def _is_current(entry: FileEntry, item: _Seen, plan: FolderPlan, nfdump: Nfdump) -> bool:
    """A file that could not be read gets another try when nfdump is another."""
    same = entry.state != "duplicate" and entry.sha256 == item.sha256 and entry.ingest_hash == plan.ingest_hash
    # the time in a file's name is another one in another time zone
    same = same and entry.file_start_ms == item.file.start_ms
    return same and (entry.state == "ingested" or entry.nfdump_version == nfdump.version_text)


def _tasks(work: list[_Seen], nfdump: Nfdump, lake: Lake, plan: FolderPlan) -> list[ReadTask]:
    tag = folder_tag(plan.folder)
    return [
        ReadTask(
            path=plan.folder / item.file.path,
            size_bytes=item.size_bytes,
            sha256=item.sha256,
            nfdump=nfdump,
            lake=lake,
            stem=_stem(tag, item.sha256, plan),
            claims=plan.claims,
            max_clock_ahead_ms=plan.max_clock_ahead_ms,
        )
        for item in work
    ]


def _stem(tag: str, sha256: str, plan: FolderPlan) -> str:
    return f"{tag}-{sha256[:16]}-{plan.ingest_hash[:8]}"


def _store(engine: Engine, nfdump: Nfdump, plan: FolderPlan, item: _Seen, result: ReadFile) -> None:
    """One file's result in one transaction."""
    entry = FileEntry(
        folder=str(plan.folder),
        path=item.file.path,
        sha256=result.sha256,
        size_bytes=result.size_bytes,
        file_start_ms=item.file.start_ms,
        ingest_hash=plan.ingest_hash,
        state="quarantined" if result.reason else "ingested",
        reason=result.reason or "; ".join(result.warnings),
        file_layout=result.layout,
        nfdump_version=nfdump.version_text,
        promised_records=result.promised_records,
        read_records=result.read_records,
    )
    counts = [OutcomeCount(*count) for count in result.counts]
    if result.sequence_failures:
        counts.append(OutcomeCount("", "noted:export_sequence_failures", result.sequence_failures, 0))
    parts = [FilePart(part.router, part.day, part.name, part.records, part.bytes) for part in result.parts]
    evidence: dict[tuple[str, int, str], int] = {}
    for found in result.evidence:
        key = (found.exporter, found.factor, found.source)
        evidence[key] = evidence.get(key, 0) + found.records
    with transaction(engine) as session:
        replace_file(session, entry, counts, parts, [SamplingEntry(*key, n) for key, n in sorted(evidence.items())])


def _store_copy(engine: Engine, nfdump: Nfdump, plan: FolderPlan, item: _Seen) -> None:
    with transaction(engine) as session:
        owner = get_file(session, str(plan.folder), item.owner)
        promised = owner.promised_records if owner else None
        entry = _without_rows(nfdump, plan, item.file, "duplicate", f"same content as {item.owner}")
        replace_file(session, replace(entry, sha256=item.sha256, size_bytes=item.size_bytes, promised_records=promised))


def _store_unreadable(engine: Engine, nfdump: Nfdump, plan: FolderPlan, file: FolderFile, reason: str) -> None:
    with transaction(engine) as session:
        replace_file(session, _without_rows(nfdump, plan, file, "quarantined", reason))


def _without_rows(nfdump: Nfdump, plan: FolderPlan, file: FolderFile, state: FileState, reason: str) -> FileEntry:
    return FileEntry(
        folder=str(plan.folder),
        path=file.path,
        sha256="",
        size_bytes=0,
        file_start_ms=file.start_ms,
        ingest_hash=plan.ingest_hash,
        state=state,
        reason=reason,
        file_layout=None,
        nfdump_version=nfdump.version_text,
        promised_records=None,
        read_records=0,
    )


def _note_old(report: IngestReport, known: dict[str, FileEntry], unchanged: list[_Seen], copies: list[_Seen]) -> None:
    report.unchanged, report.duplicates = len(unchanged), len(copies)
    for item in unchanged:
        entry = known[item.file.path]
        if entry.state == "quarantined":
            report.quarantined[entry.path] = entry.reason


def _note(report: IngestReport, item: _Seen, result: ReadFile) -> None:
    if result.sha256 != item.sha256:
        report.warnings.append(f"{item.file.path}: it changed or disappeared while it was read; run again")
        return
    if result.reason:
        report.quarantined[item.file.path] = result.reason
    else:
        report.ingested += 1
    report.warnings += [f"{item.file.path}: {warning}" for warning in result.warnings]
    for found in result.evidence:
        exporters = report.sampling.setdefault(f"{found.source} 1:{found.factor}", {})
        exporters[found.exporter] = exporters.get(found.exporter, 0) + found.records
    for _, outcome, records, _ in result.counts:
        report.outcomes[outcome] = report.outcomes.get(outcome, 0) + records


def _mark(unfinished: Path) -> None:
    """Says that a run is on; what stands there at the next start means that it was killed and may have left parts."""
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    unfinished.touch()


def _sweep(engine: Engine, lake: Lake, plan: FolderPlan) -> int:
    """Removes what a killed or superseded reading left in the lake."""
    tag = folder_tag(plan.folder)
    with reading(engine) as session:
        entries = files_of_folder(session, str(plan.folder))
        wanted = [part.part for entry in entries for part in parts_of_file(session, entry.folder, entry.path)]
    stems = (f"{tag}-{entry.sha256[:16]}-{entry.ingest_hash[:8]}" for entry in entries if entry.state == "ingested")
    return sweep(lake, tag, [*wanted, *(f"set_aside/{stem}.parquet" for stem in stems)])
