"""The tables of reservations: numbers that people name, and times in seconds since 1970, UTC."""

from datetime import date

from sqlalchemy import ForeignKeyConstraint, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import SchemaItem

from hntes.sql.model_base import Base, one_of


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


class EdgeChange(Base):
    """One row per router, base text and instant: the text that is meant to be on the router from then on."""

    __tablename__ = "edge_change"
    __table_args__: tuple[SchemaItem, ...] = (
        one_of("state", "pending", "approved", "rejected", "superseded"),
        Index(None, "router", "candidate_hash"),
    )

    router: Mapped[str] = mapped_column(primary_key=True)
    base_hash: Mapped[str] = mapped_column(primary_key=True)
    from_s: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    until_s: Mapped[int | None]
    leads: Mapped[bool]
    day: Mapped[date]
    candidate_hash: Mapped[str]
    model_hash: Mapped[str]
    state: Mapped[str]
    summary: Mapped[str]
    first_identity: Mapped[str | None]
    decided_by: Mapped[str | None]
    decision_note: Mapped[str | None]


class ReservationQuota(Base):
    """One row per quota that was ever granted: up to so much foreground on a port without a person."""

    __tablename__ = "reservation_quota"
    __table_args__: tuple[SchemaItem, ...] = (Index(None, "router", "end_s"),)

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    router: Mapped[str]
    interface: Mapped[str]
    rate_bps: Mapped[int]
    start_s: Mapped[int]
    end_s: Mapped[int]
    granted_by: Mapped[str]
    granted_identity: Mapped[str]
    second_identity: Mapped[str | None]
    reason: Mapped[str]
    revoked_s: Mapped[int | None]
