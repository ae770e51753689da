"""Minutes of a port that an operator sets aside: they count in no load."""

from datetime import UTC, datetime

from hntes.etl.days import MINUTE_MS
from hntes.settings.model import Router
from hntes.sql import audit
from hntes.sql.audit import NewEvent
from hntes.sql.entries import LoadDayEntry
from hntes.sql.session import transaction
from hntes.sql.set_aside import SetAsideEntry, set_minute_aside
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.stages.measure import measure


def set_minute_of_port_aside(
    context: Context, router: Router, port: str, moment: datetime, *, owner: str, reason: str
) -> LoadDayEntry:
    """Leaves the minute of that moment (UTC) out of a port's load, records it, and measures its day again.

    Raises:
        CommandError: the router has no such port with an SNMP index, the day is to come, or its flows are gone.
        StoreError: the reason is not one printable line.
    """
    indexes = [each.snmp_index for each in router.interfaces if each.name == port and each.snmp_index is not None]
    if not indexes:
        known = ", ".join(sorted({each.name for each in router.interfaces if each.snmp_index is not None}))
        raise CommandError(f"router {router.name}: {port} is no port with an snmp_index; there are: {known or 'none'}")
    moment = moment.replace(tzinfo=UTC)
    day, minute = moment.date(), int(moment.timestamp() * 1000) // MINUTE_MS
    context.require_come(day)
    with transaction(context.database) as session:
        for index in indexes:
            set_minute_aside(session, SetAsideEntry(router.name, day, "minute", f"{index} {minute}", reason))
        detail = f"{port} at {moment:%Y-%m-%d %H:%M} UTC"
        audit.append(session, NewEvent("set_aside", router.name, day, detail=detail, who=owner, note=reason))
    return measure(context, router, day)
