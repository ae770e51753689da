"""An index of the parts without a hash: most databases have none, and looked through all parts to find that out."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    without_hash = sa.text("sha256 = ''")
    op.create_index(
        "ix_flow_file_part_without_hash",
        "flow_file_part",
        ["day"],
        sqlite_where=without_hash,
        postgresql_where=without_hash,
    )


def downgrade() -> None:
    op.drop_index("ix_flow_file_part_without_hash", "flow_file_part")
