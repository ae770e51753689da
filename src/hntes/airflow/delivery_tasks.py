"""The tasks of a delivery to routers. What it may change is up to the run's parameter `mode`: a dry run by default."""

from datetime import timedelta
from typing import TYPE_CHECKING

from airflow.sdk import get_current_context, task
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from hntes.airflow.stage import hntes
from hntes.sanitize import shown_lines

if TYPE_CHECKING:
    from hntes.settings.model import Router
    from hntes.workflow.context import Context


@task(execution_timeout=timedelta(hours=1))
def show_plan() -> None:
    """Prints what would change on each router, and in which order; changes nothing."""
    from hntes.workflow.delivery.plan import plan_delivery
    from hntes.workflow.delivery.text import plan_lines

    with hntes() as opened:
        print(shown_lines("\n".join(plan_lines(plan_delivery(opened, _reached(opened))))))


# A canary may have to stand for a day.
@task(execution_timeout=timedelta(hours=36))
def push_routers() -> None:
    """Delivers to the routers by the plan, and prints a report.

    Raises:
        AirflowSkipException: it is a dry run, or no window is open.
        AirflowFailException: a router failed, or not all were begun; a person has to look before the next run.
    """
    if get_current_context()["params"]["mode"] != "commit":
        raise AirflowSkipException("a dry run: trigger it with mode commit, or set HNTES_DELIVERY_MODE")
    from hntes.workflow.delivery.plan import plan_delivery
    from hntes.workflow.delivery.rounds import run_delivery
    from hntes.workflow.delivery.text import report_lines

    with hntes() as opened:
        plan = plan_delivery(opened, _reached(opened))
        if plan.to_change and plan.closed:
            raise AirflowSkipException(plan.closed)
        ended = run_delivery(opened, plan, report=lambda router, what: print(shown_lines(f"{router}: {what}")))
    print(shown_lines("\n".join(report_lines(ended))))
    failed = [each.router for each in ended if each.outcome in ("failed", "not_started")]
    if failed:
        raise AirflowFailException(f"failed or not begun: {', '.join(failed)}; the report says why")


def _reached(opened: "Context") -> "list[Router]":
    chosen = opened.chosen(get_current_context()["params"]["routers"])
    return [router for router in chosen if router.is_reached]
