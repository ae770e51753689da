"""Pairs and minutes that a router's day leaves out (sql/set_aside.py)."""

import sqlalchemy as sa
from alembic import op

from hntes.sql.migrations.columns import day, text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "set_aside",
        *text("router"),
        *day("day"),
        *text("kind", "subject", "reason"),
        sa.PrimaryKeyConstraint("router", "day", "kind", "subject", name="pk_set_aside"),
        sa.CheckConstraint("kind IN ('pair', 'minute')", name=op.f("ck_set_aside_kind")),
    )


def downgrade() -> None:
    op.drop_table("set_aside")
