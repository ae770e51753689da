"""What the history says of every pair, kept until the history changes, and by what that is noticed."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Days of before get an empty digest: it changes, as every other, when such a day is replaced."""
    op.create_table(
        "observation_digest",
        sa.Column("router", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("router", "day", name="pk_observation_digest"),
    )
    op.create_table(
        "rules_by_history",
        sa.Column("router", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("made_from", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("router", name="pk_rules_by_history"),
    )
    op.execute("INSERT INTO observation_digest SELECT DISTINCT router, day, '' FROM observation")


def downgrade() -> None:
    """Drops both; rules follow from the observations."""
    op.drop_table("rules_by_history")
    op.drop_table("observation_digest")
