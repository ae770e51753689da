"""The identity of the gate's judgements, and what simulated runs gave."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

TEXTS = ("router", "candidate_hash", "criterion", "measure", "port", "outcome", "sentence")
PARTS = ("model_hash", "limits", "parameters", "plan", "detection", "peaks", "traffic", "engine_version")


def upgrade() -> None:
    """Verdicts belong to a judgement. Those of before get one without an identity: nothing is approved by it."""
    op.create_table(
        "judgement",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("router", "candidate_hash", "judgement_id")),
        sa.Column("day", sa.Date(), nullable=True),
        *(sa.Column(name, sa.Text(), nullable=False) for name in PARTS),
        sa.PrimaryKeyConstraint("router", "candidate_hash", name="pk_judgement"),
    )
    op.create_table(
        "simulated_run",
        sa.Column("run_key", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_key", name="pk_simulated_run"),
    )
    kept = _verdicts()
    judged = sorted({(row["router"], row["candidate_hash"]) for row in kept})
    unknown = {"judgement_id": "", "day": None} | dict.fromkeys(PARTS, "")
    op.bulk_insert(
        _table("judgement", "judgement_id", *PARTS),
        [{"router": router, "candidate_hash": candidate} | unknown for router, candidate in judged],
    )
    _replace_verdicts(kept, belongs=True)


def downgrade() -> None:
    """Drops both: a candidate's verdicts alone count again."""
    _replace_verdicts(_verdicts(), belongs=False)
    op.drop_table("simulated_run")
    op.drop_table("judgement")


def _verdicts() -> list[dict[str, object]]:
    table = _verdict_table()
    return [dict(row) for row in op.get_bind().execute(sa.select(table)).mappings()]


def _replace_verdicts(kept: list[dict[str, object]], *, belongs: bool) -> None:
    """SQLite adds no foreign key to a table that is there: it is made again, with its rows."""
    op.drop_table("gate_verdict")
    parent = sa.ForeignKeyConstraint(
        ["router", "candidate_hash"],
        ["judgement.router", "judgement.candidate_hash"],
        name="fk_gate_verdict_judgement",
        ondelete="CASCADE",
    )
    op.create_table(
        "gate_verdict",
        *(sa.Column(name, sa.Text(), nullable=False) for name in TEXTS),
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
        *([parent] if belongs else []),
    )
    op.bulk_insert(_verdict_table(), kept)


def _verdict_table() -> sa.TableClause:
    numbers: list[sa.ColumnClause[object]] = [sa.column(name, sa.Double()) for name in ("limit_value", "found_value")]
    more = [sa.column(name, sa.Text()) for name in ("unit", "engine", "scenario_hash")]
    texts = [sa.column(name, sa.Text()) for name in TEXTS]
    return sa.table("gate_verdict", *texts, *numbers, *more, sa.column("seed", sa.BigInteger()))


def _table(name: str, *more: str) -> sa.TableClause:
    texts = [sa.column(column, sa.Text()) for column in ("router", "candidate_hash", *more)]
    return sa.table(name, *texts, sa.column("day", sa.Date()))
