"""Many past nights: ingest and detect run in parallel, changes are proposed in the order of days.

Ends in the same state as the nights run one by one (workflow/stages/backfill.py). There is no review here: the
latest day's changes wait for a decision, and a review can be started for that day.
"""

from datetime import UTC, datetime, timedelta

from airflow.sdk import dag, task_group

from hntes.airflow.backfill_tasks import choose_days, detect, ingest, list_folders, propose
from hntes.airflow.night_tasks import list_routers
from hntes.airflow.params import a_day, some_routers
from hntes.airflow.policy import RETRIED


@dag(
    dag_id="hntes_backfill",
    schedule=None,
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    max_active_runs=1,
    params={
        "first_day": a_day("First UTC day, YYYY-MM-DD.", needed=True),
        "last_day": a_day("Last UTC day, YYYY-MM-DD: not before the first, and not after today.", needed=True),
        "routers": some_routers(),
    },
    default_args=RETRIED | {"execution_timeout": timedelta(hours=24)},
    doc_md=__doc__,
    tags=["hntes"],
)
def hntes_backfill() -> None:
    days = choose_days()
    routers = list_routers()
    days >> routers
    read = ingest.partial(days=days).expand(folder=list_folders(routers))

    @task_group
    def router_days(router: str) -> None:
        detect(router=router, days=days, read=read) >> propose(router=router, days=days)

    router_days.expand(router=routers)


hntes_backfill()
