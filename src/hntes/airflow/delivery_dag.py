"""What DAGs whose runs deliver to routers have in common."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from airflow.sdk import DAG, dag

from hntes.airflow.params import some_routers, whether_to_commit
from hntes.airflow.policy import DELIVERY_MODE, RETRIED


def delivery_dag(dag_id: str, schedule: str | None, description: str | None) -> Callable[[Any], Callable[..., DAG]]:
    """The decorator `dag` for one of them: a run at a time, of the routers and in the mode of its parameters."""
    return dag(
        dag_id=dag_id,
        schedule=schedule,
        start_date=datetime(2026, 1, 1, tzinfo=UTC),
        catchup=False,
        max_active_runs=1,
        params={"mode": whether_to_commit(DELIVERY_MODE), "routers": some_routers()},
        default_args=RETRIED,
        doc_md=description,
        tags=["hntes"],
    )
