"""Alpha flows that together exceed what their port carries."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Flows that were found before are taken as true; `hntes detect` finds a day's anew."""
    with op.batch_alter_table("observation") as batch:
        batch.add_column(sa.Column("implausible", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("observation") as batch:
        batch.alter_column("implausible", server_default=None)


def downgrade() -> None:
    """Takes the mark away."""
    with op.batch_alter_table("observation") as batch:
        batch.drop_column("implausible")
