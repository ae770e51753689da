"""The tasks of a night: each opens HNTES, calls the stage of its name or several, and returns only names and text.

A stage is loaded in its task: Airflow reads DAG files again and again, and should not load the stages each time.
"""

import os
from collections.abc import Iterable
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from airflow.sdk import Asset, get_current_context, task
from airflow.sdk.configuration import conf
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException, AirflowTaskTimeout

from hntes.airflow.policy import FOLDER_LIMIT_S, INGEST_LIMIT, PER_ROUTER
from hntes.airflow.request_text import night_of
from hntes.airflow.results import Results, results
from hntes.airflow.stage import hntes, silent
from hntes.workflow.context import Context

if TYPE_CHECKING:
    from hntes.settings.model import Router

# As `hntes.workflow.notices.send` has them; importing it here would load the stages.
URLS_VARIABLE, URLS_FILE_VARIABLE = "HNTES_NOTICE_URLS", "HNTES_NOTICE_URLS_FILE"
FLOWS = Asset("hntes://flows/daily")


@task
def choose_day() -> str:
    """The UTC day that the run is about."""
    context = get_current_context()
    run = context["dag_run"]
    # with create_cron_data_intervals the logical date is a day before the run is due: where its interval begins
    return night_of(context["params"]["day"], run.data_interval_end or run.run_after).isoformat()


@task(execution_timeout=timedelta(minutes=10))
def list_routers() -> list[str]:
    """The routers of the run, by its parameter and the settings.

    Raises:
        AirflowFailException: they are more than Airflow makes tasks for of one list.
    """
    with hntes() as opened:
        names = [router.name for router in opened.chosen(get_current_context()["params"]["routers"])]
    most = conf.getint("core", "max_map_length", fallback=1024)
    if len(names) > most:  # its API server would refuse the list, five times, without a word on what to do
        raise AirflowFailException(
            f"{len(names)} routers are more than Airflow makes tasks for of one list ({most}): set "
            f"AIRFLOW__CORE__MAX_MAP_LENGTH to {len(names)} or more for its API server, scheduler and workers, or name "
            "fewer in the parameter routers"
        )
    return names


@task(execution_timeout=INGEST_LIMIT, **PER_ROUTER)
def ingest(router: str, day: str) -> str:
    """Reads the flow files of the day in a router's folder; returns the router.

    Raises:
        TemporaryError: the folder does not answer, or another process keeps it; for what waits, others have the place.
        AirflowFailException: it took too long. Another attempt would take as long, and the night would be late.
    """
    from hntes.airflow.folder_watch import watched
    from hntes.workflow.stages.ingest import WAIT_S
    from hntes.workflow.stages.ingest import ingest as ingest_folder

    try:
        with hntes() as opened:
            (chosen,) = opened.chosen([router])
            folder = chosen.flow_folder
            # Where routers share a folder, the other process is most likely another task of this night, which reads it.
            is_shared = sum(router.flow_folder == folder for router in opened.settings.routers) > 1
            limits = {"answer_s": FOLDER_LIMIT_S, "lock_s": WAIT_S if is_shared else FOLDER_LIMIT_S}
            with watched(folder, FOLDER_LIMIT_S):
                print(ingest_folder(opened, folder, date.fromisoformat(day), silent, **limits))
    except AirflowTaskTimeout as hung:
        raise AirflowFailException(
            f"{router}: its flow files were not read within {INGEST_LIMIT}; does their file server answer? Then clear "
            "this task, or raise HNTES_INGEST_LIMIT_S"
        ) from hung
    return router


@task(trigger_rule="all_done", outlets=[FLOWS])
def announce_flows(day: str, read: Iterable[str] | str | None) -> None:
    """Lets other DAGs know of which routers the day's flows are in, when those of the others have failed for good."""
    from hntes.workflow.review.queries import with_files

    # one result comes without its list
    routers = [read] if isinstance(read, str) else list(read or ())
    if routers:
        with hntes() as opened:
            routers = with_files(opened, opened.chosen(routers), date.fromisoformat(day))
    if not routers:
        raise AirflowSkipException("no router's flows are in")
    get_current_context()["outlet_events"][FLOWS].extra = {"day": day, "routers": [*routers]}


# One task of four stages: each task costs Airflow about two CPU seconds, whatever it does.
@task(execution_timeout=timedelta(hours=4, minutes=30), **PER_ROUTER)
def propose(router: str, day: str) -> dict[str, str]:
    """Finds a router's alpha flows of the day, measures its load, proposes its change and has the gate judge it.

    Returns what became of the change. Another attempt begins with the first stage and ends in the same state.
    """
    from hntes.rules.changeset.wording import in_one_line
    from hntes.workflow.stages.detect import detect
    from hntes.workflow.stages.measure import measure
    from hntes.workflow.stages.propose import propose as propose_day

    of_day = date.fromisoformat(day)
    with hntes() as opened:
        (known,) = opened.chosen([router])
        detected = detect(opened, known, of_day)
        print(f"{len(detected.observations)} alpha flows; {detected.status}")
        print(measure(opened, known, of_day))
        proposed = propose_day(opened, known, of_day)
        entry = proposed.change
        summary = f"{router}: {entry.state}: {in_one_line(entry, proposed.facts.effect)}"
        change = {"router": router, "state": entry.state, "summary": summary}
        return change | _judged(opened, known, of_day, summary) if entry.state == "pending" else change


def _judged(opened: Context, router: "Router", day: date, summary: str) -> dict[str, str]:
    """What the gate's judgement adds to a change that waits for a decision."""
    from hntes.workflow.change_lookup import find_change
    from hntes.workflow.review.changes import listed_change
    from hntes.workflow.stages.judge import judge

    judged = judge(opened, router, day)
    held_until = listed_change(opened, find_change(opened, router, day)).held_until
    summary = f"{summary}; gate: {'passed' if judged.is_passing else 'NOT passed'}"
    if held_until is None:
        return {"summary": summary}
    return {"held_until": str(held_until), "summary": f"{summary}; held until {held_until}"}


@task(trigger_rule="all_done")
def choose_reviews(day: str, proposed: Results) -> dict[str, Any]:
    """The parameters of the review: the routers whose change waits for a decision and is not held until a day."""
    waiting = [
        change["router"] for change in results(proposed) if change["state"] == "pending" and "held_until" not in change
    ]
    if not waiting:
        raise AirflowSkipException("nothing waits for a decision")
    return {"day": day, "routers": waiting}


@task(trigger_rule="all_done")
def report(day: str, routers: list[str], proposed: Results) -> None:
    """Prints what the night did, and has the head of the audit log written down elsewhere.

    Raises:
        AirflowFailException: a router was not finished, has no flow file of the day, or no record that could be used.
    """
    from hntes.workflow.review.queries import without_files, without_records
    from hntes.workflow.stages.night import end_night
    from hntes.workflow.stages.night_words import without_files_words, without_records_words

    with hntes() as opened:
        end_night(opened)
    done = {change["router"]: change["summary"] for change in results(proposed)}
    print("\n".join([f"night of {day}", *done.values()]))
    missing = [router for router in routers if router not in done]
    said = [f"not finished: {', '.join(missing)}; their tasks' logs say why"] if missing else []
    with hntes() as opened:
        chosen, of_day = opened.chosen(routers), date.fromisoformat(day)
        lacking = without_files_words(opened, without_files(opened, chosen, of_day), of_day)
        said += [f"router {name}: {words}" for name, words in lacking.items()]
        said += [f"router {name}: {without_records_words(of_day)}" for name in without_records(opened, chosen, of_day)]
    if said:
        raise AirflowFailException("; ".join(said))


@task(trigger_rule="all_done", execution_timeout=timedelta(minutes=10))
def notify() -> None:
    """Tells operators what happened since the last message, where the environment has addresses of theirs."""
    if not (os.environ.get(URLS_VARIABLE) or os.environ.get(URLS_FILE_VARIABLE)):
        raise AirflowSkipException(f"nobody to tell: {URLS_VARIABLE} and {URLS_FILE_VARIABLE} are not set")
    from hntes.workflow.notices.send import tell

    with hntes() as opened:
        told = tell(opened, sends=True)
    print(f"{told.outcome}: {told.title}")
