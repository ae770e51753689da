"""The review of one night: each router's change is decided, here or elsewhere, and what is approved is delivered.

It is a DAG of its own, so that a change that nobody has decided yet does not hold up the next night.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from airflow.sdk import dag, task, task_group
from airflow.sdk.exceptions import AirflowSkipException

from hntes.airflow.approval import ChangeSetApproval
from hntes.airflow.night_tasks import list_routers
from hntes.airflow.params import a_day, some_routers
from hntes.airflow.policy import RETRIED
from hntes.airflow.stage import hntes


@task(execution_timeout=timedelta(minutes=10), map_index_template="{{ task.op_kwargs['router'] }}")
def choose_candidate(router: str, day: str) -> str:
    """The candidate that this review is about, whatever is proposed while it waits."""
    from hntes.workflow.change_lookup import find_change

    with hntes() as opened:
        return find_change(opened, opened.chosen([router])[0], date.fromisoformat(day)).candidate_hash


@task(execution_timeout=timedelta(minutes=10), map_index_template="{{ task.op_kwargs['router'] }}")
def deliver(router: str, day: str, decided: dict[str, str | None]) -> str:
    """Puts what is in force into the router's `approved` folder, if this day's change is approved."""
    from hntes.workflow.delivery.deliver import deliver as deliver_router

    with hntes() as opened:
        done = deliver_router(opened, opened.chosen([router])[0], date.fromisoformat(day))
    if done is None:
        raise AirflowSkipException(f"nothing is delivered: {decided['explanation']}")
    return str(done.manifest)


@dag(
    dag_id="hntes_review",
    schedule=None,
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    is_paused_upon_creation=False,
    params={"day": a_day("UTC day of the changes.", needed=True), "routers": some_routers()},
    default_args=RETRIED,
    doc_md=__doc__,
    tags=["hntes"],
)
def hntes_review() -> None:
    day = "{{ params.day }}"

    @task_group
    def router_review(router: str) -> Any:
        decided = ChangeSetApproval(
            task_id="decide",
            router=router,
            day=day,
            candidate_hash=choose_candidate(router=router, day=day),
            map_index_template="{{ task.router }}",
        )
        return deliver(router=router, day=day, decided=decided.output)

    router_review.expand(router=list_routers())


hntes_review()
