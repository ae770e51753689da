"""Texts at the edges of the reservations' calendar, and quotas that approve them."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "edge_change",
        sa.Column("router", sa.Text(), nullable=False),
        sa.Column("base_hash", sa.Text(), nullable=False),
        sa.Column("from_s", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("until_s", sa.BigInteger(), nullable=True),
        sa.Column("leads", sa.Boolean(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("candidate_hash", sa.Text(), nullable=False),
        sa.Column("model_hash", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("first_identity", sa.Text(), nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decision_note", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "state IN ('pending', 'approved', 'rejected', 'superseded')", name=op.f("ck_edge_change_state")
        ),
        sa.PrimaryKeyConstraint("router", "base_hash", "from_s", name="pk_edge_change"),
    )
    op.create_index("ix_edge_change_router_candidate_hash", "edge_change", ["router", "candidate_hash"])
    op.create_table(
        "reservation_quota",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("router", sa.Text(), nullable=False),
        sa.Column("interface", sa.Text(), nullable=False),
        sa.Column("rate_bps", sa.BigInteger(), nullable=False),
        sa.Column("start_s", sa.BigInteger(), nullable=False),
        sa.Column("end_s", sa.BigInteger(), nullable=False),
        sa.Column("granted_by", sa.Text(), nullable=False),
        sa.Column("granted_identity", sa.Text(), nullable=False),
        sa.Column("second_identity", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("revoked_s", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_reservation_quota"),
    )
    op.create_index("ix_reservation_quota_router_end_s", "reservation_quota", ["router", "end_s"])


def downgrade() -> None:
    """Edge changes are made anew from the book; quotas, and who approved what, are lost outside of the audit log."""
    op.drop_table("reservation_quota")
    op.drop_table("edge_change")
