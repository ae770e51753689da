"""Finding the alpha flows of a host among those of months."""

from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Adds an index; with millions of flows that takes some seconds."""
    op.create_index(
        "ix_observation_router_source_day",
        "observation",
        ["router", "source", "day"],
        postgresql_ops={"source": "text_pattern_ops"},
    )


def downgrade() -> None:
    """Takes it away."""
    op.drop_index("ix_observation_router_source_day", "observation")
