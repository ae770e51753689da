"""What observations add up to, day by day. Works within the caller's transaction."""

from datetime import date

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from sql.models import Observation


def believed_bytes_by_day(session: Session, router: str, from_day: date, until_day: date) -> dict[date, int]:
    """Bytes of a router's alpha flows that can be true, by day; days without any are left out."""
    of = Observation.__table__.c
    chosen = select(of.day, func.sum(of.flow_bytes)).where(
        of.router == router, of.day >= from_day, of.day <= until_day, of.implausible.is_(False)
    )
    # PostgreSQL adds up 64-bit integers as numeric
    return {day: int(octets) for day, octets in session.connection().execute(chosen.group_by(of.day))}
