"""Read-only verification of a router against its approved configuration."""

from hntes.delivery.access import opener
from hntes.delivery.timer import MonotonicTimer
from hntes.settings.model import Router
from hntes.sql import audit, changes
from hntes.sql.deliveries import REPORTS
from hntes.sql.session import reading
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.delivery.flowspec_delivery import verify_announced
from hntes.workflow.delivery.push_request import verify_candidate
from hntes.workflow.errors import CommandError


def verify_router(context: Context, router: Router) -> None:
    """Verifies that a router runs its approved configuration, with the last reported reservations, and runs its probes.

    Raises:
        CommandError: nothing is approved for it.
        DeliveryError: the verification failed, or the router cannot be reached.
    """
    with reading(context.database) as session:
        approved = changes.in_force(session, router.name)
        events = audit.events(session, router.name, REPORTS)
    if approved is None:
        raise CommandError(f"router {router.name}: nothing is approved for it")
    if router.flowspec is not None:
        verify_announced(context, router, router.flowspec, approved.candidate_hash, MonotonicTimer())
        return
    last = events[-1].candidate_hash if events and events[-1].day == approved.day else None
    candidate = known_candidate(context, router, last or approved.candidate_hash)
    device = opener(router, context.settings.delivery.timeout_s)()
    try:
        verify_candidate(context, router, candidate, device)
    finally:
        device.close()
