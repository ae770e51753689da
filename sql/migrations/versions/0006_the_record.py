"""The audit log, and the texts that were approved."""

import sqlalchemy as sa
from alembic import op

from hntes.clock import now_ms
from hntes.identity import process_identity
from hntes.sql.audit_chain import NO_HASH, event_hash
from hntes.version import program_version

revision = "0006"
down_revision = "0005"

_TEXTS = ("kind", "detail", "identity", "program_version", "previous_hash", "hash")
_TEXTS_OR_NULL = ("router", "candidate_hash", "judgement_id", "who", "note")
_REFUSAL = "the audit log is only ever appended to"


def upgrade() -> None:
    """Makes both tables; what was decided before there was a log enters it as inherited."""
    op.create_table(
        "audit_event",
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("time_ms", sa.BigInteger(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in _TEXTS),
        *(sa.Column(name, sa.Text(), nullable=True) for name in _TEXTS_OR_NULL),
        sa.Column("day", sa.Date(), nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_audit_event"),
    )
    op.create_index(op.f("ix_audit_event_kind_router"), "audit_event", ["kind", "router"])
    op.create_table(
        "approved_text",
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("candidate_hash", "text", "model_json")),
        sa.PrimaryKeyConstraint("candidate_hash", name="pk_approved_text"),
    )
    _inherit()
    _refuse_changes()


def downgrade() -> None:
    """Drops both: who decided what is lost."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER audit_event_is_kept ON audit_event")
        op.execute("DROP TRIGGER audit_event_is_not_emptied ON audit_event")
        op.execute("DROP FUNCTION audit_event_refusal()")
    op.drop_table("approved_text")
    op.drop_table("audit_event")


def _inherit() -> None:
    """An event for each decision that the change sets hold, by router and day."""
    connection = op.get_bind()
    decided = connection.execute(
        sa.text(
            "SELECT router, day, candidate_hash, state, decided_by, decision_note FROM change_set "
            "WHERE state IN ('approved', 'rejected')"
        ).columns(day=sa.Date())
    ).all()
    events = sa.table(
        "audit_event",
        sa.column("number", sa.BigInteger()),
        sa.column("time_ms", sa.BigInteger()),
        sa.column("day", sa.Date()),
        *(sa.column(name, sa.Text()) for name in (*_TEXTS, *_TEXTS_OR_NULL)),
    )
    previous_hash = NO_HASH
    for number, row in enumerate(sorted(decided, key=lambda row: (row.router, row.day)), start=1):
        columns = {
            "number": number,
            "time_ms": now_ms(),
            "kind": "inherit",
            "router": row.router,
            "day": row.day,
            "candidate_hash": row.candidate_hash,
            "judgement_id": None,
            "detail": row.state,
            "identity": process_identity(),
            "who": row.decided_by,
            "program_version": program_version(),
            "note": row.decision_note,
            "previous_hash": previous_hash,
        }
        previous_hash = event_hash(columns)
        connection.execute(sa.insert(events), [columns | {"hash": previous_hash}])


def _refuse_changes() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION audit_event_refusal() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
        )
        for name, what in (("kept", "UPDATE OR DELETE"), ("not_emptied", "TRUNCATE")):
            op.execute(
                f"CREATE TRIGGER audit_event_is_{name} BEFORE {what} ON audit_event "
                "FOR EACH STATEMENT EXECUTE FUNCTION audit_event_refusal()"
            )
        return
    for what in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER audit_event_no_{what.lower()} BEFORE {what} ON audit_event "
            f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
        )
