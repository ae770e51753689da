"""Reservations: texts at the edges of the calendar are made, judged and, as far as quotas allow, approved; then what is
approved and due is delivered to the routers, if the run is to commit.

A run looks at all edges of the next hours that the settings name; running it again changes nothing. Let it run more
often than the settings' `lead_s`, so that what begins is there in time. Rules stay as they are on each router.
"""

from hntes.airflow.delivery_dag import delivery_dag
from hntes.airflow.policy import RESERVATIONS_SCHEDULE
from hntes.airflow.reservation_tasks import deliver_scheduled, prepare_scheduled


@delivery_dag("hntes_reservations", RESERVATIONS_SCHEDULE, __doc__)
def hntes_reservations() -> None:
    prepare_scheduled() >> deliver_scheduled()


hntes_reservations()
