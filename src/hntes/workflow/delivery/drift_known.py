"""What is known of what routers hold, without asking them: by the audit log, and when they were last asked."""

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
# A router that is asked every morning was asked within so many days.
ASKED_DAYS = 2
_SAYS: tuple[AuditKind, ...] = ("drift", "verified", REMOVAL)


@dataclass(frozen=True)
class KnownDrift:
    """The state in which one router was last seen, by `hntes router drift` or after a delivery to it.

    `asked_ms` is when it was last seen: of several times in one state on one UTC day the first. `since_ms` is when it
    was first seen in this state. Both are None if it was never asked.
    """

    router: str
    state: KnownState
    asked_ms: int | None = None
    since_ms: int | None = None

    @property
    def is_old(self) -> bool:
        """Whether nobody has asked for two days, or ever."""
        return self.asked_ms is None or (clock.today() - _day(self.asked_ms)).days >= ASKED_DAYS

    @property
    def is_well(self) -> bool:
        """Whether it holds what was delivered to it, as far as it is known of late."""
        return self.state == "equal" and not self.is_old

    @property
    def words(self) -> str:
        """The state in a sentence."""
        if self.asked_ms is None or self.since_ms is None:
            return "never asked what it holds"
        told = f"{_WORDS[self.state]} since {_day(self.since_ms)}"
        return f"{told}, not asked since {_day(self.asked_ms)}" if self.is_old else told


def known_drift(context: Context, routers: Sequence[Router]) -> tuple[KnownDrift, ...]:
    """What is known of those of these routers that HNTES reaches."""
    with reading(context.database) as session:
        return tuple(drift_of(session, router) for router in routers if router.is_reached)


def drift_of(session: Session, router: Router) -> KnownDrift:
    """As `known_drift`, of one router, within the caller's reading."""
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
    "changed": "changed by somebody",
    "never_asked": "",
}


def _state(event: AuditEventEntry) -> KnownState:
    """A router that was seen to run what was delivered, or to hold nothing any more, is as it should be."""
    if event.kind != "drift":
        return "equal"
    return "changed" if event.outcome == "changed" else "behind" if event.outcome == "behind" else "equal"


def _day(moment_ms: int) -> date:
    return datetime.fromtimestamp(moment_ms // 1000, UTC).date()
