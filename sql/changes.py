"""Changes of routers' configurations, and those in force: tables and reads. Works within the caller's transaction.

No time of deciding is kept here; that is in the audit log. See sql/proposals.py and sql/decisions.py for what writes.
"""

from collections.abc import Collection, Iterable
from datetime import date
from typing import Any

from sqlalchemy import Index, Select, bindparam, func, select, update

from hntes.sql.change import Change, ChangeState, InForceEntry, nightly_id
from hntes.sql.rows import fetch, fetch_by, lock, remove, store, values_of
from hntes.sql.session import Session
from hntes.sql.table import one_of, table

CHANGE = table(
    "change", Change, one_of("state", ChangeState), Index(None, "router", "day"),
    Index(None, "router", "candidate_hash"), key=("change_id",), also={"change_id": str},
    grain="One row per router and day, and per router, base and instant of a scheduled change: what became of it.",
)  # fmt: skip
IN_FORCE = table(
    "in_force", InForceEntry, key=("router",),
    grain="One row per router with an approved configuration: the candidate of the nightly change last approved.",
)  # fmt: skip

# Made once: a page asks it of router after router, and making it takes longer than the answer.
_LAST_DECIDED, _LAST_APPROVED = (
    select(func.max(CHANGE.c.day)).where(
        CHANGE.c.router == bindparam("router"), CHANGE.c.day < bindparam("day"),
        CHANGE.c.state.in_(states), CHANGE.c.effective_s.is_(None),
    )
    for states in (("approved", "rejected"), ("approved",))
)  # fmt: skip


def lock_changes(session: Session, router: str) -> None:
    """Makes others who change a router's changes wait until the transaction ends."""
    lock(session, "change", router)


def change(session: Session, change_id: str) -> Change | None:
    """The change of that id, None if there is none."""
    found = fetch_by(session, CHANGE, Change, change_id=change_id)
    return found[0] if found else None


def of_ids(session: Session, ids: Collection[str]) -> dict[str, Change]:
    """Those of these changes that there are, by id."""
    found = fetch(session, CHANGE, Change, CHANGE.c.change_id.in_(ids)) if ids else []
    return {each.change_id: each for each in found}


def nightly_change(session: Session, router: str, day: date) -> Change | None:
    """The nightly change of one router and day, None if there is none."""
    return change(session, nightly_id(router, day))


def nightly_changes(session: Session, router: str | None = None) -> tuple[Change, ...]:
    """All nightly changes of a router (None: of all), by router and day."""
    return _nightly(
        fetch_by(session, CHANGE, Change) if router is None else fetch_by(session, CHANGE, Change, router=router)
    )


def all_changes(session: Session) -> tuple[Change, ...]:
    """Nightly and scheduled changes of all routers, by id."""
    return tuple(sorted(fetch_by(session, CHANGE, Change), key=lambda each: each.change_id))


def pending_nightly(session: Session) -> tuple[Change, ...]:
    """The nightly changes that wait for a decision, by router and day."""
    return _nightly(fetch_by(session, CHANGE, Change, state="pending"))


def scheduled_changes(
    session: Session, router: str, base_hash: str | None = None, states: Collection[str] = ()
) -> tuple[Change, ...]:
    """A router's scheduled changes on a base (None: on any), in these states (none: any), by instant and base."""
    found = fetch(session, CHANGE, Change, CHANGE.c.router == router, CHANGE.c.effective_s.is_not(None))
    chosen = (each for each in found if base_hash in (None, each.base_hash) and (not states or each.state in states))
    return tuple(sorted(chosen, key=lambda each: (each.effective_s or 0, each.base_hash or "")))


def decided_before(session: Session, router: str, day: date) -> Change | None:
    """The router's last nightly change of an earlier day that was approved or rejected, None if there is none."""
    return _last(session, _LAST_DECIDED, router, day)


def approved_before(session: Session, router: str, day: date) -> Change | None:
    """The router's last nightly change of an earlier day that is approved, None if there is none."""
    return _last(session, _LAST_APPROVED, router, day)


def in_force(session: Session, router: str) -> InForceEntry | None:
    """The last approved configuration of a router, None if there is none."""
    found = fetch_by(session, IN_FORCE, InForceEntry, router=router)
    return found[0] if found else None


def all_in_force(session: Session, routers: Collection[str]) -> dict[str, InForceEntry]:
    """The last approved configurations of these routers, by router; those that have none are absent."""
    return {each.router: each for each in fetch(session, IN_FORCE, InForceEntry, IN_FORCE.c.router.in_(routers))}


def put_in_force(session: Session, approved: Change) -> None:
    """Puts an approved nightly change in force."""
    remove(session, IN_FORCE, router=approved.router)
    store(session, IN_FORCE, [InForceEntry(approved.router, approved.candidate_hash, approved.day)])


def write(session: Session, entry: Change) -> None:
    """Replaces the change of the same id; its related rows stay."""
    changed = update(CHANGE).where(CHANGE.c.change_id == entry.change_id).values(values_of(entry))
    if not session.execute(changed).rowcount:
        store(session, CHANGE, [entry], change_id=entry.change_id)


def _last(session: Session, asked: Select[Any], router: str, day: date) -> Change | None:
    found: date | None = session.execute(asked, {"router": router, "day": day}).scalar_one()
    return nightly_change(session, router, found) if found is not None else None


def _nightly(found: Iterable[Change]) -> tuple[Change, ...]:
    return tuple(sorted((each for each in found if not each.is_scheduled), key=lambda each: (each.router, each.day)))
