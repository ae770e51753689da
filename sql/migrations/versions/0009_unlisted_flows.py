"""How many alpha flows of a flood that cannot be true are counted, not listed."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Of days that were settled before, each flow is listed."""
    with op.batch_alter_table("day_status") as batch:
        batch.add_column(sa.Column("unlisted_flows", sa.BigInteger(), nullable=False, server_default="0"))
    with op.batch_alter_table("day_status") as batch:
        batch.alter_column("unlisted_flows", server_default=None)


def downgrade() -> None:
    """Takes the counts away."""
    with op.batch_alter_table("day_status") as batch:
        batch.drop_column("unlisted_flows")
