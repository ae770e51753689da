"""Removal of a flow folder that no router uses: from the ledger, then from the lake.

A day of its files at a time: a year of many routers has millions, and no other writer waits for all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hntes.etl.days import DAY_MS, day_of_ms
from hntes.etl.ingest.part_names import content_key, key_of, part_stem
from hntes.etl.ingest.set_aside import only_of
from hntes.etl.lake.store import Store, Stored, set_aside_name, store_of
from hntes.sql import audit, forgotten_files, ledger
from hntes.sql.audit import NewEvent
from hntes.sql.entries import FileEntry
from hntes.sql.ledger import ReadContent
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError


@dataclass(frozen=True)
class ForgetResult:
    """The number of files that the ledger forgot, and of their parts removed from the lake."""

    files: int
    removed_parts: int


def forget_folder(context: Context, folder: Path) -> ForgetResult:
    """Removes a folder that no router uses from the ledger, and its parts from the lake; after a kill, run it again.

    Raises:
        CommandError: a router uses it, or it is not in the ledger.
    """
    name = str(folder)
    users = [router.name for router in context.settings.routers if router.flow_folder == folder]
    if users:
        raise CommandError(f"folder {name}: used by router {users[0]}; remove it from the settings first")
    with transaction(context.database) as session:
        known = ledger.folders(session)
        if name not in known:
            raise CommandError(f"folder {name}: not in the ledger, which has: {', '.join(known) or 'none'}")
        audit.append(session, NewEvent("forget", detail=f"{ledger.count_files(session, name)} files of {name}"))
    files = removed = 0
    while (day := _forget_oldest_day(context, name)) is not None:
        files += len(day.files)
        removed += _remove_parts(context, day.parts)
        removed += _remove_set_aside(context, name, day.files, [other for other in known if other != name])
    return ForgetResult(files, removed)


def _forget_oldest_day(context: Context, folder: str) -> forgotten_files.Forgotten | None:
    """Removes the files of the UTC day of the oldest that the ledger has; None: it has none."""
    with transaction(context.database) as session:
        oldest_ms = forgotten_files.oldest_start_ms(session, folder)
        if oldest_ms is None:
            return None
        from_ms = oldest_ms - oldest_ms % DAY_MS
        return forgotten_files.forget_files(session, folder, from_ms, from_ms + DAY_MS)


def _remove_parts(context: Context, names: Sequence[str]) -> int:
    with reading(context.database) as session:
        still_named = set(ledger.named_parts(session, names))
    return store_of(context.lake).remove(name for name in names if name not in still_named)


def _remove_set_aside(context: Context, folder: str, files: Sequence[FileEntry], others: Sequence[str]) -> int:
    """Removes what was set aside of these files, all of one day, and of none of other folders that the ledger has."""
    read = {content_key(each.sha256, each.ingest_hash): each for each in files if each.state == "ingested"}
    store = store_of(context.lake)
    lying = [part for part in _lying(store, folder, list(read.values())) if key_of(part.name) in read]
    hashes = {read[key_of(part.name)].sha256 for part in lying}
    mine = [_content(folder, each) for each in read.values()]
    chosen = only_of(lying, mine, _contents(context, others, hashes)) if lying else []
    return store.remove(part.name for part in chosen)


def _lying(store: Store, folder: str, files: Sequence[FileEntry]) -> Iterator[Stored]:
    """What was set aside of the day of these files, and what versions before 1.0.0 put beside the days."""
    if not files:
        return
    day = day_of_ms(files[0].file_start_ms)
    yield from (part for part in store.set_aside(day, day) if "/day=" in part.name)
    stems = (part_stem(Path(folder), each.sha256, each.ingest_hash) for each in files)
    former = {set_aside_name(stem, None) for stem in stems}
    yield from (Stored(name, day, 0, 0.0) for name in sorted(former - store.missing(former)))


def _contents(context: Context, folders: Sequence[str], hashes: set[str]) -> Iterator[ReadContent]:
    """What the ledger has of these contents in those folders."""
    for folder in folders if hashes else ():
        with reading(context.database) as session:
            found = ledger.files_of_content(session, folder, hashes)
        yield from (_content(folder, each) for each in found if each.state == "ingested")


def _content(folder: str, entry: FileEntry) -> ReadContent:
    return ReadContent(folder, entry.sha256, entry.ingest_hash)
