"""Read-only verification of a router against the configuration last delivered to it."""

from hntes.delivery.access import opener
from hntes.delivery.timer import MonotonicTimer
from hntes.settings.model import Router
from hntes.sql import audit
from hntes.sql.deliveries import REPORTS
from hntes.sql.session import reading
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.delivery.flowspec_delivery import verify_announced
from hntes.workflow.delivery.push_request import verify_candidate
from hntes.workflow.errors import CommandError


def verify_router(context: Context, router: Router) -> None:
    """Verifies that a router runs the configuration last delivered to it, and runs its probes.

    What was approved since has nothing to do with that. The text that the removal of a pair left is no delivery.

    Raises:
        CommandError: nothing was delivered to it.
        DeliveryError: the verification failed, or the router cannot be reached.
    """
    with reading(context.database) as session:
        events = audit.events(session, router.name, REPORTS)
    last = next((each.candidate_hash for each in reversed(events) if each.day is not None), None)
    if last is None:
        raise CommandError(f"router {router.name}: nothing was delivered to it")
    if router.flowspec is not None:
        verify_announced(context, router, router.flowspec, last, MonotonicTimer())
        return
    candidate = known_candidate(context, router, last)
    device = opener(router, context.settings.delivery.timeout_s)()
    try:
        verify_candidate(context, router, candidate, device)
    finally:
        device.close()
