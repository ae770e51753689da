"""The load of egress interfaces, for the advice on shares."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

DAY_COUNTS = ("repeated_records", "repeated_bytes")
WIRE_BYTES = (
    "beta_p50_wire_bytes",
    "beta_p95_wire_bytes",
    "beta_p99_wire_bytes",
    "beta_p999_wire_bytes",
    "alpha_peak_wire_bytes",
)


def upgrade() -> None:
    """Makes the tables of measured days and of their interfaces."""
    op.create_table(
        "load_day",
        *_key(),
        _count("minutes"),
        _count("pairs"),
        sa.Column("pairs_hash", sa.Text(), nullable=False),
        *(_count(name) for name in DAY_COUNTS),
        sa.PrimaryKeyConstraint("router", "day", name="pk_load_day"),
    )
    op.create_table(
        "interface_load",
        *_key(),
        *(_count(name) for name in ("interface_index", "records", "beta_bytes", "alpha_bytes")),
        _count("beta_peak_ms", nullable=True),
        _count("beta_peak_wire_bytes"),
        _count("beta_peak_sd_bytes", nullable=True),
        *(_count(name) for name in WIRE_BYTES),
        sa.PrimaryKeyConstraint("router", "day", "interface_index", name="pk_interface_load"),
        sa.ForeignKeyConstraint(
            ["router", "day"],
            ["load_day.router", "load_day.day"],
            name="fk_interface_load_load_day",
            ondelete="CASCADE",
        ),
    )


def downgrade() -> None:
    """Drops both; `hntes measure` makes a day's rows again from the lake."""
    op.drop_table("interface_load")
    op.drop_table("load_day")


def _key() -> tuple[sa.Column[str], sa.Column[object]]:
    return sa.Column("router", sa.Text(), nullable=False), sa.Column("day", sa.Date(), nullable=False)


def _count(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable, autoincrement=False)
