"""A delivery of what is approved to the routers that HNTES reaches: the plan, and the round if the run is to commit.

A run is one round by the settings' [delivery]: its windows, its canary, how many routers at a time, up to the first
that fails. One task does the round, since whether a router may begin depends on what became of the others. Outside of
the windows it is skipped. A run that was killed goes on where it was.
"""

from datetime import UTC, datetime

from airflow.sdk import dag

from hntes.airflow.delivery_tasks import push_routers, show_plan
from hntes.airflow.params import some_routers, whether_to_commit
from hntes.airflow.policy import DELIVERY_MODE, DELIVERY_SCHEDULE, RETRIED


@dag(
    dag_id="hntes_delivery",
    schedule=DELIVERY_SCHEDULE,
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    params={"mode": whether_to_commit(DELIVERY_MODE), "routers": some_routers()},
    default_args=RETRIED,
    doc_md=__doc__,
    tags=["hntes"],
)
def hntes_delivery() -> None:
    show_plan() >> push_routers()


hntes_delivery()
