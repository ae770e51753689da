"""Flow folders in the ledger that were moved, or that the settings no longer name."""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from hntes.etl.ingest.content import content_of
from hntes.sql import ledger
from hntes.sql.entries import FileEntry
from hntes.sql.session import reading, transaction
from hntes.workflow.answering_folders import answering_folders
from hntes.workflow.context import Context
from hntes.workflow.stage_log import warn

COMPARED_FILES = 20


def unnamed_folders(context: Context) -> dict[str, int]:
    """Folders in the ledger that no router of the settings uses, with their number of files."""
    named = {str(router.flow_folder) for router in context.settings.routers}
    with reading(context.database) as session:
        unnamed = [folder for folder in ledger.folders(session) if folder not in named]
        return {folder: ledger.count_files(session, folder) for folder in unnamed}


def adopt_moved(context: Context, folder: Path) -> None:
    """Renames a moved folder in the ledger, so that its files are not read a second time.

    A folder counts as moved if it is new to the ledger and contains an unchanged file of a folder that is gone and not
    in the settings. File names alone do not suffice: every collector uses the same ones, and a folder can be gone
    because its disk is not mounted. Ingest compares the other files. One that does not answer is not known to be gone.
    """
    with reading(context.database) as session:
        if ledger.knows_folder(session, str(folder)):
            return
    for old in unnamed_folders(context):
        with reading(context.database) as session:
            known = ledger.files_of_folder(session, old)
        if _holds_one_of(folder, known) and _is_gone(Path(old)):
            with transaction(context.database) as session:
                ledger.move_folder(session, old, str(folder))
            warn(f"flow folder {folder}: moved from {old}; its ledger entries are kept")
            return


def _is_gone(folder: Path) -> bool:
    """Whether a former folder is no more: of one without an answer, or with another error, nobody knows."""
    if not answering_folders([folder], "it does not count as moved, and what was read from it may be read again"):
        return False
    try:
        folder.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:  # such as a stale handle of a file server that is new
        return False
    return False


def _holds_one_of(folder: Path, known: Iterable[FileEntry]) -> bool:
    """Whether the folder contains one of the newest of these files, byte for byte.

    Files without records do not count: those of two collectors can be equal.
    """
    telling = (entry for entry in known if entry.sha256 and entry.read_records)
    newest = sorted(telling, key=lambda entry: entry.path, reverse=True)
    here = (entry for entry in newest if (folder / entry.path).is_file())
    return any(_is_same(folder / entry.path, entry.sha256) for entry in islice(here, COMPARED_FILES))


def _is_same(path: Path, sha256: str) -> bool:
    """Whether a file has this hash; an unreadable file does not, and ingest reports it."""
    try:
        return content_of(path).sha256 == sha256
    except OSError:
        return False
