"""The tasks of a backfill: the parts of workflow/stages/backfill.py, each for one folder or one router."""

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

from airflow.sdk import get_current_context, task
from airflow.sdk.exceptions import AirflowFailException

from hntes.airflow.policy import FOLDER_LIMIT_S, PARALLEL, PER_ROUTER
from hntes.airflow.stage import finish, hntes
from hntes.settings.errors import SettingsError
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError


@task(execution_timeout=timedelta(minutes=10))
def choose_days() -> list[str]:
    """The days of the run, by its parameters.

    Raises:
        AirflowFailException: the last comes before the first or lies ahead, or there are too many.
    """
    from hntes.workflow.context import last_day_of, settings_of
    from hntes.workflow.stages.backfill import days_between

    params = get_current_context()["params"]
    first, last = (date.fromisoformat(params[name]) for name in ("first_day", "last_day"))
    try:
        return [day.isoformat() for day in days_between(first, last, last_day_of(settings_of(None)))]
    except (CommandError, SettingsError) as problem:
        raise AirflowFailException(f"nothing was done: {problem}") from problem


@task(execution_timeout=timedelta(minutes=10))
def list_folders(routers: list[str]) -> list[str]:
    """Their flow folders, each once."""
    with hntes() as opened:
        return [str(folder) for folder in opened.folders(opened.chosen(routers))]


@task(max_active_tis_per_dagrun=PARALLEL, map_index_template="{{ task.op_kwargs['folder'] }}")
def ingest(folder: str, days: list[str]) -> str:
    """Reads a folder's flow files of all days from its first file on, in their order; returns the folder."""
    from hntes.airflow.folder_watch import watched
    from hntes.etl.sources.answer import require_answer
    from hntes.workflow.stages.backfill import ingest_days

    with hntes() as opened:
        require_answer(Path(folder), FOLDER_LIMIT_S)
        with watched(Path(folder), FOLDER_LIMIT_S):
            finish(ingest_days(opened, Path(folder), [date.fromisoformat(day) for day in days]))
    return folder


@task(trigger_rule="all_done", **PER_ROUTER)
def detect(router: str, days: list[str], read: Sequence[str] | None) -> None:
    """Finds a router's alpha flows of all days from its first flow file on."""
    from hntes.workflow.stages.backfill import detect_days

    with hntes() as opened:
        (chosen,) = opened.chosen([router])
        # as a slice it comes from Airflow's server at once, else in a request for each folder
        if read is None or str(chosen.flow_folder) not in read[:]:
            raise AirflowFailException(f"{router}: {chosen.flow_folder} was not read in this run; see the task ingest")
        finish(detect_days(opened, chosen, _folder_days(opened, chosen.flow_folder, days)))


@task(**PER_ROUTER)
def propose(router: str, days: list[str]) -> None:
    """Measures, proposes and judges a router's days from its first flow file on, one after the other.

    Each router's end is that of a night: a joining task would hide from the run that others failed.
    """
    from hntes.workflow.stages.backfill import propose_days
    from hntes.workflow.stages.night import end_night

    with hntes() as opened:
        (chosen,) = opened.chosen([router])
        part = propose_days(opened, chosen, _folder_days(opened, chosen.flow_folder, days))
        end_night(opened)
        finish(part)


def _folder_days(opened: Context, folder: Path, days: list[str]) -> list[date]:
    """The days from the folder's first file on, if the folder answers; else the task is tried again."""
    from hntes.airflow.folder_watch import watched
    from hntes.etl.sources.answer import require_answer
    from hntes.workflow.stages.backfill import folder_days

    require_answer(folder, FOLDER_LIMIT_S)
    with watched(folder, FOLDER_LIMIT_S):
        return folder_days(opened, folder, [date.fromisoformat(day) for day in days])
