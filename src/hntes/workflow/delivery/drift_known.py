"""The last known drift of routers and its age, from the audit log, without contacting them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hntes import clock
from hntes.etl.days import day_of_ms
from hntes.settings.model import Router
from hntes.sql.drifts import SeenState, last_seen
from hntes.sql.session import Session, reading
from hntes.workflow.context import Context

KnownState = SeenState | Literal["never_asked"]
# A router that is checked every morning was checked within this many days.
ASKED_DAYS = 2


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
        """Whether the last check is more than two days ago, or there was none.

        One on a later day than today was made by a clock that was ahead: nobody knows when.
        """
        return self.asked_ms is None or not 0 <= (clock.today() - day_of_ms(self.asked_ms)).days < ASKED_DAYS

    @property
    def is_well(self) -> bool:
        """Whether a recent check found the delivered configuration."""
        return self.state == "equal" and not self.is_old

    @property
    def words(self) -> str:
        """The drift in words."""
        if self.asked_ms is None or self.since_ms is None:
            return "never checked"
        text = f"{_WORDS[self.state]} since {day_of_ms(self.since_ms)}"
        return f"{text}, not checked since {day_of_ms(self.asked_ms)}" if self.is_old else text


def known_drift(context: Context, routers: Sequence[Router]) -> tuple[KnownDrift, ...]:
    """The last known drift of those of these routers that HNTES reaches."""
    with reading(context.database) as session:
        return drifts_of(session, [router.name for router in routers if router.is_reached])


def drifts_of(session: Session, routers: Sequence[str]) -> tuple[KnownDrift, ...]:
    """As `known_drift`, of these routers, in their order, in the caller's transaction."""
    seen = last_seen(session, routers)
    return tuple(
        KnownDrift(router, found.state, found.asked_ms, found.since_ms)
        if (found := seen.get(router))
        else KnownDrift(router, "never_asked")
        for router in routers
    )


_WORDS = {
    "equal": "as delivered",
    "behind": "holds an earlier text or nothing",
    "changed": "changed on the router",
    "never_asked": "",
}
