"""What somebody who may write the database can do to the audit log."""

from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import text

from hntes.sql import audit
from hntes.sql.audit_chain import event_hash
from hntes.sql.session import reading
from hntes.workflow.context import Context


def rewrite_event(context: Context, number: int, **columns: Any) -> None:
    """Writes an event of the log anew, with the hash that belongs to it; the hashes of those after it stay."""
    with reading(context.database) as session:
        known = audit.event(session, number)
    assert known is not None
    event = replace(known, **columns)
    written = asdict(replace(event, hash=event_hash(vars(event))))
    with context.database.begin() as connection:
        for name in ("update", "delete"):
            connection.exec_driver_sql(f"DROP TRIGGER audit_event_no_{name}")
        names = ", ".join(f"{name} = :{name}" for name in written)
        connection.execute(text(f"UPDATE audit_event SET {names} WHERE number = :number"), written)
