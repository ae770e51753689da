"""What a router holds against what was delivered to it: equal, behind, or changed by somebody."""

from dataclasses import dataclass
from typing import Literal

from base import clock
from delivery.access import opener
from delivery.device import held
from delivery.language import Language
from delivery.part import Part
from etl.days import day_bounds_ms
from pipeline.candidates import known_candidate
from pipeline.context import Context
from pipeline.stage_log import stage
from pipeline.withdraw import record_withdrawals
from settings.model import Router
from sql import audit
from sql.audit import NewEvent
from sql.deliveries import REMOVAL, REPORTS, standing
from sql.session import reading, transaction

DriftState = Literal["equal", "behind", "changed"]
# Earlier texts that a router may have gone back to.
_EARLIER = 10


@dataclass(frozen=True)
class Drift:
    """One router's state.

    `delivered` is the hash of what was delivered last, None for nothing. "behind": the router holds an earlier text, or
    nothing. "changed": it holds something else; `statements` shows it, `-` what is missing, `+` what stands beside.
    """

    router: str
    state: DriftState
    delivered: str | None
    statements: tuple[str, ...] = ()


def _state(found: Drift) -> str:
    return found.state


@stage(_state)
def router_drift(context: Context, router: Router) -> Drift:
    """Reads what a router holds; the audit log is told of a state that is new, and once each UTC day.

    Raises:
        CandidateStoreError: the delivered text is lost, on disk and in the database.
        DeliveryError: the settings do not say how the router is reached, or it does not answer.
    """
    record_withdrawals(context, router)
    device = opener(router, context.settings.delivery.timeout_s)()
    try:
        holds = held(device)
    finally:
        device.close()
    found = _compared(context, router, device.language, holds)
    with transaction(context.database) as session:
        event = NewEvent("drift", router.name, candidate_hash=found.delivered, detail=found.state)
        told = audit.append_changed(session, event, "router")
        if told.time_ms < day_bounds_ms(clock.today())[0]:
            audit.append(session, event)
    return found


def _compared(context: Context, router: Router, language: Language, holds: Part) -> Drift:
    with reading(context.database) as session:
        events = audit.events(session, router.name, (*REPORTS, REMOVAL))
    hashes = [each.candidate_hash for each in standing(events, router.name) if each.candidate_hash]
    last = hashes[-1] if hashes else None
    wanted = _part(context, router, language, last)
    if holds == wanted:
        return Drift(router.name, "equal", last)
    earlier = [each.candidate_hash for each in reversed(events) if each.candidate_hash and each.candidate_hash != last]
    known = (None, *dict.fromkeys(earlier[: 2 * _EARLIER]))
    state: DriftState = (
        "behind" if any(holds == _part(context, router, language, each) for each in known) else "changed"
    )
    return Drift(router.name, state, last, tuple(holds.differences(wanted)))


def _part(context: Context, router: Router, language: Language, candidate_hash: str | None) -> Part:
    return language.part_of(known_candidate(context, router, candidate_hash).text if candidate_hash else None)
