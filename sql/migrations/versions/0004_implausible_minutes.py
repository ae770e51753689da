"""Minutes in which a port would have sent more than it can, left out of its load."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

TABLES = ("load_day", "interface_load")
NAME = "implausible_minutes"


def upgrade() -> None:
    """Days that were measured before have none; `hntes measure` measures them again."""
    for table in TABLES:
        with op.batch_alter_table(table) as batch:
            batch.add_column(sa.Column(NAME, sa.BigInteger(), nullable=False, server_default="0"))
        with op.batch_alter_table(table) as batch:
            batch.alter_column(NAME, server_default=None)


def downgrade() -> None:
    """Takes the counts away."""
    for table in TABLES:
        with op.batch_alter_table(table) as batch:
            batch.drop_column(NAME)
