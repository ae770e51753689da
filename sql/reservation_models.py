"""The tables of reservations: numbers that people name, and times in seconds since 1970, UTC."""

from sqlalchemy import ForeignKeyConstraint, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import SchemaItem

from sql.model_base import Base, one_of


class Reservation(Base):
    """One row per reservation that was ever booked; times are seconds since 1970, UTC."""

    __tablename__ = "reservation"
    __table_args__: tuple[SchemaItem, ...] = (
        one_of("kind", "foreground", "background"),
        one_of("booking", "immediate", "advance"),
        one_of("state", "booked", "cancelled"),
        UniqueConstraint("owner", "external_id"),
        Index(None, "state", "end_s"),
    )

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    external_id: Mapped[str | None]
    owner: Mapped[str]
    ticket: Mapped[str]
    source: Mapped[str]
    destination: Mapped[str]
    rate_bps: Mapped[int]
    start_s: Mapped[int]
    end_s: Mapped[int]
    kind: Mapped[str]
    floor_bps: Mapped[int]
    booking: Mapped[str]
    rtt_ms: Mapped[int]
    state: Mapped[str]
    cancelled_s: Mapped[int | None]


class ReservationPort(Base):
    """One row per reservation and egress port of its path; `position` counts from 0 along the path."""

    __tablename__ = "reservation_port"
    __table_args__: tuple[SchemaItem, ...] = (
        ForeignKeyConstraint(["number"], ["reservation.number"], ondelete="CASCADE"),
    )

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    router: Mapped[str]
    interface: Mapped[str]
