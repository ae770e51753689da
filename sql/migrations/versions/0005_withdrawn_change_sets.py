"""A change set can be withdrawn."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_STATES = ("empty", "pending", "approved", "rejected", "superseded", "expired")


def upgrade() -> None:
    """Allows the state."""
    _allow(*_STATES, "withdrawn")


def downgrade() -> None:
    """Forbids it; what was withdrawn counts as superseded."""
    op.execute(sa.text("UPDATE change_set SET state = 'superseded' WHERE state = 'withdrawn'"))
    _allow(*_STATES)


def _allow(*states: str) -> None:
    listed = ", ".join(f"'{state}'" for state in states)
    # SQLite changes no constraint of a table: Alembic copies the table.
    with op.batch_alter_table("change_set") as table:
        table.drop_constraint(op.f("ck_change_set_state"), type_="check")
        table.create_check_constraint(op.f("ck_change_set_state"), sa.text(f"state IN ({listed})"))
