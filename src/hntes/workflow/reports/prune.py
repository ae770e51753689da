"""Retention: files beyond the retention limits, and their deletion."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain, groupby
from pathlib import Path

from hntes import clock
from hntes.etl.days import day_of_ms
from hntes.etl.ingest.set_aside import without_file
from hntes.etl.lake.pieces import in_pieces
from hntes.etl.lake.store import Stored, store_of
from hntes.format import counted
from hntes.sql import audit, changes, ledger
from hntes.sql.audit import NewEvent
from hntes.sql.change import Change
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.folders import reduced_folder, router_folder
from hntes.workflow.reports.lake_retention import last_pruned_day

# A part without ledger entry was left by a killed run, unless a running one is about to record it; one of an old day
# that was just written is what a backfill is about to search.
_IN_USE = timedelta(days=1)
_LAKE_DAYS, _SIMULATIONS, _ORPHANS = "lake days", "simulations", "parts that no flow file has"
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# Of a year of 200 routers, whose parts are millions, the names alone would take gigabytes.
MOST_NAMED = 1000


@dataclass(frozen=True)
class Prunable:
    """Files of one kind that may be deleted: those of days up to `until_day`; None: this kind is kept.

    `files` are paths, or addresses in a lake that is no folder. Of the lake they are the first MOST_NAMED; `count` is
    that of all.
    """

    what: str
    count: int
    files: tuple[str, ...]
    size_bytes: int
    until_day: date | None


def prunable(context: Context) -> tuple[Prunable, ...]:
    """Data beyond the retention limits, by kind; removes nothing."""
    kept = context.settings.retention
    until_day = last_pruned_day(context.settings, clock.today())
    found = [_of_lake(context, _LAKE_DAYS, until_day)]
    kinds = (
        ("reports", kept.report_days, _report_files),
        ("candidates", kept.candidate_days, _candidate_files),
        (_SIMULATIONS, kept.simulation_days, _simulation_files),
    )
    for what, days, files_until in kinds:
        until_day = _until(days)
        files = sorted(files_until(context, until_day)) if until_day else []
        found.append(Prunable(what, len(files), tuple(map(str, files)), _size_bytes(files), until_day))
    return (*found, _of_lake(context, _ORPHANS, clock.today()))


def _until(kept_days: int | None) -> date | None:
    """The last day that is not kept."""
    return None if kept_days is None else clock.today() - timedelta(days=kept_days + 1)


def _of_lake(context: Context, what: str, until_day: date | None) -> Prunable:
    named: list[str] = []
    count = size_bytes = 0
    for part in _lake_parts(context, what, until_day):
        count += 1
        size_bytes += part.bytes
        if count <= MOST_NAMED:
            named.append(part.name)
    store = store_of(context.lake)
    return Prunable(what, count, tuple(store.at(name) for name in sorted(named)), size_bytes, until_day)


def _lake_parts(context: Context, what: str, until_day: date | None) -> Iterator[Stored]:
    """The parts of that kind, folder by folder of the lake, as the store lists them."""
    if what == _ORPHANS:
        yield from _orphans(context)
    elif until_day:
        store = store_of(context.lake)
        yield from _unused(chain(store.parts(until_day), store.set_aside(until_day)))


def prune(context: Context, found: Iterable[Prunable]) -> None:
    """Deletes those files, after recording it in the audit log; after a kill, run it again.

    Simulations go before the record: they are a cache, and a full disk may have no room for the record without.
    """
    chosen = [one for one in found if one.count]
    if not chosen:
        return
    detail = "; ".join(f"{one.what}: {counted(one.count, 'file')}, {one.size_bytes} bytes" for one in chosen)
    for one in chosen:
        if one.what == _SIMULATIONS:
            _delete(context, one)
    with transaction(context.database) as session:
        audit.append(session, NewEvent("prune", detail=detail))
    for one in chosen:
        if one.what != _SIMULATIONS:
            _delete(context, one)


def _delete(context: Context, found: Prunable) -> None:
    if found.what in (_LAKE_DAYS, _ORPHANS):
        _delete_parts(context, found)
        return
    for each in found.files:
        Path(each).unlink(missing_ok=True)
    for folder in {Path(each).parent for each in found.files}:
        _remove_empty(folder)


def _delete_parts(context: Context, found: Prunable) -> None:
    """Looks for them once more and deletes one router's day after the other.

    A part that a file of the ledger has got meanwhile, or that was written again, stays.
    """
    store = store_of(context.lake)
    names = (part.name for part in _lake_parts(context, found.what, found.until_day))
    for folder, some in groupby(names, key=lambda name: name.rpartition("/")[0]):
        # all of them before the first goes: a folder that changes while it is listed may leave some out
        store.remove(list(some))
        _remove_empty(Path(store.at(folder)))


def _orphans(context: Context) -> Iterator[Stored]:
    store = store_of(context.lake)
    for some in in_pieces(_unused(store.parts())):
        with reading(context.database) as session:
            named = set(ledger.named_parts(session, (part.name for part in some)))
        yield from (part for part in some if part.name not in named)
    aside = list(_unused(store.set_aside()))
    with reading(context.database) as session:
        yield from without_file(aside, ledger.read_contents(session) if aside else ())


def _unused(parts: Iterable[Stored]) -> Iterator[Stored]:
    before_s = clock.now_ms() / 1000 - _IN_USE.total_seconds()
    return (part for part in parts if part.written_s < before_s)


def _report_files(context: Context, until_day: date) -> Iterator[Path]:
    """The report files of days whose change is neither pending nor in force."""
    for router in context.settings.routers:
        with reading(context.database) as session:
            entries = changes.nightly_changes(session, router.name)
            now = changes.in_force(session, router.name)
        needed = {entry.day for entry in entries if entry.state == "pending"} | ({now.day} if now else set())
        for folder in router_folder(context, router).glob("*"):
            day = date.fromisoformat(folder.name) if _DAY.fullmatch(folder.name) else None
            if day is not None and day <= until_day and day not in needed:
                yield from (path for path in folder.rglob("*") if path.is_file())


def _candidate_files(context: Context, until_day: date) -> Iterator[Path]:
    """Candidates that are neither approved nor pending nor scheduled, belong to no change of a later day, and were
    not left on a router by the removal of a pair."""
    for router in context.settings.routers:
        with reading(context.database) as session:
            entries = changes.nightly_changes(session, router.name)
            at_edges = changes.scheduled_changes(session, router.name, states=("pending", "approved"))
        needed = {hash_ for entry in entries if _is_needed(entry, until_day) for hash_ in _hashes(entry)}
        needed |= {entry.candidate_hash for entry in at_edges}
        needed |= {path.stem for path in reduced_folder(router_folder(context, router)).glob("*")}
        for path in (router_folder(context, router) / "candidates").glob("*"):
            if path.stem not in needed and _written(path) <= until_day:
                yield path


def _is_needed(entry: Change, until_day: date) -> bool:
    return entry.state in ("approved", "pending") or entry.day > until_day


def _hashes(entry: Change) -> tuple[str, ...]:
    return (entry.candidate_hash, *((entry.base_hash,) if entry.base_hash else ()))


def _simulation_files(context: Context, until_day: date) -> Iterator[Path]:
    return (p for p in context.settings.paths.simulations.glob("*") if p.is_file() and _written(p) <= until_day)


def _written(path: Path) -> date:
    return day_of_ms(int(1000 * _written_s(path)))


def _written_s(path: Path) -> float:
    """Its modification time since 1970; now, if another process has just removed it."""
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return clock.now_ms() / 1000


def _size_bytes(files: Iterable[Path]) -> int:
    total = 0
    for path in files:
        with suppress(FileNotFoundError):  # a concurrent ingest may replace and delete files
            total += path.stat().st_size
    return total


def _remove_empty(folder: Path) -> None:
    """Deletes a day's folder if it is empty; stores of objects have none."""
    is_day = _DAY.fullmatch(folder.name.removeprefix("day=")) is not None
    if is_day and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
