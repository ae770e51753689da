"""The tasks of reservations. What they may change on routers is up to the run's `mode`: a dry run by default."""

from datetime import timedelta

from airflow.sdk import get_current_context, task
from airflow.sdk.exceptions import AirflowFailException

from hntes.airflow.stage import hntes
from hntes.sanitize import shown_lines


@task(execution_timeout=timedelta(hours=2))
def prepare_scheduled() -> None:
    """Makes, judges and, by quotas, approves the texts at the edges of the calendar; prints what stands.

    One router's failure does not hold up the others, nor what was approved before: deliveries follow all the same.

    Raises:
        AirflowFailException: a text cannot be made, or is not passed; there is time to mend it until its edge.
    """
    from hntes.workflow.delivery.scheduled_words import prepared_lines
    from hntes.workflow.errors import expected, message
    from hntes.workflow.stages.prepare_scheduled import prepare_scheduled as prepare

    failed = []
    with hntes() as opened:
        for router in opened.chosen(get_current_context()["params"]["routers"]):
            try:
                found = prepare(opened, router)
            except expected() as problem:
                failed.append(router.name)
                lines = [f"{router.name} FAILED: {message(problem)}"]
            else:
                failed += [router.name] if found.has_problems else []
                lines = list(prepared_lines(router.name, found))
            print(shown_lines("\n".join(lines)))
    if failed:
        raise AirflowFailException(
            f"texts of {', '.join(failed)} cannot be made, or the gate has not passed them; see the lines above"
        )


# A router may have to be waited for until it goes back by itself.
@task(execution_timeout=timedelta(hours=2), trigger_rule="all_done")
def deliver_scheduled() -> None:
    """Delivers what is approved and due, or without mode commit shows it; prints what became of each router.

    Raises:
        AirflowFailException: a router failed, a reservation is late or there after its end, or a webhook failed.
    """
    from hntes.workflow.delivery.scheduled_delivery import run_scheduled_round
    from hntes.workflow.delivery.scheduled_words import round_lines

    params = get_current_context()["params"]
    with hntes() as opened:
        found = run_scheduled_round(opened, opened.chosen(params["routers"]), commit=params["mode"] == "commit")
    print(shown_lines("\n".join(round_lines(found))))
    if found.has_problems:
        raise AirflowFailException(
            "a router failed, a reservation is late or there after its end, or a webhook failed; see the lines above"
        )
