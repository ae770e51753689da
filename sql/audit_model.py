"""The table of the audit log."""

from datetime import date

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import SchemaItem

from hntes.sql.model_base import Base


class AuditEvent(Base):
    """One row per event, numbered from 1 without gaps; never changed. `hash` covers the row and the one before."""

    __tablename__ = "audit_event"
    __table_args__: tuple[SchemaItem, ...] = (Index(None, "kind", "router"),)

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    time_ms: Mapped[int]
    kind: Mapped[str]
    router: Mapped[str | None]
    day: Mapped[date | None]
    candidate_hash: Mapped[str | None]
    judgement_id: Mapped[str | None]
    detail: Mapped[str]
    identity: Mapped[str]
    who: Mapped[str | None]
    program_version: Mapped[str]
    note: Mapped[str | None]
    previous_hash: Mapped[str]
    hash: Mapped[str]
