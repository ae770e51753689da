"""Removal of many flow files from the ledger, those of some time at once: a year of many routers has millions.

All functions work within the caller's transaction.
"""

from dataclasses import dataclass

from sqlalchemy import delete, func, select

from hntes.sql.entries import FileEntry
from hntes.sql.ledger import FLOW_FILE, FLOW_FILE_PART, files_of_folder
from hntes.sql.session import Session


@dataclass(frozen=True)
class Forgotten:
    """The entries of files that the ledger no longer has, and the names of the lake parts that they held."""

    files: tuple[FileEntry, ...]
    parts: tuple[str, ...]


def oldest_start_ms(session: Session, folder: str) -> int | None:
    """The start of the oldest of a folder's flow files in whatever state; None if the ledger has none."""
    statement = select(func.min(FLOW_FILE.c.file_start_ms)).where(FLOW_FILE.c.folder == folder)
    oldest_ms: int | None = session.execute(statement).scalar_one()
    return oldest_ms


def forget_files(session: Session, folder: str, from_ms: int, to_ms: int) -> Forgotten:
    """Removes a folder's flow files that start in [from_ms, to_ms), with their counts, parts and evidence.

    The caller may delete the parts once the transaction is committed, unless `named_parts` finds them elsewhere.
    """
    file, part = FLOW_FILE.c, FLOW_FILE_PART.c
    chosen = (file.folder == folder, file.file_start_ms >= from_ms, file.file_start_ms < to_ms)
    of_part = (file.folder == part.folder) & (file.path == part.path)
    parts = session.execute(select(part.part).join(FLOW_FILE, of_part).where(*chosen)).scalars()
    forgotten = Forgotten(files_of_folder(session, folder, from_ms, to_ms), tuple(sorted(set(parts))))
    session.execute(delete(FLOW_FILE).where(*chosen))
    return forgotten
