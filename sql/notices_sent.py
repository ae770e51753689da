"""The last notice of each reservation that its owner's webhooks took. Works within the caller's transaction."""

from dataclasses import dataclass

from sqlalchemy import ForeignKeyConstraint

from hntes.sql.rows import fetch_by, lock, remove, store
from hntes.sql.session import Session
from hntes.sql.table import table


@dataclass(frozen=True)
class NoticeSent:
    """`state` is "on" or "late"; `rate_bps` is the rate that the notice named."""

    number: int
    state: str
    rate_bps: int


RESERVATION_NOTICE = table(
    "reservation_notice", NoticeSent, ForeignKeyConstraint(["number"], ["reservation.number"], ondelete="CASCADE"),
    key=("number",), grain="One row per reservation of which a notice was taken: the last one.",
)  # fmt: skip


def put(session: Session, entry: NoticeSent) -> None:
    """Stores a notice, replacing the previous one."""
    lock(session, "reservation_notice", str(entry.number))
    remove(session, RESERVATION_NOTICE, number=entry.number)
    store(session, RESERVATION_NOTICE, [entry])


def all_sent(session: Session) -> dict[int, tuple[str, int]]:
    """State and rate of the last notice, by number of the reservation."""
    found = fetch_by(session, RESERVATION_NOTICE, NoticeSent)
    return {each.number: (each.state, each.rate_bps) for each in found}
