"""Flows in no packets are doubted (etl/detect/packet_counters.py)."""

from alembic import op

revision = "0003"
down_revision = "0002"

_NAME = "ck_observation_doubt"
_BEFORE = "doubt IN ('none', 'port_rate', 'above_counters', 'no_counters')"
_AFTER = "doubt IN ('none', 'port_rate', 'above_counters', 'no_counters', 'no_packets')"


def upgrade() -> None:
    _replace(_AFTER)


def downgrade() -> None:
    op.execute("UPDATE observation SET doubt = 'port_rate' WHERE doubt = 'no_packets'")
    _replace(_BEFORE)


def _replace(condition: str) -> None:
    """SQLite changes a constraint by writing the table again."""
    with op.batch_alter_table("observation") as table:
        table.drop_constraint(op.f(_NAME), type_="check")
        table.create_check_constraint(op.f(_NAME), condition)
