"""The night: ingest, then detect, measure, propose and judge in one task; then the review of its changes begins.

A run is about one UTC day: its parameter `day`, else the day before the run is due. Running a day again changes
nothing.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.sdk import (  # type: ignore[attr-defined]  # the stubs of 3.3.2 lack the deadlines
    AsyncCallback,
    DeadlineAlert,
    DeadlineReference,
    dag,
    task_group,
)

from hntes.airflow.late import report_late
from hntes.airflow.night_tasks import (
    announce_flows,
    choose_day,
    choose_reviews,
    ingest,
    list_routers,
    notify,
    propose,
    report,
)
from hntes.airflow.params import a_day, some_routers
from hntes.airflow.policy import NIGHT_DEADLINE, RETRIED, SCHEDULE


@dag(
    dag_id="hntes_nightly",
    schedule=SCHEDULE,
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    params={"day": a_day("UTC day of the flows; none: the day before the run is due."), "routers": some_routers()},
    default_args=RETRIED | {"execution_timeout": timedelta(minutes=10)},
    deadline=DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, NIGHT_DEADLINE, AsyncCallback(report_late)),
    doc_md=__doc__,
    tags=["hntes"],
)
def hntes_nightly() -> None:
    day = choose_day()
    routers = list_routers()
    reads: list[Any] = []

    # Each router goes its way from its folder to its judged change; none waits for another.
    @task_group
    def router_night(router: str) -> Any:
        reads.append(ingest(router=router, day=day))
        change = propose(router=router, day=day)
        reads[0] >> change
        return change

    proposed = router_night.expand(router=routers)
    announce_flows(day, reads[0])
    review = choose_reviews(day, proposed)
    review >> TriggerDagRunOperator(
        task_id="begin_review",
        trigger_dag_id="hntes_review",
        trigger_run_id="{{ run_id }}.{{ ti.try_number }}",
        logical_date=None,
        conf=review,
    )
    report(day, routers, proposed)
    proposed >> notify()


hntes_nightly()
