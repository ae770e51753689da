"""The last known drift of routers and its age, from the audit log, without contacting them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal

from hntes import clock
from hntes.settings.model import Router
from hntes.sql import audit
from hntes.sql.deliveries import REMOVAL
from hntes.sql.entries import AuditEventEntry, AuditKind
from hntes.sql.session import Session, reading
from hntes.workflow.context import Context

KnownState = Literal["equal", "behind", "changed", "never_asked"]
# A router that is checked every morning was checked within this many days.
ASKED_DAYS = 2
_SAYS: tuple[AuditKind, ...] = ("drift", "verified", REMOVAL)


@dataclass(frozen=True)
class KnownDrift:
    """The last known drift of one router, from `hntes router drift` or a delivery.

    `asked_ms` is the time of the last check; of several with one state on one UTC day, the first. `since_ms` is the
    time when this state was first seen. Both are None if the router was never checked.
    """

    router: str
    state: KnownState
    asked_ms: int | None = None
    since_ms: int | None = None

    @property
    def is_old(self) -> bool:
        """Whether the last check is more than two days ago, or there was none."""
        return self.asked_ms is None or (clock.today() - _day(self.asked_ms)).days >= ASKED_DAYS

    @property
    def is_well(self) -> bool:
        """Whether a recent check found the delivered configuration."""
        return self.state == "equal" and not self.is_old

    @property
    def words(self) -> str:
        """The drift in words."""
        if self.asked_ms is None or self.since_ms is None:
            return "never checked"
        text = f"{_WORDS[self.state]} since {_day(self.since_ms)}"
        return f"{text}, not checked since {_day(self.asked_ms)}" if self.is_old else text


def known_drift(context: Context, routers: Sequence[Router]) -> tuple[KnownDrift, ...]:
    """The last known drift of those of these routers that HNTES reaches."""
    with reading(context.database) as session:
        return tuple(drift_of(session, router) for router in routers if router.is_reached)


def drift_of(session: Session, router: Router) -> KnownDrift:
    """As `known_drift`, for one router, in the caller's transaction."""
    events = audit.events(session, router.name, _SAYS)
    if not events:
        return KnownDrift(router.name, "never_asked")
    state = _state(events[-1])
    since = next((each for each in reversed(events) if _state(each) != state), None)
    first = next(each for each in events if since is None or each.number > since.number)
    return KnownDrift(router.name, state, events[-1].time_ms, first.time_ms)


_WORDS = {
    "equal": "as delivered",
    "behind": "holds an earlier text or nothing",
    "changed": "changed on the router",
    "never_asked": "",
}


def _state(event: AuditEventEntry) -> KnownState:
    """The state that an event shows: a verified delivery or a completed removal counts as equal."""
    if event.kind != "drift":
        return "equal"
    return "changed" if event.outcome == "changed" else "behind" if event.outcome == "behind" else "equal"


def _day(moment_ms: int) -> date:
    return datetime.fromtimestamp(moment_ms // 1000, UTC).date()
