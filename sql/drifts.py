"""The last state in which routers were seen: read from the audit log, within the caller's transaction."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import and_, case, func, select

from hntes.sql import audit
from hntes.sql.audit import AUDIT_EVENT
from hntes.sql.deliveries import REMOVAL
from hntes.sql.entries import AuditKind
from hntes.sql.session import Session

SeenState = Literal["equal", "behind", "changed"]
_OTHER: tuple[SeenState, ...] = ("behind", "changed")
_SAYS: tuple[AuditKind, ...] = ("drift", "verified", REMOVAL)
# A verified delivery and a completed removal show what HNTES left there.
_STATE = case(
    (and_(AUDIT_EVENT.c.kind == "drift", AUDIT_EVENT.c.outcome.in_(_OTHER)), AUDIT_EVENT.c.outcome), else_="equal"
)


@dataclass(frozen=True)
class SeenDrift:
    """The state in which a router was last seen, when that was, and when it was first seen so; Unix time in ms."""

    state: SeenState
    asked_ms: int
    since_ms: int


def last_seen(session: Session, routers: Collection[str]) -> dict[str, SeenDrift]:
    """The last known drift by router; routers that were never checked are absent.

    Of each router's events only the newest and the first of its state are read, however many there are.
    """
    of = AUDIT_EVENT.c
    mine = of.kind.in_(_SAYS), of.router.in_(routers)
    newest: dict[str, list[tuple[int, SeenState]]] = {}
    for router, state, number in session.execute(
        select(of.router, _STATE, func.max(of.number)).where(*mine).group_by(of.router, _STATE)
    ):
        newest.setdefault(router, []).append((number, state))
    if not newest:
        return {}
    # by number, the newest last: the state before it is the one seen last among the others
    ordered = {router: sorted([(0, ""), *found])[-2:] for router, found in newest.items()}
    before = case({router: found[0][0] for router, found in ordered.items()}, value=of.router)
    first = select(of.router, func.min(of.number)).where(*mine, of.number > before).group_by(of.router)
    since = {row.router: row[1] for row in session.execute(first)}
    last = {router: max(found) for router, found in newest.items()}
    events = audit.numbered(session, [*(number for number, _ in last.values()), *since.values()])
    time_ms = {each.number: each.time_ms for each in events}
    return {router: SeenDrift(state, time_ms[n], time_ms[since[router]]) for router, (n, state) in last.items()}
