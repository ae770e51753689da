"""How many records of an alpha flow show a packet that can carry a mark (RFC 3168)."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Of flows that were found before it is not known; `hntes ingest` and `hntes detect` find a day's anew."""
    with op.batch_alter_table("observation") as batch:
        batch.add_column(sa.Column("ecn_records", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Takes the counts away."""
    with op.batch_alter_table("observation") as batch:
        batch.drop_column("ecn_records")
