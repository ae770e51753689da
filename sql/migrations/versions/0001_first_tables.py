"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

TABLES = (
    "in_force",
    "change_set",
    "exclusion",
    "pin",
    "observation",
    "day_status",
    "sampling_evidence",
    "flow_file_part",
    "flow_file_count",
    "flow_file",
)


def upgrade() -> None:
    """Makes the ledger, the days, the observations, the operators' tables and the change sets."""
    _flow_file()
    _flow_file_count()
    _flow_file_part()
    _sampling_evidence()
    _day_status()
    _observation()
    _pin()
    _exclusion()
    _change_set()
    _in_force()


def downgrade() -> None:
    """Drops all tables; all state is lost."""
    for table in TABLES:
        op.drop_table(table)


def _flow_file() -> None:
    op.create_table(
        "flow_file",
        _text("folder"),
        _text("path"),
        _text("sha256"),
        _count("size_bytes"),
        _count("file_start_ms"),
        _text("ingest_hash"),
        _text("state"),
        _text("reason"),
        _count("file_layout", nullable=True),
        _text("nfdump_version"),
        _count("promised_records", nullable=True),
        _count("read_records"),
        sa.PrimaryKeyConstraint("folder", "path", name="pk_flow_file"),
        sa.CheckConstraint("state IN ('ingested', 'quarantined', 'duplicate')", name=op.f("ck_flow_file_state")),
    )
    op.create_index("ix_flow_file_folder_file_start_ms", "flow_file", ["folder", "file_start_ms"])


def _flow_file_count() -> None:
    op.create_table(
        "flow_file_count",
        _text("folder"),
        _text("path"),
        _text("router"),
        _text("outcome"),
        _count("records"),
        _count("bytes"),
        sa.PrimaryKeyConstraint("folder", "path", "router", "outcome", name="pk_flow_file_count"),
        _of_file("fk_flow_file_count_flow_file"),
    )


def _flow_file_part() -> None:
    op.create_table(
        "flow_file_part",
        _text("folder"),
        _text("path"),
        _text("router"),
        _day("day"),
        _text("part"),
        _count("records"),
        _count("bytes"),
        sa.PrimaryKeyConstraint("folder", "path", "router", "day", name="pk_flow_file_part"),
        _of_file("fk_flow_file_part_flow_file"),
    )
    op.create_index("ix_flow_file_part_router_day", "flow_file_part", ["router", "day"])


def _sampling_evidence() -> None:
    op.create_table(
        "sampling_evidence",
        _text("folder"),
        _text("path"),
        _text("exporter"),
        _text("source"),
        _count("factor"),
        _count("records"),
        sa.PrimaryKeyConstraint("folder", "path", "exporter", "source", "factor", name="pk_sampling_evidence"),
        _of_file("fk_sampling_evidence_flow_file"),
    )


def _day_status() -> None:
    op.create_table(
        "day_status",
        _text("router"),
        _day("day"),
        _count("expected_s"),
        _count("covered_s"),
        _count("files"),
        _count("quarantined_files"),
        _count("records"),
        sa.Column("complete", sa.Boolean(), nullable=False),
        _text("reason"),
        sa.PrimaryKeyConstraint("router", "day", name="pk_day_status"),
    )


def _observation() -> None:
    op.create_table(
        "observation",
        _text("router"),
        _day("day"),
        _text("flow_id"),
        _text("flow_key"),
        _text("rule"),
        *(_count(name) for name in ("threshold_bytes", "window_s")),
        _text("exporter"),
        *(_count(name) for name in ("direction", "ip_version")),
        *(_text(name) for name in ("source", "destination")),
        *(_count(name, nullable=True) for name in ("source_port", "destination_port", "protocol")),
        *(_count(name) for name in ("first_ms", "last_ms", "flow_bytes", "burst_bytes", "peak_start_ms", "peak_bytes")),
        *(_count(name, nullable=True) for name in ("peak_sd_bytes", "sampling_factor")),
        *(_count(name) for name in ("records", "repaired_records")),
        sa.Column("borderline", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("router", "day", "flow_id", name="pk_observation"),
        sa.CheckConstraint("flow_key IN ('five_tuple', 'host_pair')", name=op.f("ck_observation_flow_key")),
        sa.CheckConstraint("rule IN ('window', 'report')", name=op.f("ck_observation_rule")),
        sa.CheckConstraint("ip_version IN (4, 6)", name=op.f("ck_observation_ip_version")),
    )


def _pin() -> None:
    op.create_table(
        "pin",
        _text("router"),
        _text("source"),
        _text("destination"),
        _day("from_day"),
        _text("owner"),
        _text("reason"),
        _day("expires_day", nullable=True),
        _day("withdrawn_day", nullable=True),
        sa.PrimaryKeyConstraint("router", "source", "destination", "from_day", name="pk_pin"),
    )


def _exclusion() -> None:
    op.create_table(
        "exclusion",
        _text("scope_router"),
        _text("side"),
        _text("prefix"),
        _day("from_day"),
        _text("owner"),
        _text("reason"),
        _day("expires_day"),
        _day("withdrawn_day", nullable=True),
        sa.PrimaryKeyConstraint("scope_router", "side", "prefix", "from_day", name="pk_exclusion"),
        sa.CheckConstraint("side IN ('source', 'destination', 'either')", name=op.f("ck_exclusion_side")),
    )


def _change_set() -> None:
    op.create_table(
        "change_set",
        _text("router"),
        _day("day"),
        _text("base_hash", nullable=True),
        _text("candidate_hash"),
        _text("model_hash"),
        _text("state"),
        _count("expires_ms"),
        sa.Column("data_complete", sa.Boolean(), nullable=False),
        *(_count(name) for name in ("pairs_added", "pairs_removed", "pairs_kept")),
        _text("summary"),
        _text("decided_by", nullable=True),
        _text("decision_note", nullable=True),
        sa.PrimaryKeyConstraint("router", "day", name="pk_change_set"),
        sa.CheckConstraint(
            "state IN ('empty', 'pending', 'approved', 'rejected', 'superseded', 'expired')",
            name=op.f("ck_change_set_state"),
        ),
    )


def _in_force() -> None:
    op.create_table(
        "in_force",
        _text("router"),
        _text("candidate_hash"),
        _day("day"),
        sa.PrimaryKeyConstraint("router", name="pk_in_force"),
    )


def _of_file(name: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["folder", "path"], ["flow_file.folder", "flow_file.path"], name=name, ondelete="CASCADE"
    )


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _count(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable, autoincrement=False)


def _day(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.Date(), nullable=nullable)
