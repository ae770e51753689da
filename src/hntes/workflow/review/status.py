"""The progress of a change: proposed, judged, approved, delivered, confirmed by the router; see decision 23."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from hntes.format import at
from hntes.settings.model import Router
from hntes.sql import audit, changes
from hntes.sql.change import Change
from hntes.sql.deliveries import REMOVAL, REPORTS, report_of, standing
from hntes.sql.entries import AuditEventEntry, AuditKind
from hntes.sql.session import Session, reading
from hntes.workflow.audit_checks import DECIDES, decision_of
from hntes.workflow.context import Context

# "empty" and what no longer counts keep the names of their states.
Standing = Literal[
    "empty",
    "proposed",
    "judged",
    "approved",
    "delivered",
    "confirmed",
    "rejected",
    "superseded",
    "expired",
    "withdrawn",
]
# What is read of the audit log for it.
PROGRESS_KINDS: tuple[AuditKind, ...] = (*DECIDES, *REPORTS, REMOVAL)


@dataclass(frozen=True)
class Step:
    """A text of a router by its hash, the day of its change set, and when it came that far.

    A day's rules are approved once: another hash of the same day has other reservations. `time_ms`, by the clock of
    that moment, and `number`, of the log's event, are None where the log has no such event. Numbers
    say which of two steps came first, whatever was done to the clock between them.
    """

    candidate_hash: str
    day: date
    time_ms: int | None
    number: int | None


@dataclass(frozen=True)
class RouterStory:
    """What was last approved for a router, last loaded on it, and last confirmed by it; None where nothing was."""

    router: str
    approved: Step | None
    delivered: Step | None
    confirmed: Step | None

    @property
    def is_delivered(self) -> bool:
        """Whether what is approved was loaded on the router, as far as anybody reported."""
        return _same(self.approved, self.delivered)

    @property
    def is_confirmed(self) -> bool:
        """Whether the router was seen to run what is approved."""
        return _same(self.approved, self.confirmed)

    @property
    def lines(self) -> list[str]:
        """The three texts, a line each; none where nothing was ever approved."""
        if self.approved is None:
            return []
        undelivered = None if self.is_delivered else "approved, not delivered"
        return [
            f"{self.router} approved:  {_words(self.approved)}",
            f"{self.router} delivered: {_words(self.delivered, undelivered)}",
            f"{self.router} confirmed: {_words(self.confirmed, self._unconfirmed)}",
        ]

    @property
    def _unconfirmed(self) -> str | None:
        if self.is_confirmed:
            return None
        return "not confirmed by the router" if self.is_delivered else ""


def router_story(context: Context, router: Router) -> RouterStory:
    """What is approved, delivered and confirmed on a router, by the audit log."""
    with reading(context.database) as session:
        return story_of(session, router.name)


def story_of(session: Session, router: str) -> RouterStory:
    """As `router_story`, within the caller's reading."""
    approved = changes.in_force(session, router)
    entry = changes.nightly_change(session, router, approved.day) if approved else None
    events = audit.events(session, router, PROGRESS_KINDS)
    decision = decision_of(events, entry) if entry else None
    moment = (decision.time_ms, decision.number) if decision else (None, None)
    return RouterStory(
        router,
        Step(approved.candidate_hash, approved.day, *moment) if approved else None,
        *(_newest(standing(events, router), kind) for kind in REPORTS),
    )


def standing_of(entry: Change, events: Sequence[AuditEventEntry], *, is_judged: bool) -> Standing:
    """How far a change set has come. `events` are those of `PROGRESS_KINDS`; `is_judged`: the gate has judged it."""
    if entry.state == "pending":
        return "judged" if is_judged else "proposed"
    if entry.state != "approved":
        return entry.state
    if report_of(events, "verified", entry):
        return "confirmed"
    return "delivered" if report_of(events, "loaded", entry) else "approved"


def _newest(events: Sequence[AuditEventEntry], kind: AuditKind) -> Step | None:
    found = next((event for event in reversed(events) if event.kind == kind), None)
    if found is None or found.candidate_hash is None or found.day is None:
        return None
    return Step(found.candidate_hash, found.day, found.time_ms, found.number)


def _same(one: Step | None, other: Step | None) -> bool:
    return one is not None and other is not None and one.day == other.day


def _words(step: Step | None, remark: str | None = None) -> str:
    """A step's text and moment; with a remark, that comes first, and what stands there is from before."""
    when = "" if step is None or step.time_ms is None else f", {at(step.time_ms)}"
    text = "" if step is None else f"{step.candidate_hash[:12]} of {step.day}{when}"
    if remark is None:
        return text
    return "; ".join(filter(None, (remark, f"before: {text}" if text else ""))) or "-"
