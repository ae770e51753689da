"""What the history says of every pair, kept until the history changes, and by what that is noticed."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

MOST = 2**63 - 1


def upgrade() -> None:
    """Days of before get an empty digest: it changes, as every other, when such a day is replaced."""
    op.create_table(
        "observation_digest",
        sa.Column("router", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("believed_bytes", sa.BigInteger(), nullable=False),
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
    octets = "CASE WHEN implausible THEN 0 ELSE flow_bytes END"
    # Forged counters may add up to more than 64 bits: SQLite refuses such a sum, but not as floating point.
    summed = {"sqlite": f"CAST(min(total({octets}), {MOST}) AS INTEGER)"}
    of_day = summed.get(op.get_context().dialect.name, f"least(sum({octets}), {MOST})")
    op.execute(f"INSERT INTO observation_digest SELECT router, day, '', {of_day} FROM observation GROUP BY router, day")


def downgrade() -> None:
    """Drops both; rules follow from the observations."""
    op.drop_table("rules_by_history")
    op.drop_table("observation_digest")
