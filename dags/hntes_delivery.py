"""A delivery of what is approved to the routers that HNTES reaches: the plan, and the round if the run is to commit.

A run is one round by the settings' [delivery]: its windows, its canary, how many routers at a time, up to the first
that fails. One task does the round, since whether a router may begin depends on what became of the others. Outside of
the windows it is skipped. A run that was killed goes on where it was.
"""

from hntes.airflow.delivery_dag import delivery_dag
from hntes.airflow.delivery_tasks import push_routers, show_plan
from hntes.airflow.policy import DELIVERY_SCHEDULE


@delivery_dag("hntes_delivery", DELIVERY_SCHEDULE, __doc__)
def hntes_delivery() -> None:
    show_plan() >> push_routers()


hntes_delivery()
