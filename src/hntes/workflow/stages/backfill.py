"""Backfill of many past nights: ingest and detect in parallel, measure, propose and judge in day order.

Ingest and detection of a day depend on no other day, so folders and days run in parallel. A proposal depends on the
days before it, so the proposals of each router are made strictly in order. No router waits for another's folder. The
final state is that of the nights run one by one.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import partial
from pathlib import Path

from hntes.etl.days import day_of_ms
from hntes.etl.errors import FlowFolderError
from hntes.etl.sources.answer import NOTICE_S
from hntes.format import counted
from hntes.settings.model import Router
from hntes.sql import ledger
from hntes.sql.session import reading
from hntes.workflow.answering_folders import answering_folders
from hntes.workflow.context import Context, opened
from hntes.workflow.errors import CommandError, expected, is_temporary, message
from hntes.workflow.stages.backfill_parts import BackfillPart, Part, run_parts
from hntes.workflow.stages.day_flows import file_bounds_ms
from hntes.workflow.stages.detect import detect
from hntes.workflow.stages.ingest import ingest
from hntes.workflow.stages.job_budget import Machine, jobs_within
from hntes.workflow.stages.judge import Lab, judge, lab_of
from hntes.workflow.stages.measure import measure
from hntes.workflow.stages.night import end_night
from hntes.workflow.stages.places import LIMIT_S
from hntes.workflow.stages.prepare_scheduled import prepare_scheduled
from hntes.workflow.stages.propose import propose
from hntes.workflow.stages.signs import NO_SIGNS, Signs

# More days are probably a typing error.
MAX_DAYS = 400

# Receives progress messages, one line each.
ReportLine = Callable[[str], None]
RouterDays = Callable[[Context, Router, Iterable[date], Signs], BackfillPart]


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
    settings_path: Path | None,
    routers: Sequence[str],
    days: Sequence[date],
    jobs: int,
    report_line: ReportLine,
    limit_s: float = LIMIT_S,
) -> Backfill:
    """Runs those nights for those routers (none: all), up to `jobs` parts at once, as far as this machine goes.

    A folder that does not answer within a minute, a part that is killed, and one of which a day takes more than
    `limit_s` seconds, fail alone.

    Raises:
        CommandError: a router is unknown.
        SparkError: there is no cluster.
    """
    done = Backfill(list(days))
    with opened(settings_path) as context:
        chosen = context.chosen(routers)
        machine, is_cluster = Machine.here(), context.settings.analytics.kind == "spark"
        jobs = jobs_within(machine, jobs, is_cluster=is_cluster)
        course = Course(chosen, done, report_line, None if is_cluster else machine.processors, jobs)
        parts = [course.reading(folder) for folder in _answering(context.folders(chosen), done)]
        if is_cluster:
            # one session for all parts: a cluster that is away ends the backfill once, a busy one is waited for
            context.analytics.check(takes_turn=True)
        run_parts(context, parts, jobs, limit_s)
        end_night(context)
    done.noted, done.failures = dict(sorted(done.noted.items())), dict(sorted(done.failures.items()))
    return done


def _answering(folders: Sequence[Path], done: Backfill) -> list[Path]:
    """The folders that answer; the others fail."""
    answering = answering_folders(folders, "its days are left out")
    reason = f"no answer for {NOTICE_S:.0f} s; does its file server answer? Then run the backfill again"
    done.failures |= {str(folder): reason for folder in folders if folder not in answering}
    return answering


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


def ingest_days(context: Context, folder: Path, days: Sequence[date], signs: Signs = NO_SIGNS) -> BackfillPart:
    """Reads a folder's files of those days in day order, as the nights would have: of copies, the first one counts.

    Days before its first file are left out, and noted.
    """
    count = 0
    noted: dict[str, str] = {}
    first = first_file_day(context, folder)
    its_days = _from_first(first, days)
    if passed_over := len(days) - len(its_days):
        noted[str(folder)] = f"{counted(passed_over, 'day')} before the first flow file, of {first}: skipped"
    for day in its_days:
        report = ingest(context, folder, day, signs.has_read)
        count += report.ingested
        noted |= {f"{folder}/{path}": reason for path, reason in report.set_aside.items()}
        if not (report.files or _was_read(context, folder, day)):
            noted[f"{folder} {day}"] = "no flow file of this day"
        signs.has_done_day()
    return BackfillPart(count, {}, noted, tuple(its_days))


def _was_read(context: Context, folder: Path, day: date) -> bool:
    """Whether files that can hold flows of the day were read before, even if they are gone."""
    with reading(context.database) as session:
        return bool(ledger.files_of_folder(session, str(folder), *file_bounds_ms(context, day), "ingested"))


def detect_days(context: Context, router: Router, days: Iterable[date], signs: Signs = NO_SIGNS) -> BackfillPart:
    """Detects the alpha flows of those days; a day's failure does not block the other days.

    Raises:
        A temporary error (workflow.errors.is_temporary): the other days would fail, too.
    """
    return _each_day(router, days, lambda day: len(detect(context, router, day).observations), signs)


def propose_days(context: Context, router: Router, days: Iterable[date], signs: Signs = NO_SIGNS) -> BackfillPart:
    """Measures, proposes and judges those days in order, then prepares the scheduled changes on the rules of the last.

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

    part = replace(_each_day(router, sorted(days), propose_day, signs), noted=noted)
    return _prepared(context, router, lab, part) if part.count and context.settings.reservations is not None else part


def _prepared(context: Context, router: Router, lab: Lab, part: BackfillPart) -> BackfillPart:
    """Prepares a router's scheduled changes; a failure is that of the router, its days are done."""
    try:
        prepared = prepare_scheduled(context, router, lab=lab)
    except expected() as problem:
        if is_temporary(problem):
            raise
        return replace(part, failures=part.failures | {router.name: message(problem)})
    if not prepared.has_problems:
        return part
    words = "a scheduled change could not be rendered or the gate has not passed it; see `hntes reserve changes`"
    return replace(part, noted=part.noted | {router.name: words})


def _each_day(router: Router, days: Iterable[date], work: Callable[[date], int], signs: Signs) -> BackfillPart:
    count = 0
    failures: dict[str, str] = {}
    for day in days:
        try:
            count += work(day)
        except expected() as problem:
            if is_temporary(problem):
                raise
            failures[f"{router.name} {day}"] = message(problem)
        signs.has_done_day()
    return BackfillPart(count, failures)


@dataclass
class Course:
    """What follows what, and what has come of it: a folder's files, the days of its routers, then their proposals.

    processors: what the parts share, up to `jobs` at once; None: a cluster's.
    """

    routers: Sequence[Router]
    done: Backfill
    report_line: ReportLine
    processors: int | None
    jobs: int
    _open: dict[str, set[date]] = field(default_factory=dict)
    _seen: dict[str, list[date]] = field(default_factory=dict)
    _flows: dict[str, int] = field(default_factory=dict)

    def reading(self, folder: Path) -> Part:
        """The part that reads a folder, with which the others begin."""
        work = partial(_ingest, folder=folder, days=tuple(self.done.days))
        folders = len({router.flow_folder for router in self.routers})
        return Part(str(folder), work, partial(self._has_read, folder), reads=True, workers=self._workers(folders))

    def _has_read(self, folder: Path, part: BackfillPart) -> list[Part]:
        self._note(part)
        self.done.ingested_files += part.count
        if part.failures:
            return []
        self.report_line(f"{folder}: {counted(part.count, 'flow file')} read")
        names = [router.name for router in self.routers if router.flow_folder == folder]
        return [each for name in names for each in self._finding(name, part.days)]

    def _finding(self, name: str, days: Sequence[date]) -> list[Part]:
        self._open[name], self._seen[name], self._flows[name] = set(days), [], 0
        parts = []
        for day in days:
            work = partial(_of_router, work=detect_days, name=name, days=[day])
            workers = self._workers(len(self.routers) * len(days))
            parts.append(Part(f"{name} {day}", work, partial(self._has_found, name, day), workers=workers))
        return parts

    def _has_found(self, name: str, day: date, part: BackfillPart) -> list[Part]:
        self._note(part)
        self.done.observations += part.count
        self._flows[name] += part.count
        self._open[name].discard(day)
        if not part.failures:
            self._seen[name].append(day)
        if self._open[name]:
            return []
        work = partial(_of_router, work=propose_days, name=name, days=self._seen[name])
        return [Part(name, work, partial(self._has_proposed, name), workers=self._workers(len(self.routers)))]

    def _has_proposed(self, name: str, part: BackfillPart) -> list[Part]:
        self._note(part)
        self.done.proposals += part.count
        found, proposed = counted(self._flows[name], "alpha flow"), counted(part.count, "change")
        self.report_line(f"{name}: {found} found, {proposed} proposed")
        return []

    def _workers(self, parts: int) -> int | None:
        """Of each of so many parts of a kind."""
        return None if self.processors is None else max(1, self.processors // max(1, min(self.jobs, parts)))

    def _note(self, part: BackfillPart) -> None:
        self.done.failures |= part.failures
        self.done.noted |= part.noted


def _ingest(context: Context, signs: Signs, folder: Path, days: Sequence[date]) -> BackfillPart:
    return ingest_days(context, folder, days, signs)


def _of_router(context: Context, signs: Signs, work: RouterDays, name: str, days: list[date]) -> BackfillPart:
    (router,) = context.chosen([name])
    return work(context, router, days, signs)
