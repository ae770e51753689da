"""What a run over a folder finds: the files' contents, and what the ledger holds of them."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sqlalchemy import Engine

from hntes.etl.ingest.actions import Seen, Unopened, orphaned_copies
from hntes.etl.ingest.content import content_of
from hntes.etl.sources.scan import FolderFile, Scan, Span, is_there
from hntes.sql.entries import FileEntry
from hntes.sql.ledger import copies_without_owner, files_at, files_of_content, files_of_folder
from hntes.sql.session import reading

# Their hashes are taken side by side, without Python's lock.
_HASHED_AT_ONCE = 2


def look_at(folder: Path, files: Iterable[FolderFile], warnings: list[str]) -> tuple[list[Seen], list[Unopened]]:
    """The files' contents, or why they cannot be opened."""
    seen: list[Seen] = []
    unopened: list[Unopened] = []
    with ThreadPoolExecutor(_HASHED_AT_ONCE) as threads:
        looks = [(file, threads.submit(_opened, folder, file)) for file in files]
    for file, look in looks:
        try:
            seen.append(look.result())
        except FileNotFoundError:
            warnings.append(f"{file.path}: it disappeared before it was read")
        except OSError as problem:
            unopened.append(Unopened(file, f"the file cannot be opened: {problem.strerror}"))
    return seen, unopened


def known_entries(
    engine: Engine, folder: Path, span: Span, seen: Sequence[Seen], scan: Scan, *, was_killed: bool
) -> dict[str, FileEntry]:
    """The ledger's entries that decide on these files: their own, and all that have or had the same content.

    A run that was killed may have left copies without an owner, of whatever time.
    """
    with reading(engine) as session:
        if span.is_open:
            return {entry.path: entry for entry in files_of_folder(session, str(folder))}
        named = [*scan.files, *(one.file for one in scan.refused if one.file is not None)]
        mine = {entry.path: entry for entry in files_at(session, str(folder), [file.path for file in named])}
        contents = {one.sha256 for one in seen} | {mine[one.path].sha256 for one in seen if one.path in mine}
        others = files_of_content(session, str(folder), contents - {""})
        left = copies_without_owner(session, str(folder)) if was_killed else ()
    found = mine | {entry.path: entry for entry in (*others, *left)}
    return {entry.path: entry for entry in sorted(found.values(), key=lambda one: (one.file_start_ms, one.path))}


def orphans(folder: Path, known: Mapping[str, FileEntry], seen: Sequence[Seen], warnings: list[str]) -> list[Seen]:
    """The copies without an owner that are still there: one of them becomes the owner."""
    found: list[Seen] = []
    for file in orphaned_copies(known, seen):
        if not is_there(folder, file):
            continue
        try:
            found.append(_opened(folder, file))
        except OSError as problem:
            reason = f"the only copy of its records, and it cannot be opened: {problem.strerror}"
            warnings.append(f"{file.path}: {reason}")
    return found


def refused(scan: Scan, set_aside: dict[str, str], span: Span) -> list[Unopened]:
    """Entries that only have the name of a flow file: into `set_aside`; those in the time span go into the ledger."""
    set_aside.update({one.path: one.reason for one in scan.refused if one.file is None})
    recorded = [(one.file, one.reason) for one in scan.refused if one.file is not None]
    return [Unopened(file, reason) for file, reason in recorded if span.has(file.start_ms)]


def _opened(folder: Path, file: FolderFile) -> Seen:
    return Seen(file, content_of(folder / file.path))
