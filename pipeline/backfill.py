"""Many past nights at once: reading and finding in parallel where it may be, rules and proposals in the order of days.

What a file gives, and what a day shows, depends on no other day, so folders and days may be taken up side by side. A
proposal stands on the days before it: each router's are made strictly in order. The state at the end is that of the
nights run one by one.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path

from etl.workers import worker_pool
from pipeline.context import Context, opened
from pipeline.errors import EXPECTED, CommandError, message, passes
from pipeline.judge import judge_change, lab_of
from pipeline.night import ingest, measure_load, observe, propose_change
from settings.model import Router

# More are a slip of the keyboard rather than a wish. Some days ahead are none: flows dated anew for a trial lie there.
MAX_DAYS = 400
MAX_DAYS_AHEAD = 31

# What was done, for the person who waits: a line each.
Tell = Callable[[str], None]


@dataclass
class Backfill:
    """What a backfill did.

    `failures` holds, by router or folder and day, why something could not be done; `noted` what is done but wants to be
    looked at: files that were set aside, changes that the gate did not pass.
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
class Step:
    """What one part of a backfill did: files read or alpha flows found or changes proposed, and what went wrong."""

    count: int
    failures: dict[str, str]
    noted: dict[str, str] = field(default_factory=dict)


def days_between(first: date, last: date, today: date) -> list[date]:
    """All days from the first through the last; `today` is the UTC day that it is.

    Raises:
        CommandError: the last comes before the first, or more than MAX_DAYS_AHEAD after today, or there are more than
            MAX_DAYS.
    """
    if last < first:
        raise CommandError(f"the last day, {last}, comes before the first, {first}; exchange the two")
    if last > today + timedelta(days=MAX_DAYS_AHEAD):
        # Nothing can have flowed then, and a change set of a later day would supersede those of the nights to come.
        raise CommandError(f"the last day, {last}, lies far ahead of today, {today} (UTC); is the year wrong?")
    count = (last - first).days + 1
    if count > MAX_DAYS:
        raise CommandError(f"{first} to {last} are {count} days; at most {MAX_DAYS} at once, or is the year wrong?")
    return [first + timedelta(days=number) for number in range(count)]


def run_backfill(
    settings_path: Path | None, routers: Sequence[str], days: Sequence[date], jobs: int, tell: Tell
) -> Backfill:
    """Runs those nights for those routers (none: all) in up to `jobs` processes, each with a context of its own.

    Raises:
        CommandError: a router is unknown, or a process was ended from outside.
    """
    with opened(settings_path) as context:
        chosen = context.chosen(routers)
        folders = context.folders(chosen)
    done = Backfill(list(days))
    try:
        _run_steps(settings_path, chosen, folders, done, jobs, tell)
    except BrokenProcessPool as cause:
        raise CommandError("a process of the backfill was ended from outside; run the backfill again") from cause
    return done


def ingest_days(context: Context, folder: Path, days: Iterable[date]) -> Step:
    """Reads a folder's files of those days, day by day as the nights would have: copies belong to the first of them."""
    count = 0
    noted: dict[str, str] = {}
    for day in days:
        report = ingest(context, folder, day, _silent)
        count += report.ingested
        noted |= {f"{folder}/{path}": reason for path, reason in report.quarantined.items()}
    return Step(count, {}, noted)


def observe_days(context: Context, router: Router, days: Iterable[date]) -> Step:
    """Finds the alpha flows of those days; a day's failure does not hold up the others.

    Raises:
        One of pipeline.errors.EXPECTED that may pass by itself: the other days would meet it too.
    """
    return _each_day(router, days, lambda day: len(observe(context, router, day).observations))


def propose_days(context: Context, router: Router, days: Iterable[date]) -> Step:
    """Measures the load and proposes the change of those days in their order, and has the gate judge each.

    As with nights run one by one, a day that fails is left out.

    Raises:
        One of pipeline.errors.EXPECTED that may pass by itself: the other days would meet it too.
    """
    lab = lab_of(context)
    noted: dict[str, str] = {}

    def propose(day: date) -> int:
        measure_load(context, router, day)
        entry = propose_change(context, router, day).change_set
        if entry.state == "pending" and not judge_change(context, router, day, lab=lab).judgement.is_passing:
            noted[f"{router.name} {day}"] = f"the gate has not passed candidate {entry.candidate_hash[:12]}"
        return 1

    return replace(_each_day(router, sorted(days), propose), noted=noted)


def _each_day(router: Router, days: Iterable[date], work: Callable[[date], int]) -> Step:
    count = 0
    failures: dict[str, str] = {}
    for day in days:
        try:
            count += work(day)
        except EXPECTED as problem:
            if passes(problem):
                raise
            failures[f"{router.name} {day}"] = message(problem)
    return Step(count, failures)


def _run_steps(
    settings_path: Path | None, routers: list[Router], folders: list[Path], done: Backfill, jobs: int, tell: Tell
) -> None:
    with worker_pool(jobs) as pool:
        reading = {folder: pool.submit(_ingest_step, settings_path, folder, done.days) for folder in folders}
        read = {folder: _took(done, future) for folder, future in reading.items()}
        done.ingested_files = sum(step.count for step in read.values())
        tell(f"{done.ingested_files} flow files read")
        ready = [router.name for router in routers if not read[router.flow_folder].failures]
        finding = {
            (name, day): pool.submit(_observe_step, settings_path, name, day) for name in ready for day in done.days
        }
        found = {key: _took(done, future) for key, future in finding.items()}
        done.observations = sum(step.count for step in found.values())
        tell(f"{done.observations} alpha flows found")
        seen = {name: [day for day in done.days if not found[name, day].failures] for name in ready}
        proposing = [pool.submit(_propose_step, settings_path, name, days) for name, days in seen.items()]
        done.proposals = sum(_took(done, future).count for future in proposing)
        tell(f"{done.proposals} changes proposed")


def _took(done: Backfill, future: "Future[Step]") -> Step:
    """A step's result, its problems added to those of the backfill."""
    step = future.result()
    done.failures |= step.failures
    done.noted |= step.noted
    return step


def _ingest_step(settings_path: Path | None, folder: Path, days: list[date]) -> Step:
    return _step(settings_path, str(folder), lambda context: ingest_days(context, folder, days))


def _observe_step(settings_path: Path | None, name: str, day: date) -> Step:
    return _step(settings_path, f"{name} {day}", lambda context: observe_days(context, _router(context, name), [day]))


def _propose_step(settings_path: Path | None, name: str, days: list[date]) -> Step:
    return _step(settings_path, name, lambda context: propose_days(context, _router(context, name), days))


def _step(settings_path: Path | None, what: str, work: Callable[[Context], Step]) -> Step:
    # Errors of other processes come back as messages: not every one can be carried from process to process.
    try:
        with opened(settings_path) as context:
            return work(context)
    except EXPECTED as problem:
        return Step(0, {what: message(problem)})


def _router(context: Context, name: str) -> Router:
    return context.chosen([name])[0]


def _silent(_done: int, _total: int, _path: str) -> None:
    """Reports nothing: many processes would report at once."""
