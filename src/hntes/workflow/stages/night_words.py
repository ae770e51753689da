"""What a night says of a router without flow files of the day, or without a record of them that could be used."""

from datetime import date

from hntes.settings.model import Router
from hntes.workflow.context import Context
from hntes.workflow.newest_day import days_with_files


def without_files_words(context: Context, router: Router, day: date) -> str:
    """What is missing, and where the files are."""
    folder = router.flow_folder
    found = days_with_files(context, folder)
    if not found:
        return f"no flow file of {day} in {folder}, nor of any other day; does the collector write there?"
    whole = f"{found[0]}" if len(found) == 1 else f"{len(found)} days from {found[0]} to {found[-1]}"
    missing = f"no flow file of {day} in {folder}; does the collector write there?"
    return f"{missing} It has files of {whole}: --day {found[-1]}"


def without_records_words(day: date) -> str:
    """That there were files, and where to look."""
    return f"no record in its flow files of {day} could be used; `hntes data files` says what became of them"
