"""Quotas: rates on a port that an operator approves in advance, for reservations without review."""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from hntes import clock
from hntes.format import exact_rate, rfc3339
from hntes.identity import is_same_person, process_identity
from hntes.rules.reservations.quota import Quota
from hntes.rules.reservations.reservation import Port
from hntes.sql import audit, quotas
from hntes.sql.audit import NewEvent
from hntes.sql.entries import AuditEventEntry
from hntes.sql.quotas import QuotaEntry
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.reservations.ports import limits_of

__all__ = ["QuotaEntry", "QuotaView", "add_quota", "list_quotas", "revoke_quota", "second_quota", "usable"]

# Outcomes of audit events on quotas.
_GRANTED, _SECONDED, _REVOKED = "granted", "seconded", "revoked"


@dataclass(frozen=True)
class QuotaView:
    """A quota for display and JSON: `state` as of now, `start` until before `end` in RFC 3339.

    `state` is "waits" until a second person approves.
    """

    number: int
    state: str
    port: str
    rate_bps: int
    start: str
    end: str
    granted_by: str
    reason: str


def add_quota(
    context: Context, port: str, rate_bps: int, start_s: int | None, end_s: int, who: str, reason: str,
    *, identity: str | None = None,
) -> QuotaView:  # fmt: skip
    """Grants a quota on a port with queues; `start_s` None: from now on. `identity` is as for `decide`.

    Raises:
        CommandError: reservations are off, or there is no such port.
        ReservationError, StoreError: the quota is invalid.
    """
    named, now_s = Port.parse(port), clock.now_s()
    if named.is_all or named not in limits_of(context.settings):
        raise CommandError(f"quota: {named} is not a port with queues in the settings; see `hntes reserve list`")
    if end_s <= now_s:
        raise CommandError(f"quota on {named}: its end, {rfc3339(end_s * 1000)}, is in the past")
    by = identity or process_identity()
    entry = QuotaEntry(
        number=0, router=named.router, interface=named.interface, rate_bps=rate_bps,
        start_s=now_s if start_s is None else start_s, end_s=end_s, granted_by=who, granted_identity=by,
        second_identity=None, reason=reason,
    )  # fmt: skip
    with transaction(context.database) as session:
        written = quotas.add(session, entry)
        audit.append(session, _event(written, _GRANTED, who, reason, by))
    return _view(context, written, now_s)


def second_quota(context: Context, number: int, who: str, *, identity: str | None = None) -> QuotaView:
    """Records the second person's approval of a quota.

    Raises:
        CommandError: it is the same person.
        StoreError: there is no such quota, or it needs no approval.
    """
    by = identity or process_identity()
    with transaction(context.database) as session:
        if is_same_person(quotas.quota(session, number).granted_identity, by):
            raise CommandError(f"quota {number}: granted by {by}; the second approval must be by another person")
        written = quotas.second(session, number, by)
        audit.append(session, _event(written, _SECONDED, who, None, by))
    return _view(context, written, clock.now_s())


def revoke_quota(context: Context, number: int, who: str, reason: str, *, identity: str | None = None) -> QuotaView:
    """Revokes a quota for the future; changes that it has approved stay so, but are not delivered by it any more.

    Raises:
        StoreError: there is no such quota, or it is already revoked.
    """
    now_s = clock.now_s()
    with transaction(context.database) as session:
        written = quotas.revoke(session, number, now_s)
        audit.append(session, _event(written, _REVOKED, who, reason, identity))
    return _view(context, written, now_s)


def list_quotas(context: Context, *, with_past: bool = False) -> tuple[QuotaView, ...]:
    """Active, future and pending quotas, by number; `with_past`: past and revoked ones, too."""
    now_s = clock.now_s()
    with reading(context.database) as session:
        found = quotas.quotas(session)
    return tuple(_view(context, each, now_s) for each in found if with_past or _is_open(each, now_s))


def usable(context: Context, entries: Sequence[QuotaEntry], events: Sequence[AuditEventEntry]) -> tuple[Quota, ...]:
    """The quotas that may approve: granted by as many persons as required and not revoked, per the audit log.

    `events` are the audit events of kind "quota".
    """
    said = {(each.content_hash, each.outcome) for each in events}
    wanted = (_GRANTED, _SECONDED) if context.settings.review.approvals > 1 else (_GRANTED,)
    return tuple(
        Quota(each.number, Port(each.router, each.interface), each.rate_bps, each.start_s, each.end_s)
        for each in entries
        if each.revoked_s is None
        and not _waits(context, each)
        and all((_content_hash(each), outcome) in said for outcome in wanted)
        and (_content_hash(each), _REVOKED) not in said
    )


def events_of(
    entries: Sequence[QuotaEntry], events: Sequence[AuditEventEntry], numbers: Collection[int]
) -> tuple[AuditEventEntry, ...]:
    """Of audit events of kind "quota", those on the quotas of these numbers."""
    hashes = {_content_hash(each) for each in entries if each.number in numbers}
    return tuple(each for each in events if each.content_hash in hashes)


def _is_open(entry: QuotaEntry, now_s: int) -> bool:
    return entry.revoked_s is None and entry.end_s > now_s


def _waits(context: Context, entry: QuotaEntry) -> bool:
    return context.settings.review.approvals > 1 and entry.second_identity is None


def _view(context: Context, entry: QuotaEntry, now_s: int) -> QuotaView:
    if entry.revoked_s is not None:
        state = "revoked"
    elif entry.end_s <= now_s:
        state = "past"
    elif _waits(context, entry):
        state = "waits"
    else:
        state = "open" if entry.start_s <= now_s else "to come"
    begins, ends = rfc3339(entry.start_s * 1000), rfc3339(entry.end_s * 1000)
    port = f"{entry.router}:{entry.interface}"
    return QuotaView(entry.number, state, port, entry.rate_bps, begins, ends, entry.granted_by, entry.reason)


def _event(entry: QuotaEntry, outcome: str, who: str, note: str | None, identity: str | None) -> NewEvent:
    detail = (
        f"quota {entry.number}: up to {exact_rate(entry.rate_bps)} on {entry.router}:{entry.interface} from "
        f"{rfc3339(entry.start_s * 1000)} to {rfc3339(entry.end_s * 1000)}"
    )
    return NewEvent(
        "quota", entry.router, detail=detail, who=who, note=note, identity=identity,
        outcome=outcome, content_hash=_content_hash(entry),
    )  # fmt: skip


def _content_hash(entry: QuotaEntry) -> str:
    """A hash of what was granted, so that a row altered in the database no longer matches the log."""
    granted = (entry.number, entry.router, entry.interface, entry.rate_bps, entry.start_s, entry.end_s)
    return hashlib.sha256(json.dumps(granted).encode()).hexdigest()
