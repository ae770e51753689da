"""What a night says at its end, and of a router without flow files or usable records of the day."""

from datetime import date

from hntes.format import counted
from hntes.settings.model import Router
from hntes.workflow.context import Context
from hntes.workflow.newest_day import days_with_files
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
