"""The progress of a change: proposed, judged, approved, delivered, confirmed; see decision 23."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from hntes.format import at
from hntes.settings.model import Router
from hntes.sql import audit, changes
from hntes.sql.change import Change, nightly_id
from hntes.sql.deliveries import REMOVAL, REPORTS, newest_reports, report_of
from hntes.sql.entries import AuditEventEntry, AuditKind
from hntes.sql.session import Session, reading
from hntes.workflow.audit_checks import DECIDES, decision_of
from hntes.workflow.context import Context

# "empty" and states of obsolete changes keep their names.
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
# The audit events that determine the progress.
PROGRESS_KINDS: tuple[AuditKind, ...] = (*DECIDES, *REPORTS, REMOVAL)


@dataclass(frozen=True)
class Step:
    """A step of a router's text: its hash, the day of its change, and the time of the step.

    A day's rules are approved once: another hash of the same day has other reservations. `time_ms` (wall clock) and
    `number` (audit event) are None if the log has no such event. Numbers order steps even if the clock was set between
    them.
    """

    candidate_hash: str
    day: date
    time_ms: int | None
    number: int | None


@dataclass(frozen=True)
class RouterProgress:
    """The last approved, last delivered and last confirmed text of a router; None where there is none."""

    router: str
    approved: Step | None
    delivered: Step | None
    confirmed: Step | None

    @property
    def is_delivered(self) -> bool:
        """Whether the approved configuration was reported as loaded on the router."""
        return _same(self.approved, self.delivered)

    @property
    def is_confirmed(self) -> bool:
        """Whether the router was verified to run the approved configuration."""
        return _same(self.approved, self.confirmed)

    @property
    def lines(self) -> list[str]:
        """The three texts, one line each; empty if nothing was ever approved."""
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


def router_progress(context: Context, router: Router) -> RouterProgress:
    """The approved, delivered and confirmed texts of a router, per the audit log."""
    with reading(context.database) as session:
        return progress_of(session, router.name)


def progress_of(session: Session, router: str) -> RouterProgress:
    """As `router_progress`, in the caller's transaction."""
    return progress_of_all(session, [router])[0]


def progress_of_all(session: Session, routers: Sequence[str]) -> tuple[RouterProgress, ...]:
    """The same of these routers, in their order."""
    approved = changes.all_in_force(session, routers)
    entries = changes.of_ids(session, [nightly_id(each.router, each.day) for each in approved.values()])
    decided = audit.events(session, kinds=DECIDES, change_ids=list(entries)) if entries else ()
    reports = newest_reports(session, routers)
    found = []
    for router in routers:
        mine = approved.get(router)
        entry = entries.get(nightly_id(router, mine.day)) if mine else None
        decision = decision_of(decided, entry) if entry else None
        moment = (decision.time_ms, decision.number) if decision else (None, None)
        found.append(
            RouterProgress(
                router,
                Step(mine.candidate_hash, mine.day, *moment) if mine else None,
                *(_step(reports.get((router, kind))) for kind in REPORTS),
            )
        )
    return tuple(found)


def standing_of(entry: Change, events: Sequence[AuditEventEntry], *, is_judged: bool) -> Standing:
    """The progress of a change. `events` are those of `PROGRESS_KINDS`; `is_judged`: the gate has judged it."""
    if entry.state == "pending":
        return "judged" if is_judged else "proposed"
    if entry.state != "approved":
        return entry.state
    if report_of(events, "verified", entry):
        return "confirmed"
    return "delivered" if report_of(events, "loaded", entry) else "approved"


def _step(found: AuditEventEntry | None) -> Step | None:
    if found is None or found.candidate_hash is None or found.day is None:
        return None
    return Step(found.candidate_hash, found.day, found.time_ms, found.number)


def _same(one: Step | None, other: Step | None) -> bool:
    return one is not None and other is not None and one.day == other.day


def _words(step: Step | None, remark: str | None = None) -> str:
    """A step's text and time, preceded by a remark if the step belongs to an earlier approval."""
    when = "" if step is None or step.time_ms is None else f", {at(step.time_ms)}"
    text = "" if step is None else f"{step.candidate_hash[:12]} of {step.day}{when}"
    if remark is None:
        return text
    return "; ".join(filter(None, (remark, f"before: {text}" if text else ""))) or "-"
