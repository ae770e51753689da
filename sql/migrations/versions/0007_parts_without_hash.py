"""An index of the parts without a hash, of which most databases have none: who asks for them reads no others."""

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
