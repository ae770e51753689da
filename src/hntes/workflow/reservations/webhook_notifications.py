"""Webhook notifications to owners of reservations: the rate of a transfer on all routers, or a late router.

The last accepted notice of a reservation is stored and not sent again; one that was not accepted is retried by the
next call.
"""

import hashlib
import hmac
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from hntes import clock
from hntes.format import exact_rate, rfc3339
from hntes.rules.reservations.lost_ports import on_known_ports
from hntes.rules.reservations.reservation import Reservation
from hntes.rules.reservations.sharing import shares_at
from hntes.settings.reservations import Reservations, Webhook
from hntes.sql import audit, notices_sent, reservations
from hntes.sql.audit import NewEvent
from hntes.sql.notices_sent import NoticeSent
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.reservations.ports import LostPortError, as_reservation, limits_of, section_of
from hntes.workflow.reservations.reservation_status import LateReservation, late_reservations, rates_on
from hntes.workflow.reservations.webhook import Reply, posted

__all__ = ["SECRET_FILE_VARIABLE", "SECRET_VARIABLE", "FailedNotice", "Notice", "notices", "send_notices", "signature"]

SECRET_VARIABLE = "HNTES_WEBHOOK_SECRET"  # noqa: S105 - the variable's name
SECRET_FILE_VARIABLE = "HNTES_WEBHOOK_SECRET_FILE"  # noqa: S105
LEAST_SECRET = 16


@dataclass(frozen=True)
class Notice:
    """The notification of one transfer. "on": all routers of its path police it to `rate_bps`; "late": one should, and
    does not, for `reason`.
    """

    reservation: int
    external_id: str | None
    owner: str
    state: Literal["on", "late"]
    rate_bps: int
    reason: str


@dataclass(frozen=True)
class FailedNotice:
    """A notice that was not accepted, and the reason."""

    notice: Notice
    problem: str


def notices(context: Context) -> tuple[Notice, ...]:
    """The current notices for owners with a webhook, by number of the reservation, whether sent before or not.

    There is none of a reservation whose path is not known any more, since a port of it has left the settings.

    Raises:
        CommandError: reservations are off.
    """
    now_s, section = clock.now_s(), section_of(context.settings)
    owners, limits = {each.owner for each in section.webhooks}, limits_of(context.settings)
    with reading(context.database) as session:
        standing = reservations.standing(session, now_s)
    names = {each.entry.number: each.entry.external_id for each in standing}
    booked = tuple(map(as_reservation, standing))
    soon_s = now_s + section.lead_s
    shares = shares_at(on_known_ports(booked, limits), limits, soon_s)
    active = [
        each for each in booked if each.is_active(soon_s) and each.owner in owners and limits.keys() >= {*each.ports}
    ]
    routers = {port.router for each in active for port in each.ports}
    there = {name: rates_on(context, context.settings.router(name)) for name in routers}
    late = [one for name in routers for one in _late(context, name)]
    found = []
    for each in active:
        rate_bps = shares.get(each.number, each.rate_bps)
        state, reason = _state(each, rate_bps, there, late)
        if state is not None:
            found.append(Notice(each.number, names[each.number], each.owner, state, rate_bps, reason))
    return tuple(found)


def _late(context: Context, router: str) -> tuple[LateReservation, ...]:
    """None where a lost port stops the router's changes: its operators are told of that, and it is theirs to mend."""
    try:
        return late_reservations(context, context.settings.router(router))
    except LostPortError:
        return ()


def send_notices(context: Context) -> tuple[FailedNotice, ...]:
    """Sends new notices; returns those that were not accepted, which the next call retries.

    Raises:
        CommandError: there are webhooks and no secret to sign with; or as `notices`.
    """
    section = section_of(context.settings)
    if not section.webhooks:
        return ()
    secret, silent = _secret(), set[str]()
    unsent = []
    for notice in _new(context, notices(context)):
        if problem := _untaken(section, notice, secret, silent):
            unsent.append(FailedNotice(notice, problem))
            continue
        with transaction(context.database) as session:
            notices_sent.put(session, NoticeSent(notice.reservation, notice.state, notice.rate_bps))
            detail = f"reservation {notice.reservation}: {notice.state}, {exact_rate(notice.rate_bps)}"
            audit.append(session, NewEvent("notify", detail=detail, note=notice.owner, outcome=notice.state))
    return tuple(unsent)


def _untaken(section: Reservations, notice: Notice, secret: bytes, silent: set[str]) -> str:
    """Why the owner's webhooks did not accept a notice; "" if one did.

    A webhook that does not answer is added to `silent` and skipped for the rest of the round, which many transfers
    would otherwise prolong by one time limit each. One that refuses a notice may accept the next.
    """
    for hook in (each for each in section.webhooks if each.owner == notice.owner):
        what = f"webhook of {hook.owner} at {urlsplit(hook.url).hostname}"
        if hook.url in silent:
            return f"{what}: skipped for the rest of this round"
        reply = _sent(hook, notice, secret, section.webhook_timeout_s)
        if reply.kind == "none":
            silent.add(hook.url)
        if reply.kind != "taken":
            return f"{what}: {reply.problem}"
    return ""


def signature(secret: bytes, timestamp: str, body: bytes) -> str:
    """HMAC-SHA256 over timestamp, full stop and body, in hexadecimal (RFC 2104)."""
    return hmac.new(secret, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def _state(
    each: Reservation, rate_bps: int, there: dict[str, dict[int, int]], late: Iterable[LateReservation]
) -> tuple[Literal["on", "late"] | None, str]:
    missing = [one for one in late if one.number == each.number]
    if missing:
        return "late", missing[0].reason
    is_on = all(there[port.router].get(each.number) == rate_bps for port in each.ports)
    return ("on", "") if is_on else (None, "")


def _new(context: Context, found: Iterable[Notice]) -> Iterator[Notice]:
    """The notices that differ from the last one of their reservation."""
    with reading(context.database) as session:
        sent = notices_sent.all_sent(session)
    return (each for each in found if sent.get(each.reservation) != (each.state, each.rate_bps))


def _sent(hook: Webhook, notice: Notice, secret: bytes, timeout_s: int) -> Reply:
    """Sends a notice to one webhook."""
    timestamp = str(clock.now_s())
    body = json.dumps(asdict(notice) | {"time": rfc3339(clock.now_s() * 1000)}).encode()
    headers = {
        "Content-Type": "application/json",
        "HNTES-Timestamp": timestamp,
        "HNTES-Signature": f"sha256={signature(secret, timestamp, body)}",
    }
    return posted(hook.url, body, headers, timeout_s)


def _secret() -> bytes:
    """The secret from the environment, or from the file named there.

    Raises:
        CommandError: there is none, or it is too short.
    """
    text, name = os.environ.get(SECRET_VARIABLE), os.environ.get(SECRET_FILE_VARIABLE)
    if text is None and name:
        try:
            text = Path(name).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as cause:
            raise CommandError(f"{SECRET_FILE_VARIABLE}: {name!r} cannot be read") from cause
    if text is None or len(text) < LEAST_SECRET:
        raise CommandError(
            f"webhooks are configured without a signing secret: put at least {LEAST_SECRET} characters into "
            f"{SECRET_VARIABLE}, or into the file that {SECRET_FILE_VARIABLE} names"
        )
    return text.encode()
