"""Quotas: foreground rates that are approved on a port without an operator. Works in the caller's transaction."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from sqlalchemy import Index, func, select, update

from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.sql.rows import check_free_text, fetch, fetch_by, lock, store
from hntes.sql.session import Session
from hntes.sql.table import table


@dataclass(frozen=True)
class QuotaEntry:
    """One quota, from `start_s` until before `end_s` (seconds since 1970, UTC), bit/s of foreground on a port.

    `second_identity` is the second person where two approvals are needed. `revoked_s` is when it was revoked.
    """

    number: int
    router: str
    interface: str
    rate_bps: int
    start_s: int
    end_s: int
    granted_by: str
    granted_identity: str
    second_identity: str | None
    reason: str
    revoked_s: int | None = None


RESERVATION_QUOTA = table(
    "reservation_quota", QuotaEntry, Index(None, "router", "end_s"), key=("number",),
    grain="One row per quota that was ever granted: the foreground rate approved on a port without an operator.",
)  # fmt: skip


def lock_quotas(session: Session) -> None:
    """Makes others who grant or revoke wait until the transaction ends."""
    lock(session, "reservation_quota")


def add(session: Session, entry: QuotaEntry) -> QuotaEntry:
    """Stores a quota under the next number, whatever number it has; returns it as it was written.

    Raises:
        InvalidEntryError: no name or reason is given, its rate is 0, or it ends before its start.
    """
    what = f"quota on {entry.router}:{entry.interface}"
    if not entry.granted_by.strip() or not entry.reason.strip():
        raise InvalidEntryError(f"{what}: name who grants it, and the reason")
    check_free_text(what, who=entry.granted_by, reason=entry.reason)
    if entry.rate_bps < 1 or entry.start_s >= entry.end_s:
        raise InvalidEntryError(f"{what}: give a rate above 0, and an end after its beginning")
    lock_quotas(session)
    newest: int | None = session.execute(select(func.max(RESERVATION_QUOTA.c.number))).scalar_one()
    written = replace(entry, number=(newest or 0) + 1)
    store(session, RESERVATION_QUOTA, [written])
    return written


def second(session: Session, number: int, identity: str) -> QuotaEntry:
    """Records the second person of a quota; returns it as it is now.

    Raises:
        UnknownEntryError: there is none of that number.
        InvalidEntryError: it is revoked, or has a second person already.
    """
    lock_quotas(session)
    present = quota(session, number)
    if present.revoked_s is not None or present.second_identity is not None:
        raise InvalidEntryError(f"quota {number}: it is revoked, or has its second person already")
    return _changed(session, replace(present, second_identity=identity))


def revoke(session: Session, number: int, revoked_s: int) -> QuotaEntry:
    """Revokes a quota from now on; returns it as it is now.

    Raises:
        UnknownEntryError: there is none of that number.
        InvalidEntryError: it is revoked already.
    """
    lock_quotas(session)
    present = quota(session, number)
    if present.revoked_s is not None:
        raise InvalidEntryError(f"quota {number}: it is revoked already")
    return _changed(session, replace(present, revoked_s=revoked_s))


def quota(session: Session, number: int) -> QuotaEntry:
    """The quota of that number.

    Raises:
        UnknownEntryError: there is none.
    """
    found = fetch_by(session, RESERVATION_QUOTA, QuotaEntry, number=number)
    if not found:
        raise UnknownEntryError(f"quota {number}: there is none; hntes reserve quota list --all shows all")
    return found[0]


def quotas(session: Session, routers: Collection[str] | None = None) -> tuple[QuotaEntry, ...]:
    """All quotas on these routers (None: on any), revoked and past ones too, by number."""
    where = () if routers is None else (RESERVATION_QUOTA.c.router.in_(routers),)
    found = fetch(session, RESERVATION_QUOTA, QuotaEntry, *where)
    return tuple(sorted(found, key=lambda each: each.number))


def _changed(session: Session, entry: QuotaEntry) -> QuotaEntry:
    values = {"second_identity": entry.second_identity, "revoked_s": entry.revoked_s}
    session.execute(update(RESERVATION_QUOTA).where(RESERVATION_QUOTA.c.number == entry.number).values(values))
    return entry
