"""Reservations: texts at the edges of the calendar are made, judged and, as far as quotas allow, approved; then what is
approved and due is delivered to the routers, if the run is to commit.

A run looks at all edges of the next hours that the settings name; running it again changes nothing. Let it run more
often than the settings' `lead_s`, so that what begins is there in time. Rules stay as they are on each router.
"""

from datetime import UTC, datetime

from airflow.sdk import dag

from hntes.airflow.params import some_routers, whether_to_commit
from hntes.airflow.policy import DELIVERY_MODE, RESERVATIONS_SCHEDULE, RETRIED
from hntes.airflow.reservation_tasks import deliver_edges, prepare_edges


@dag(
    dag_id="hntes_reservations",
    schedule=RESERVATIONS_SCHEDULE,
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    params={"mode": whether_to_commit(DELIVERY_MODE), "routers": some_routers()},
    default_args=RETRIED,
    doc_md=__doc__,
    tags=["hntes"],
)
def hntes_reservations() -> None:
    prepare_edges() >> deliver_edges()


hntes_reservations()
