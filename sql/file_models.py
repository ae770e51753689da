"""The tables of the flow files that were looked at, and of what became of their records."""

from datetime import date

from sqlalchemy import ForeignKeyConstraint, Index
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import SchemaItem

from hntes.sql.model_base import Base, one_of


def _of_file() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["folder", "path"], ["flow_file.folder", "flow_file.path"], ondelete="CASCADE")


class FlowFile(Base):
    """One row per flow file (folder, path) that was ever looked at, in its last known content."""

    __tablename__ = "flow_file"
    __table_args__: tuple[SchemaItem, ...] = (
        one_of("state", "ingested", "quarantined", "duplicate"),
        Index(None, "folder", "file_start_ms"),
    )

    folder: Mapped[str] = mapped_column(primary_key=True)
    path: Mapped[str] = mapped_column(primary_key=True)
    sha256: Mapped[str]
    size_bytes: Mapped[int]
    file_start_ms: Mapped[int]
    ingest_hash: Mapped[str]
    state: Mapped[str]
    reason: Mapped[str]
    file_layout: Mapped[int | None]
    nfdump_version: Mapped[str]
    promised_records: Mapped[int | None]
    read_records: Mapped[int]


class FlowFileCount(Base):
    """One row per flow file, router ('' where none) and outcome of its records."""

    __tablename__ = "flow_file_count"
    __table_args__: tuple[SchemaItem, ...] = (_of_file(),)

    folder: Mapped[str] = mapped_column(primary_key=True)
    path: Mapped[str] = mapped_column(primary_key=True)
    router: Mapped[str] = mapped_column(primary_key=True)
    outcome: Mapped[str] = mapped_column(primary_key=True)
    records: Mapped[int]
    bytes: Mapped[int]


class FlowFilePart(Base):
    """One row per flow file, router and day: the lake part that holds those records."""

    __tablename__ = "flow_file_part"
    __table_args__: tuple[SchemaItem, ...] = (_of_file(), Index(None, "router", "day"))

    folder: Mapped[str] = mapped_column(primary_key=True)
    path: Mapped[str] = mapped_column(primary_key=True)
    router: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    part: Mapped[str]
    records: Mapped[int]
    bytes: Mapped[int]


class SamplingEvidence(Base):
    """One row per flow file, exporter, source of the factor, and factor.

    One exporter can have several in one file: records the collector multiplied and records it did not, two samplers.
    """

    __tablename__ = "sampling_evidence"
    __table_args__: tuple[SchemaItem, ...] = (_of_file(),)

    folder: Mapped[str] = mapped_column(primary_key=True)
    path: Mapped[str] = mapped_column(primary_key=True)
    exporter: Mapped[str] = mapped_column(primary_key=True)
    source: Mapped[str] = mapped_column(primary_key=True)
    factor: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    records: Mapped[int]
