"""What routers' counters held when they were read."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "counter_reading",
        sa.Column("router", sa.Text(), nullable=False),
        sa.Column("read_ms", sa.BigInteger(), nullable=False),
        sa.Column("interface", sa.Text(), nullable=False),
        sa.Column("counter", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("destination", sa.Text(), nullable=True),
        sa.Column("packets", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("router", "read_ms", "interface", "counter", name="pk_counter_reading"),
    )


def downgrade() -> None:
    """Readings are lost: no other data says what they held."""
    op.drop_table("counter_reading")
