"""What operators are to be told: facts from the audit log since the last message, and from changes that wait."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from hntes import clock
from hntes.etl.days import DAY_MS, day_bounds_ms
from hntes.settings.notices import NoticeKind, Notices
from hntes.sql import audit, change_facts, changes, day_status
from hntes.sql.change import Change
from hntes.sql.entries import AuditEventEntry, AuditKind
from hntes.sql.reasons import ChangeEffect
from hntes.sql.session import Session, reading
from hntes.workflow.context import Context

HOUR_MS = 3_600_000
_KINDS: tuple[AuditKind, ...] = ("judge", "expire", "push", "undelivered", "drift")
# Outcomes of a push after which the router holds what was approved, and those with which nothing is wrong yet.
_PUSHED, _UNDER_WAY = ("kept",), ("trial starts", "verified: to be confirmed", "held", "starts outside of windows")


@dataclass(frozen=True)
class Notice:
    """One thing to tell. `change` is the one it is about, with its effect; `detail` is a reason or an outcome."""

    kind: NoticeKind
    router: str
    day: date | None = None
    change: Change | None = None
    effect: ChangeEffect | None = None
    detail: str = ""


@dataclass(frozen=True)
class Due:
    """What is to be told now, and the newest event of the audit log that it covers."""

    notices: tuple[Notice, ...]
    until_event: int


def due_notices(context: Context, wanted: Notices) -> Due:
    """What happened since the last message (of the last day, before the first), and what time has brought since."""
    now_ms = clock.now_ms()
    with reading(context.database) as session:
        last = last_message(session)
        since = last.told_until if last else 0
        since_ms = last.time_ms if last else now_ms - DAY_MS
        head = audit.head(session)
        until = head.number if head else 0
        events = audit.events(session, kinds=_KINDS, numbers=range(since + 1, until + 1))
        found = [
            *_of_events(session, [event for event in events if event.time_ms >= now_ms - DAY_MS or last]),
            *_expiring(session, wanted, since_ms, now_ms),
            *_missing_nights(context, session, wanted, since_ms, now_ms),
        ]
    return Due(tuple(each for each in found if each.kind in wanted.kinds), until)


@dataclass(frozen=True)
class LastMessage:
    """When the last message was sent, and the newest event that it covered."""

    time_ms: int
    told_until: int


def last_message(session: Session) -> LastMessage | None:
    """The last message to operators, None before the first."""
    sent = [event for event in audit.events(session, kinds=("notify",)) if event.outcome == OUTCOME]
    return LastMessage(sent[-1].time_ms, int(sent[-1].detail.rpartition(" ")[2])) if sent else None


# Of the event that records a message to operators; those to owners of reservations have others.
OUTCOME = "operators"


def _of_events(session: Session, events: Sequence[AuditEventEntry]) -> Iterator[Notice]:
    seen: set[tuple[str, str | None, str]] = set()
    for event in reversed(events):
        notice = _of_event(session, event)
        key = (event.kind, event.router, event.change_id or "")
        if notice is not None and key not in seen:
            yield notice
        seen.add(key)


def _of_event(session: Session, event: AuditEventEntry) -> Notice | None:
    router = event.router or ""
    entry = changes.change(session, event.change_id) if event.change_id else None
    match event.kind:
        case "judge":
            if entry is None or entry.state != "pending" or entry.candidate_hash != event.candidate_hash:
                return None
            effect = change_facts.effect_of(session, entry.change_id)
            kind: NoticeKind = "waits" if event.outcome == "passed" else "refused"
            return Notice(kind, router, entry.day, entry, effect)
        case "expire":
            return Notice("expired", router, event.day, entry)
        case "undelivered":
            return Notice("failed", router, event.day, detail=event.detail)
        case "push" if event.outcome in _PUSHED:
            return Notice("delivered", router, event.day)
        case "push" if event.outcome not in _UNDER_WAY:
            return Notice("failed", router, event.day, detail=event.outcome)
        case "drift" if event.outcome == "changed":
            return Notice("drift", router, detail=event.outcome)
        case _:
            return None


def _expiring(session: Session, wanted: Notices, since_ms: int, now_ms: int) -> Iterator[Notice]:
    """Changes that came so near to their expiry since the last message."""
    for entry in changes.pending_nightly(session):
        if entry.expires_ms is None:
            continue
        from_ms = entry.expires_ms - wanted.expires_within_hours * HOUR_MS
        if max(since_ms, from_ms - 1) < from_ms <= now_ms < entry.expires_ms:
            yield Notice("expires", entry.router, entry.day, entry)


def _missing_nights(
    context: Context, session: Session, wanted: Notices, since_ms: int, now_ms: int
) -> Iterator[Notice]:
    """Routers of which yesterday was not processed, once it is due."""
    today = clock.today()
    due_ms = day_bounds_ms(today)[0] + wanted.night_due_hours * HOUR_MS
    if not since_ms < due_ms <= now_ms:
        return
    newest, yesterday = day_status.newest_days(session), today - timedelta(days=1)
    for router in context.settings.routers:
        settled = newest.get(router.name)
        if settled is not None and settled.day < yesterday:
            yield Notice("night", router.name, yesterday, detail=f"the newest is that of {settled.day}")
