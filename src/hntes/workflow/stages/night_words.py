"""What a night says at its end, and of a router without flow files or usable records of the day."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from hntes.format import counted
from hntes.workflow.context import Context
from hntes.workflow.stages.newest_day import days_with_files
from hntes.workflow.stages.night import Night


def summary_words(night: Night) -> str:
    """What was found, and the next command."""
    alpha = sum(len(detected.observations) for detected in night.observed.values())
    waiting = [
        name for name, each in night.proposed.items() if each.change.state == "pending" and not each.proposal.is_empty
    ]
    found = f"{counted(len(night.observed), 'router')}, {counted(alpha, 'alpha flow')}"
    if not waiting:
        return f"{night.day}: {found}; no change waits for a decision"
    passed = sum(night.judged[name].is_passing for name in waiting if name in night.judged)
    verb = "waits" if len(waiting) == 1 else "wait"
    return (
        f"{night.day}: {found}; {counted(len(waiting), 'change')} {verb} for a decision, {passed} passed the gate: "
        "`hntes change list`"
    )


def without_files_words(context: Context, names: Sequence[str], day: date) -> dict[str, str]:
    """By router, what is missing, and of which days there are files; a folder that does not answer is not looked at."""
    folders = {name: context.settings.router(name).flow_folder for name in names}
    asked = list(dict.fromkeys(folders.values()))
    days = days_with_files(context, asked, "the days of its files are not named") if asked else {}
    return {name: _without_files(folder, days.get(folder), day) for name, folder in folders.items()}


def _without_files(folder: Path, found: Sequence[date] | None, day: date) -> str:
    missing = f"no flow file of {day} in {folder}; does the collector write there?"
    if found is None:
        return missing
    if not found:
        return f"no flow file of {day} in {folder}, nor of any other day; does the collector write there?"
    whole = f"{found[0]}" if len(found) == 1 else f"{len(found)} days from {found[0]} to {found[-1]}"
    return f"{missing} It has files of {whole}: --day {found[-1]}"


def without_records_words(day: date) -> str:
    """That there were files, and where to look."""
    return f"no record in its flow files of {day} could be used; `hntes data files` says what became of them"
