"""The audit log: appended to in the transaction of what it records, never changed. See sql/audit_chain.py.

Works within the caller's transaction. The lock is held until that ends: append last, after all other locks.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import date

from sqlalchemy import DDL, ColumnElement, Index, func, select
from sqlalchemy.event import listen

from hntes import clock
from hntes.identity import process_identity
from hntes.sql.audit_chain import NO_HASH, event_hash
from hntes.sql.entries import AuditEventEntry, AuditKind
from hntes.sql.rows import check_free_text, fetch, fetch_by, lock, store
from hntes.sql.session import Session
from hntes.sql.table import table
from hntes.version import program_version

# Columns that make two events of a stage equal, regardless of time and user.
_CONTENT = (
    *("router", "day", "change_id", "candidate_hash", "judgement_id", "outcome", "content_hash", "detail", "note"),
)


AUDIT_EVENT = table(
    "audit_event", AuditEventEntry, Index(None, "kind", "router"), key=("number",),
    grain="One row per event, numbered from 1 without gaps; never changed. `hash` covers the row and the one before.",
)  # fmt: skip
# Of a new SQLite database; elsewhere the migrations make them.
for _statement in ("UPDATE", "DELETE"):
    _refusal = DDL(  # type: ignore[no-untyped-call]
        f"CREATE TRIGGER audit_event_no_{_statement.lower()} BEFORE {_statement} ON audit_event "
        "BEGIN SELECT RAISE(ABORT, 'the audit log is only ever appended to'); END"
    )
    listen(AUDIT_EVENT, "after_create", _refusal.execute_if(dialect="sqlite"))


# Made once: every event that is written asks it.
_LAST = select(func.max(AUDIT_EVENT.c.number))


@dataclass(frozen=True)
class NewEvent:
    """A new event; the fields are those of `AuditEventEntry`. `who` and `note` are a person's.

    `identity` is the name that the caller has authenticated, with its prefix; None: the process' user.
    """

    kind: AuditKind
    router: str | None = None
    day: date | None = None
    candidate_hash: str | None = None
    judgement_id: str | None = None
    detail: str = ""
    who: str | None = None
    note: str | None = None
    identity: str | None = None
    change_id: str | None = None
    outcome: str = ""
    content_hash: str | None = None


def lock_log(session: Session) -> None:
    """Makes other writers of the log wait until the transaction ends."""
    lock(session, "audit_event")


def append(session: Session, event: NewEvent) -> AuditEventEntry:
    """Appends the event; returns it as written.

    Raises:
        InvalidEntryError: a person's text is not one printable line.
    """
    check_free_text(f"audit event {event.kind}", who=event.who, note=event.note, identity=event.identity)
    lock_log(session)
    newest = head(session)
    columns = asdict(event) | {
        "number": newest.number + 1 if newest else 1,
        "time_ms": clock.now_ms(),
        "identity": event.identity or process_identity(),
        "program_version": program_version(),
        "previous_hash": newest.hash if newest else NO_HASH,
    }
    written = AuditEventEntry(**columns, hash=event_hash(columns))
    store(session, AUDIT_EVENT, [written])
    return written


def append_changed(session: Session, event: NewEvent, *subject: str) -> AuditEventEntry:
    """As `append`, unless the newest event of this kind and subject is equal, as when a stage is run again.

    Args:
        session: The caller's transaction.
        event: What happened.
        subject: Names of the columns that say what the event is about.
    """
    lock_log(session)
    where = [AUDIT_EVENT.c.kind == event.kind, *(_equals(name, getattr(event, name)) for name in subject)]
    newest = _newest(session, *where)
    if newest is not None and all(getattr(newest, name) == getattr(event, name) for name in _CONTENT):
        return newest
    return append(session, event)


def head(session: Session) -> AuditEventEntry | None:
    """The newest event, None before the first."""
    number: int | None = session.execute(_LAST).scalar_one()
    return None if number is None else event(session, number)


def newest(session: Session, kind: AuditKind, router: str | None = None) -> AuditEventEntry | None:
    """The newest event of a kind and of a router (None: of any), None if there is none."""
    of_router = [] if router is None else [AUDIT_EVENT.c.router == router]
    return _newest(session, AUDIT_EVENT.c.kind == kind, *of_router)


def event(session: Session, number: int) -> AuditEventEntry | None:
    """The event of that number, None if there is none."""
    found = fetch_by(session, AUDIT_EVENT, AuditEventEntry, number=number)
    return found[0] if found else None


def numbered(session: Session, numbers: Collection[int]) -> tuple[AuditEventEntry, ...]:
    """The events of these numbers, in their order."""
    found = fetch(session, AUDIT_EVENT, AuditEventEntry, AUDIT_EVENT.c.number.in_(numbers)) if numbers else []
    return tuple(sorted(found, key=lambda event: event.number))


def newest_about(session: Session, change_id: str, kinds: Sequence[AuditKind] = ()) -> AuditEventEntry | None:
    """The newest event of these kinds (none: of any) about a change, None if there is none."""
    where = [AUDIT_EVENT.c.change_id == change_id]
    return _newest(session, *where, *([AUDIT_EVENT.c.kind.in_(kinds)] if kinds else []))


def events(
    session: Session, router: str | None = None, kinds: Sequence[AuditKind] = (), since_ms: int | None = None,
    numbers: range | None = None, change_ids: Sequence[str] = (),
) -> tuple[AuditEventEntry, ...]:  # fmt: skip
    """The events of a router (None: all), of these kinds (none: all), from that moment on, in their order.

    `numbers`: those alone. `change_ids`: those about these changes alone (none: all).
    """
    where: list[ColumnElement[bool]] = []
    if router is not None:
        where.append(AUDIT_EVENT.c.router == router)
    if kinds:
        where.append(AUDIT_EVENT.c.kind.in_(kinds))
    if since_ms is not None:
        where.append(AUDIT_EVENT.c.time_ms >= since_ms)
    if change_ids:
        where.append(AUDIT_EVENT.c.change_id.in_(change_ids))
    if numbers is not None:
        where += [AUDIT_EVENT.c.number >= numbers.start, AUDIT_EVENT.c.number < numbers.stop]
    return tuple(sorted(fetch(session, AUDIT_EVENT, AuditEventEntry, *where), key=lambda event: event.number))


def known_routers(session: Session, names: Collection[str]) -> frozenset[str]:
    """Those of these names that events have, whether the settings have them or not."""
    asked = select(AUDIT_EVENT.c.router).distinct().where(AUDIT_EVENT.c.router.in_(names))
    return frozenset(session.execute(asked).scalars())


def _newest(session: Session, *where: ColumnElement[bool]) -> AuditEventEntry | None:
    last = select(func.max(AUDIT_EVENT.c.number)).where(*where)
    number: int | None = session.execute(last).scalar_one()
    return None if number is None else event(session, number)


def _equals(name: str, value: object) -> ColumnElement[bool]:
    column = AUDIT_EVENT.c[name]
    return column.is_(None) if value is None else column == value
