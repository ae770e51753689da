"""Backfill of many past nights: ingest and detect in parallel, measure, propose and judge in day order.

Ingest and detection of a day depend on no other day, so folders and days run in parallel. A proposal depends on the
days before it, so the proposals of each router are made strictly in order. The final state is that of the nights run
one by one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path

from hntes.etl.days import day_of_ms
from hntes.etl.errors import FlowFolderError, FolderAwayError
from hntes.etl.sources.answer import NOTICE_S, require_answer
from hntes.etl.workers import killed_pool
from hntes.format import counted
from hntes.settings.model import Router
from hntes.sql import ledger
from hntes.sql.session import reading
from hntes.workflow.context import Context, opened
from hntes.workflow.errors import CommandError, expected, is_temporary, message
from hntes.workflow.stages.day_flows import file_bounds_ms
from hntes.workflow.stages.detect import detect
from hntes.workflow.stages.ingest import ingest
from hntes.workflow.stages.job_budget import Machine, jobs_within
from hntes.workflow.stages.judge import judge, lab_of
from hntes.workflow.stages.measure import measure
from hntes.workflow.stages.propose import propose

# More days are probably a typing error.
MAX_DAYS = 400

# Receives progress messages, one line each.
ReportLine = Callable[[str], None]


@dataclass
class Backfill:
    """The result of a backfill.

    `failures` holds the error by router or folder and day; `noted` what was done but needs attention: quarantined
    files, days without files, changes that the gate did not pass.
    """

    days: list[date]
    ingested_files: int = 0
    noted: dict[str, str] = field(default_factory=dict)
    observations: int = 0
    proposals: int = 0
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def has_problems(self) -> bool:
        return bool(self.failures or self.noted)


@dataclass(frozen=True)
class BackfillPart:
    """The result of one part of a backfill: files read, alpha flows found or changes proposed, and failures."""

    count: int
    failures: dict[str, str]
    noted: dict[str, str] = field(default_factory=dict)


def days_between(first: date, last: date, last_day: date) -> list[date]:
    """All days from the first through the last; `last_day` is the last that may be run (Context.last_day).

    Raises:
        CommandError: the last is before the first or after `last_day`, or there are more than MAX_DAYS.
    """
    if last < first:
        raise CommandError(f"the last day, {last}, is before the first, {first}; swap them")
    if last > last_day:
        raise CommandError(
            f"the last day, {last}, is in the future: no day after {last_day} (UTC) may be run; is the year wrong?"
        )
    count = (last - first).days + 1
    if count > MAX_DAYS:
        raise CommandError(f"{first} to {last} are {count} days, at most {MAX_DAYS} are allowed; is the year wrong?")
    return [first + timedelta(days=number) for number in range(count)]


def run_backfill(
    settings_path: Path | None, routers: Sequence[str], days: Sequence[date], jobs: int, report_line: ReportLine
) -> Backfill:
    """Runs those nights for those routers (none: all) in up to `jobs` processes, as far as this machine goes.

    Raises:
        CommandError: a router is unknown, or a process was killed.
    """
    with opened(settings_path) as context:
        chosen = context.chosen(routers)
        folders = context.folders(chosen)
        begins = {folder: _begin(context, folder) for folder in folders}
        jobs = jobs_within(Machine.here(), jobs, is_cluster=context.settings.analytics.kind == "spark")
    done = Backfill(list(days))
    try:
        _run_parts(settings_path, chosen, begins, done, jobs, report_line)
    except BrokenProcessPool as cause:
        raise CommandError("a process of the backfill was killed; run the backfill again") from cause
    return done


def _begin(context: Context, folder: Path) -> date | None:
    """Its first file's day; None also if it does not answer within a minute: the part that reads it waits longer."""
    try:
        require_answer(folder, NOTICE_S)
    except FolderAwayError:
        return None
    return first_file_day(context, folder)


def first_file_day(context: Context, folder: Path) -> date | None:
    """The day of the folder's first flow file, be it there or read before; None if there is none, or no folder.

    The lake keeps records for longer than collectors keep files.
    """
    try:
        files = context.files_of(folder)[1].files
    except FlowFolderError:  # reported by the part that reads it
        return None
    with reading(context.database) as session:
        read_ms = ledger.oldest_read_ms(session, str(folder))
    starts_ms = [file.start_ms for file in files[:1]] + ([] if read_ms is None else [read_ms])
    return day_of_ms(min(starts_ms)) if starts_ms else None


def folder_days(context: Context, folder: Path, days: Iterable[date]) -> list[date]:
    """The days from the folder's first file on, be it there or read before; earlier ones would only be empty rows."""
    return _from_first(first_file_day(context, folder), days)


def _from_first(first: date | None, days: Iterable[date]) -> list[date]:
    return [day for day in days if first is None or day >= first]


def _days_from(done: Backfill, folder: Path, first: date | None) -> list[date]:
    days = _from_first(first, done.days)
    if passed_over := len(done.days) - len(days):
        done.noted[str(folder)] = f"{counted(passed_over, 'day')} before the first flow file, of {first}: skipped"
    return days


def ingest_days(context: Context, folder: Path, days: Iterable[date]) -> BackfillPart:
    """Reads a folder's files of those days in day order, as the nights would have: of copies, the first one counts."""
    count = 0
    noted: dict[str, str] = {}
    for day in days:
        report = ingest(context, folder, day, _silent)
        count += report.ingested
        noted |= {f"{folder}/{path}": reason for path, reason in report.set_aside.items()}
        if not (report.files or _was_read(context, folder, day)):
            noted[f"{folder} {day}"] = "no flow file of this day"
    return BackfillPart(count, {}, noted)


def _was_read(context: Context, folder: Path, day: date) -> bool:
    """Whether files that can hold flows of the day were read before, even if they are gone."""
    with reading(context.database) as session:
        return bool(ledger.files_of_folder(session, str(folder), *file_bounds_ms(context, day), "ingested"))


def detect_days(context: Context, router: Router, days: Iterable[date]) -> BackfillPart:
    """Detects the alpha flows of those days; a day's failure does not block the other days.

    Raises:
        A temporary error (workflow.errors.is_temporary): the other days would fail, too.
    """
    return _each_day(router, days, lambda day: len(detect(context, router, day).observations))


def propose_days(context: Context, router: Router, days: Iterable[date]) -> BackfillPart:
    """Measures, proposes and judges those days in order.

    As with nights run one by one, a day that fails is skipped.

    Raises:
        A temporary error (workflow.errors.is_temporary): the other days would fail, too.
    """
    lab = lab_of(context)
    noted: dict[str, str] = {}

    def propose_day(day: date) -> int:
        measure(context, router, day)
        entry = propose(context, router, day).change
        if entry.state == "pending" and not judge(context, router, day, lab=lab).is_passing:
            noted[f"{router.name} {day}"] = f"the gate has not passed candidate {entry.candidate_hash[:12]}"
        return 1

    return replace(_each_day(router, sorted(days), propose_day), noted=noted)


def _each_day(router: Router, days: Iterable[date], work: Callable[[date], int]) -> BackfillPart:
    count = 0
    failures: dict[str, str] = {}
    for day in days:
        try:
            count += work(day)
        except expected() as problem:
            if is_temporary(problem):
                raise
            failures[f"{router.name} {day}"] = message(problem)
    return BackfillPart(count, failures)


def _run_parts(
    settings_path: Path | None,
    routers: list[Router],
    begins: Mapping[Path, date | None],
    done: Backfill,
    jobs: int,
    report_line: ReportLine,
) -> None:
    days = {folder: _days_from(done, folder, first) for folder, first in begins.items()}
    with killed_pool(jobs) as pool:
        reading = {folder: pool.submit(_ingest_part, settings_path, folder, days[folder]) for folder in days}
        read = {folder: _result(done, future) for folder, future in reading.items()}
        done.ingested_files = sum(part.count for part in read.values())
        report_line(f"{done.ingested_files} flow files read")
        ready = [router.name for router in routers if not read[router.flow_folder].failures]
        days_of = {router.name: days[router.flow_folder] for router in routers}
        finding = {
            (name, day): pool.submit(_detect_part, settings_path, name, day) for name in ready for day in days_of[name]
        }
        found = {key: _result(done, future) for key, future in finding.items()}
        done.observations = sum(part.count for part in found.values())
        report_line(f"{done.observations} alpha flows found")
        seen = {name: [day for day in days_of[name] if not found[name, day].failures] for name in ready}
        proposing = [pool.submit(_propose_part, settings_path, name, days) for name, days in seen.items()]
        done.proposals = sum(_result(done, future).count for future in proposing)
        report_line(f"{counted(done.proposals, 'change')} proposed")


def _result(done: Backfill, future: "Future[BackfillPart]") -> BackfillPart:
    """Returns a part's result and adds its problems to those of the backfill."""
    part = future.result()
    done.failures |= part.failures
    done.noted |= part.noted
    return part


def _ingest_part(settings_path: Path | None, folder: Path, days: list[date]) -> BackfillPart:
    return _part(settings_path, str(folder), lambda context: ingest_days(context, folder, days))


def _detect_part(settings_path: Path | None, name: str, day: date) -> BackfillPart:
    return _part(settings_path, f"{name} {day}", lambda context: detect_days(context, _router(context, name), [day]))


def _propose_part(settings_path: Path | None, name: str, days: list[date]) -> BackfillPart:
    return _part(settings_path, name, lambda context: propose_days(context, _router(context, name), days))


def _part(settings_path: Path | None, what: str, work: Callable[[Context], BackfillPart]) -> BackfillPart:
    # Errors are passed between processes as messages: not every exception can be pickled.
    try:
        with opened(settings_path) as context:
            return work(context)
    except expected() as problem:
        return BackfillPart(0, {what: message(problem)})


def _router(context: Context, name: str) -> Router:
    return context.chosen([name])[0]


def _silent(_done: int, _total: int, _path: str) -> None:
    """A progress callback that reports nothing: many processes run at once."""
