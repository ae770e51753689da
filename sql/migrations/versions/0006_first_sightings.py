"""The start of a file beside its sampling evidence, and indexes for a night that asks what all files had."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    with op.batch_alter_table("sampling_evidence") as table:
        table.add_column(sa.Column("file_start_ms", sa.BigInteger(), nullable=True))
    op.execute(
        "UPDATE sampling_evidence SET file_start_ms = (SELECT flow_file.file_start_ms FROM flow_file "
        "WHERE flow_file.folder = sampling_evidence.folder AND flow_file.path = sampling_evidence.path)"
    )
    order = ("folder", "path", "file_start_ms", "exporter", "factor", "source", "records", "bytes")
    with op.batch_alter_table("sampling_evidence", partial_reordering=[order]) as table:
        table.alter_column("file_start_ms", existing_type=sa.BigInteger(), nullable=False)
    op.create_index(
        "ix_sampling_evidence_first_start",
        "sampling_evidence",
        ["folder", "exporter", "source", "factor", "file_start_ms"],
    )
    op.create_index("ix_flow_file_folder_state_sha256", "flow_file", ["folder", "state", "sha256"])
    op.create_index("ix_flow_file_part_part", "flow_file_part", ["part"])


def downgrade() -> None:
    op.drop_index("ix_flow_file_part_part", "flow_file_part")
    op.drop_index("ix_flow_file_folder_state_sha256", "flow_file")
    op.drop_index("ix_sampling_evidence_first_start", "sampling_evidence")
    with op.batch_alter_table("sampling_evidence") as table:
        table.drop_column("file_start_ms")
