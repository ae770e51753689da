"""SHA-256 of the lake's parts (etl/lake/verify.py); parts that were written before have none."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    # The default fills the rows that are there; like all columns, this one is not filled by the database afterwards.
    with op.batch_alter_table("flow_file_part") as table:
        table.add_column(sa.Column("sha256", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("flow_file_part") as table:
        table.alter_column("sha256", existing_type=sa.Text(), existing_nullable=False, server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("flow_file_part") as table:
        table.drop_column("sha256")
