"""The gate's verdicts on candidates."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Makes the table of verdicts."""
    texts = ("router", "candidate_hash", "criterion", "measure", "port", "outcome", "sentence")
    op.create_table(
        "gate_verdict",
        *(sa.Column(name, sa.Text(), nullable=False) for name in texts),
        sa.Column("limit_value", sa.Double(), nullable=True),
        sa.Column("found_value", sa.Double(), nullable=True),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=True),
        sa.Column("scenario_hash", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("router", "candidate_hash", "criterion", "measure", "port", name="pk_gate_verdict"),
        sa.CheckConstraint(
            "outcome IN ('passed', 'failed', 'not_judged', 'reported')", name=op.f("ck_gate_verdict_outcome")
        ),
        sa.CheckConstraint("engine IN ('text', 'packet', 'fluid')", name=op.f("ck_gate_verdict_engine")),
    )


def downgrade() -> None:
    """Drops it: no candidate counts as judged."""
    op.drop_table("gate_verdict")
