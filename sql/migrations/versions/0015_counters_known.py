"""When each counter of a router was first and last read, and first seen to have counted; made from the readings."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

_FILL = """
INSERT INTO counter_known
    (router, interface, counter, source, destination, first_read_ms, last_read_ms, first_matched_ms)
SELECT router, interface, counter, max(source), max(destination), min(read_ms), max(read_ms),
    min(CASE WHEN packets > 0 THEN read_ms END)
FROM counter_reading GROUP BY router, interface, counter
"""


def upgrade() -> None:
    op.create_table(
        "counter_known",
        sa.Column("router", sa.Text(), nullable=False),
        sa.Column("interface", sa.Text(), nullable=False),
        sa.Column("counter", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("destination", sa.Text(), nullable=True),
        sa.Column("first_read_ms", sa.BigInteger(), nullable=False),
        sa.Column("last_read_ms", sa.BigInteger(), nullable=False),
        sa.Column("first_matched_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("router", "interface", "counter", name="pk_counter_known"),
    )
    op.execute(sa.text(_FILL))


def downgrade() -> None:
    """Nothing is lost: the readings say the same."""
    op.drop_table("counter_known")
