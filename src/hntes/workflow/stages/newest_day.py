"""The newest day with data: what a command means that is given no day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from logging import LogRecord
from multiprocessing.connection import Connection
from pathlib import Path

from hntes import clock
from hntes.etl.days import day_of_ms
from hntes.etl.errors import MissingFolderError
from hntes.etl.sources.answer import NOTICE_S
from hntes.settings.model import Router
from hntes.sql.day_status import newest_days_with_records
from hntes.sql.session import reading
from hntes.workflow.answering_folders import answering_folders
from hntes.workflow.context import Context
from hntes.workflow.errors import expected, message
from hntes.workflow.stage_log import warn
from hntes.workflow.stages.beside import in_process, log_here

# So that the first process of the command loads what those of a night need, too.
_PRELOADED = ("hntes.workflow.stages.lane", __name__)


@dataclass(frozen=True)
class _Listed:
    """The days of a folder's files, or why there are none."""

    days: tuple[date, ...]
    problem: str = ""


def days_with_files(context: Context, folders: Sequence[Path], instead: str) -> dict[Path, tuple[date, ...]]:
    """The UTC days of the flow files in folders by their names, up to the last that may be run; none of a missing one.

    A folder that cannot be read, or takes more than a minute, is left out; a warning says what happens instead.
    """
    found: dict[Path, tuple[date, ...]] = {}
    left = answering_folders(folders, instead)
    while left:
        # this process could not be interrupted while it waits for a file server
        listing = in_process(context, partial(_list, folders=tuple(left)), _PRELOADED)
        try:
            for folder in left.copy():
                listed = _next(listing.messages)
                left.remove(folder)
                if listed.problem:
                    warn(f"{listed.problem}; {instead}")
                else:
                    found[folder] = tuple(day for day in listed.days if day <= context.last_day)
        except TimeoutError:
            warn(f"flow folder {left[0]}: its files were not listed within {NOTICE_S:.0f} s; {instead}")
        except EOFError:
            warn(f"flow folder {left[0]}: the process that lists its files was killed; {instead}")
        finally:
            if left:
                listing.stop()
            listing.messages.close()
        del left[:1]
    return found


def newest_day_with_files(context: Context, routers: Sequence[Router]) -> date | None:
    """The newest day of which the routers have flow files; the present day, which is not over, only if it is alone.

    A folder that does not answer within a minute has no say; the part that reads it waits longer.
    """
    folders = context.folders(list(routers))
    found = days_with_files(context, folders, "the newest day is looked for without it")
    days = {day for of_folder in found.values() for day in of_folder}
    return max(days - {clock.today()} or days, default=None)


def newest_day_with_records(context: Context, routers: Sequence[Router]) -> date | None:
    """The newest processed day of which one of the routers has flow records."""
    with reading(context.database) as session:
        newest = newest_days_with_records(session)
    return max((newest[router.name] for router in routers if router.name in newest), default=None)


def _list(context: Context, messages: Connection, folders: Sequence[Path]) -> None:
    for folder in folders:
        messages.send(_listed(context, folder))


def _listed(context: Context, folder: Path) -> _Listed:
    try:
        _, scan = context.files_of(folder)
    except MissingFolderError:
        return _Listed(())
    except expected() as problem:
        return _Listed((), message(problem))
    return _Listed(tuple(sorted({day_of_ms(file.start_ms) for file in scan.files})))


def _next(messages: Connection) -> _Listed:
    """What is told of the next folder.

    Raises:
        TimeoutError: nothing within a minute.
        EOFError: the process has ended.
    """
    while messages.poll(NOTICE_S):
        match messages.recv():
            case LogRecord() as record:
                log_here(record)
            case _Listed() as listed:
                return listed
    raise TimeoutError
