"""Queries on the audit log: lists, the newest event of a kind, the head of the chain."""

from collections.abc import Collection, Sequence

from hntes.sql import audit
from hntes.sql.entries import AuditEventEntry, AuditKind
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError

__all__ = [
    "AuditEventEntry",
    "AuditKind",
    "audit_head",
    "audit_listing",
    "event_of_number",
    "known_names",
    "newest_event",
    "newest_listing",
]

_READ_AT_ONCE = 1000


def known_names(context: Context, names: Sequence[str]) -> tuple[str, ...]:
    """These names of routers, each of which the settings or an event has.

    Raises:
        CommandError: neither has one of them.
    """
    left = {*names} - {router.name for router in context.settings.routers}
    if left:
        with reading(context.database) as session:
            left -= audit.known_routers(session, left)
    if left:
        known = ", ".join(router.name for router in context.settings.routers)
        raise CommandError(
            f"router {min(left)!r} is neither in the settings nor in the audit log; routers of the settings: {known}"
        )
    return tuple(names)


def audit_listing(
    context: Context,
    routers: Collection[str] | None,
    kinds: Sequence[AuditKind],
    since_ms: int | None,
    who: str | None,
) -> tuple[AuditEventEntry, ...]:
    """The events of routers of these names (None: all, and those of no router), whether the settings have them or not.

    `who`: any part of an identity or a name.
    """
    with reading(context.database) as session:
        found = audit.events(session, None, kinds, since_ms)
    return tuple(event for event in found if _is_meant(event, routers, who))


def newest_listing(
    context: Context,
    routers: Collection[str] | None,
    kinds: Sequence[AuditKind],
    since_ms: int | None,
    who: str | None,
    *,
    before: int | None,
    count: int,
) -> tuple[AuditEventEntry, ...]:
    """The newest events, newest first, up to a limit; `before`: only events before that number.

    Reads only the needed part of the log, which grows for years.
    """
    found: list[AuditEventEntry] = []
    with reading(context.database) as session:
        newest = audit.head(session)
        end = newest.number + 1 if newest else 1
        end = end if before is None else min(before, end)
        while end > 1 and len(found) < count:
            numbers = range(max(end - _READ_AT_ONCE, 1), end)
            block = audit.events(session, None, kinds, since_ms, numbers)
            found += (event for event in reversed(block) if _is_meant(event, routers, who))
            end = numbers.start
    return tuple(found[:count])


def _is_meant(event: AuditEventEntry, routers: Collection[str] | None, who: str | None) -> bool:
    is_of_them = routers is None or event.router in routers
    return is_of_them and (who is None or who in f"{event.identity} {event.who}")


def newest_event(context: Context, kind: AuditKind, router: str | None = None) -> AuditEventEntry | None:
    """The newest event of that kind and of that router (None: of any); None if there is none."""
    with reading(context.database) as session:
        return audit.newest(session, kind, router)


def event_of_number(context: Context, number: int) -> AuditEventEntry | None:
    """The event of that number; None if there is none."""
    with reading(context.database) as session:
        return audit.event(session, number)


def audit_head(context: Context) -> AuditEventEntry | None:
    """The newest event. Its hash, stored elsewhere, shows later whether the end of the log was cut off."""
    with reading(context.database) as session:
        return audit.head(session)
