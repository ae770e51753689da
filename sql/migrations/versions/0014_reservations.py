"""Reservations, and the ports that they cross."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "reservation",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("ticket", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("destination", sa.Text(), nullable=False),
        sa.Column("rate_bps", sa.BigInteger(), nullable=False),
        sa.Column("start_s", sa.BigInteger(), nullable=False),
        sa.Column("end_s", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("floor_bps", sa.BigInteger(), nullable=False),
        sa.Column("booking", sa.Text(), nullable=False),
        sa.Column("rtt_ms", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("cancelled_s", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("kind IN ('foreground', 'background')", name=op.f("ck_reservation_kind")),
        sa.CheckConstraint("booking IN ('immediate', 'advance')", name=op.f("ck_reservation_booking")),
        sa.CheckConstraint("state IN ('booked', 'cancelled')", name=op.f("ck_reservation_state")),
        sa.PrimaryKeyConstraint("number", name="pk_reservation"),
        sa.UniqueConstraint("owner", "external_id", name="uq_reservation_owner_external_id"),
    )
    op.create_index("ix_reservation_state_end_s", "reservation", ["state", "end_s"])
    op.create_table(
        "reservation_port",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("position", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("router", sa.Text(), nullable=False),
        sa.Column("interface", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["number"], ["reservation.number"], name="fk_reservation_port_reservation", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("number", "position", name="pk_reservation_port"),
    )


def downgrade() -> None:
    """Reservations are lost: no other data holds them."""
    op.drop_table("reservation_port")
    op.drop_table("reservation")
