"""Tables behind the plots of the router page (sql/load_profiles.py, sql/queued_days.py, sql/ageing_rules.py)."""

import sqlalchemy as sa
from alembic import op

from hntes.sql.migrations.columns import binary, day, integer, text

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "load_profile", *text("router"), *day("day"), *integer("interface_index"), *binary("profile"),
        sa.PrimaryKeyConstraint("router", "day", "interface_index", name="pk_load_profile"),
        sa.ForeignKeyConstraint(
            ["router", "day"], ["load_day.router", "load_day.day"], name="fk_load_profile_load_day",
            ondelete="CASCADE",
        ),
    )  # fmt: skip
    op.create_table(
        "queued_day", *text("router"), *day("day"), *integer("pairs_in_force", "alpha_bytes", "queued_bytes"),
        sa.PrimaryKeyConstraint("router", "day", name="pk_queued_day"),
    )  # fmt: skip
    op.create_table(
        "ageing_day", *text("router"), *integer("days_left"), *day("day"), *integer("rules", "alpha_bytes"),
        sa.PrimaryKeyConstraint("router", "days_left", name="pk_ageing_day"),
    )  # fmt: skip
    op.create_table(
        "ageing_rule", *text("router", "source", "destination"), *integer("days_left"), *day("last_seen"),
        *integer("days_seen", "alpha_bytes"),
        sa.PrimaryKeyConstraint("router", "source", "destination", name="pk_ageing_rule"),
    )  # fmt: skip


def downgrade() -> None:
    for name in ("ageing_rule", "ageing_day", "queued_day", "load_profile"):
        op.drop_table(name)
