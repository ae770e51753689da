"""Reports of deliveries by the tool that loads the text: events of the audit log, in the caller's transaction.

A report is about the text in force: it was loaded on the router ("loaded"), or the router was verified to run it
("verified"). It counts for that approval only: the same text approved again, for another day, must be reported again.
Removing all of HNTES from the router ("remove") ends all reports. So does the removal of one pair, which leaves the
approved text without that pair on the router ("verified", without a day).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from sqlalchemy import func, select

from hntes.sql import audit, changes
from hntes.sql.audit import NewEvent
from hntes.sql.change import Change, InForceEntry
from hntes.sql.entries import AuditEventEntry, AuditKind
from hntes.sql.errors import InvalidEntryError
from hntes.sql.rows import check_free_text
from hntes.sql.session import Session

REPORTS: tuple[AuditKind, ...] = ("loaded", "verified")
REMOVAL: AuditKind = "remove"
# Of the texts of one router, so few digits name one.
LEAST_DIGITS = 6


@dataclass(frozen=True)
class Report:
    """The result of a report: "known" if it was made before; `explanation` for the caller."""

    outcome: Literal["recorded", "known", "refused"]
    explanation: str


def report_delivered(
    session: Session,
    router: str,
    candidate_hash: str,
    who: str,
    note: str | None = None,
    *,
    is_confirmed: bool = False,
    identity: str | None = None,
) -> Report:
    """Records that what is in force was loaded on the router and, if confirmed, that the router runs it.

    Or a text of its rules with what is reserved, as far as that is approved. `candidate_hash` are its first 6 digits
    or more. What is confirmed was loaded, whether that was reported or not.

    Raises:
        InvalidEntryError: no name is given, a text is not one printable line, or the hash has too few digits.
    """
    what = f"router {router}"
    if not who.strip():
        raise InvalidEntryError(f"{what}: a report of a delivery needs the name of who makes it")
    check_free_text(what, who=who, note=note)
    if len(candidate_hash) < LEAST_DIGITS:
        raise InvalidEntryError(f"{what}: hash {candidate_hash!r} is too short; give {LEAST_DIGITS} digits or more")
    changes.lock_changes(session, router)
    approved = changes.in_force(session, router)
    if approved is None:
        return Report("refused", f"{what}: nothing is approved, so nothing of HNTES can have been delivered")
    for each in changes.scheduled_changes(session, router, approved.candidate_hash, ("approved",)):
        if each.candidate_hash.startswith(candidate_hash.lower()):
            approved = InForceEntry(router, each.candidate_hash, each.day)
    if not approved.candidate_hash.startswith(candidate_hash.lower()):
        text = f"approved is {approved.candidate_hash} of {approved.day}, not {candidate_hash}; nothing was recorded"
        return Report("refused", f"{what}: {text}")
    missing = _report(session, approved, REPORTS if is_confirmed else REPORTS[:1], who, note, identity)
    word = "verified on the router" if is_confirmed else "delivered"
    said = f"{what}: {approved.candidate_hash[:12]} of {approved.day} is {word}"
    return Report("recorded", said) if missing else Report("known", f"{said}, as recorded before")


def report_pushed(session: Session, approved: InForceEntry, who: str, *, is_verified: bool = True) -> None:
    """Records that HNTES verified the approved configuration on the router, whatever was approved meanwhile.

    Without `is_verified`: that it saw it there.
    """
    changes.lock_changes(session, approved.router)
    _report(session, approved, REPORTS if is_verified else REPORTS[:1], who, None, None)


def report_removed(session: Session, router: str, who: str, note: str) -> None:
    """Records that the router was seen to hold nothing of HNTES."""
    changes.lock_changes(session, router)
    audit.append(session, NewEvent(REMOVAL, router, who=who, note=note))


def report_reduced(session: Session, router: str, candidate_hash: str, who: str, note: str) -> None:
    """Records that the router was seen to run the text that a pair's withdrawal left."""
    changes.lock_changes(session, router)
    audit.append(session, NewEvent("verified", router, candidate_hash=candidate_hash, who=who, note=note))


def is_reduction(event: AuditEventEntry) -> bool:
    """Whether an event records what the removal of a pair left on a router."""
    return event.kind == "verified" and event.day is None


def is_run(reports: Sequence[AuditEventEntry], entry: Change) -> bool:
    """Whether the newest of a router's reports and removals says that it runs that text."""
    about = ("verified", entry.candidate_hash, entry.day)
    return bool(reports) and (reports[-1].kind, reports[-1].candidate_hash, reports[-1].day) == about


def delivered_last(events: Sequence[AuditEventEntry], entry: Change) -> AuditEventEntry | None:
    """The newest event on what a router holds, before that change was loaded there; None if there is none.

    `events` are those of one router, with its reports and removals.
    """
    about = (entry.candidate_hash, entry.day)
    others = [each for each in events if each.kind in (*REPORTS, REMOVAL) and (each.candidate_hash, each.day) != about]
    return others[-1] if others else None


def report_of(events: Sequence[AuditEventEntry], kind: AuditKind, entry: Change) -> AuditEventEntry | None:
    """The first report of that kind on an approved change that still stands, None if there is none."""
    approved = InForceEntry(entry.router, entry.candidate_hash, entry.day)
    return next((event for event in standing(events, entry.router) if _is_about(event, kind, approved)), None)


def standing(events: Sequence[AuditEventEntry], router: str) -> Sequence[AuditEventEntry]:
    """The events since all of HNTES, or a pair, was last withdrawn from a router; with what was left of the pair's."""
    ended = [each for each in events if each.router == router and (each.kind == REMOVAL or is_reduction(each))]
    if not ended:
        return events
    first = ended[-1].number + (ended[-1].kind == REMOVAL)
    return [event for event in events if event.number >= first]


def newest_reports(session: Session, routers: Collection[str]) -> dict[tuple[str, AuditKind], AuditEventEntry]:
    """The newest report of each kind that still stands, by router and kind: those of `standing`, of many routers.

    Only the newest events are read, however many there are.
    """
    of, is_part = audit.AUDIT_EVENT.c, audit.AUDIT_EVENT.c.day.is_(None)
    newest = (
        select(of.router, of.kind, is_part, func.max(of.number))
        .where(of.kind.in_((*REPORTS, REMOVAL)), of.router.in_(routers))
        .group_by(of.router, of.kind, is_part)
    )
    reported: dict[tuple[str, AuditKind], int] = {}
    first = dict.fromkeys(routers, 0)
    for router, kind, has_no_day, number in session.execute(newest):
        if kind == REMOVAL:
            first[router] = max(first[router], number + 1)
            continue
        if kind == "verified" and has_no_day:  # a reduction
            first[router] = max(first[router], number)
        reported[router, kind] = max(number, reported.get((router, kind), 0))
    stands = {number: about for about, number in reported.items() if number >= first[about[0]]}
    return {stands[event.number]: event for event in audit.numbered(session, stands)}


def _report(
    session: Session, approved: InForceEntry, wanted: Sequence[AuditKind], who: str, note: str | None,
    identity: str | None,
) -> list[AuditKind]:  # fmt: skip
    """Records the reports that do not stand yet, and returns their kinds.

    One of a text that the router had before another one does not stand: reservations come and go.
    """
    made = standing(audit.events(session, approved.router, (*REPORTS, REMOVAL)), approved.router)
    others = [n for n, event in enumerate(made, 1) if (event.candidate_hash, event.day) != _text(approved)]
    made = made[others[-1] if others else 0 :]
    missing = [kind for kind in wanted if not any(_is_about(event, kind, approved) for event in made)]
    for kind in missing:
        event = NewEvent(kind, approved.router, approved.day, approved.candidate_hash, None, "", who, note, identity)
        audit.append(session, event)
    return missing


def _text(approved: InForceEntry) -> tuple[str, date]:
    return approved.candidate_hash, approved.day


def _is_about(event: AuditEventEntry, kind: AuditKind, approved: InForceEntry) -> bool:
    about = (event.router, event.candidate_hash, event.day)
    return event.kind == kind and about == (approved.router, approved.candidate_hash, approved.day)
