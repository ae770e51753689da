"""The newest day with data: what a command means that is given no day."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from hntes import clock
from hntes.etl.days import day_of_ms
from hntes.settings.model import Router
from hntes.sql.day_status import newest_days_with_records
from hntes.sql.session import reading
from hntes.workflow.answering_folders import answering_folders
from hntes.workflow.context import Context


def days_with_files(context: Context, folder: Path) -> tuple[date, ...]:
    """The UTC days of the flow files in a folder by their names, up to the last that may be run; none if it is missing.

    Raises:
        FlowFolderError: the folder cannot be read.
    """
    if not folder.is_dir():
        return ()
    _, scan = context.files_of(folder)
    days = {day_of_ms(file.start_ms) for file in scan.files}
    return tuple(sorted(day for day in days if day <= context.last_day))


def newest_day_with_files(context: Context, routers: Sequence[Router]) -> date | None:
    """The newest day of which the routers have flow files; the present day, which is not over, only if it is alone.

    A folder that does not answer within a minute has no say; the part that reads it waits longer.
    """
    folders = answering_folders(context.folders(list(routers)), "the newest day is looked for without it")
    days = {day for folder in folders for day in days_with_files(context, folder)}
    return max(days - {clock.today()} or days, default=None)


def newest_day_with_records(context: Context, routers: Sequence[Router]) -> date | None:
    """The newest processed day of which one of the routers has flow records."""
    with reading(context.database) as session:
        newest = newest_days_with_records(session)
    return max((newest[router.name] for router in routers if router.name in newest), default=None)
