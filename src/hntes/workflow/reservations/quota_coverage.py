"""Coverage of a scheduled change by quotas.

Only reservations may differ from the base, they must be the present bookings, and the rates to which the text polices
them must be within quotas: a background transfer takes its whole share with priority, not its floor alone.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from hntes import clock
from hntes.format import exact_rate, rfc3339
from hntes.rules.changeset.candidate import Candidate
from hntes.rules.qos.reserved import Reserved, reserved_of, without_reserved
from hntes.rules.reservations.intervals import intervals
from hntes.rules.reservations.quota import covering
from hntes.rules.reservations.reservation import Port, Reservation
from hntes.settings.model import Router
from hntes.sql import audit, quotas, reservations
from hntes.sql.change import Change
from hntes.sql.entries import AuditEventEntry
from hntes.sql.session import Session
from hntes.workflow.context import Context
from hntes.workflow.reservations.active_reservations import booked_reservations
from hntes.workflow.reservations.forbidden import forbidding
from hntes.workflow.reservations.quotas import events_of, usable

__all__ = ["QuotaCoverage", "is_by_quota", "quota_reasons"]

_BY_QUOTA = re.compile(r"quota \d+(, \d+)*")


@dataclass(frozen=True)
class QuotaCoverage:
    """The quotas that cover a text, in words, or the reasons why none does; without either, no quota is needed.

    `is_lacking`: the reasons are quotas that are too small, over, or revoked, and not the text itself. `events`: the
    audit events on the quotas that cover it, the oldest first.
    """

    words: str
    reasons: tuple[str, ...]
    is_lacking: bool = False
    events: tuple[AuditEventEntry, ...] = ()


def is_by_quota(who: str | None) -> bool:
    """Whether an approval was by quotas, as its event names who approved."""
    return who is not None and _BY_QUOTA.fullmatch(who) is not None


def quota_reasons(
    context: Context, session: Session, router: Router, entry: Change, base: Candidate, candidate: Candidate,
    running: Collection[Reserved] = (),
) -> QuotaCoverage:  # fmt: skip
    """The coverage of a text on its base; locks reservations and quotas until the transaction ends.

    `running` is as for `forbidding`.

    Raises:
        LostPortError: as `booked_reservations`.
    """
    reservations.lock_book(session)
    quotas.lock_quotas(session)
    if without_reserved(candidate.model) != without_reserved(base.model):
        return QuotaCoverage("", ("it changes more than reservations",))
    if candidate.hash == base.hash:
        return QuotaCoverage("", ())
    begins_s = max(entry.effective_s or 0, clock.now_s())
    booked, limits = booked_reservations(context, session, begins_s, router.name)
    promised = reserved_of(candidate.model)
    # what is forbidden, but runs, may stay in a text or have left it
    for held in dict.fromkeys(((), tuple(running))):
        allowed = forbidding(context, session, router.name, running=held).allowed
        now = intervals(booked, limits, router.name, begins_s, begins_s, allowed)[0]
        is_longer = now.end_s is not None and (entry.until_s is None or entry.until_s > now.end_s)
        if not is_longer and sorted(now.reserved, key=lambda one: one.name) == list(promised):
            break
    else:
        return QuotaCoverage("", ("the reservations have changed since; run `hntes reserve propose`",))
    rates_bps = {each.name: each.rate_bps for each in promised}
    active = [each for each in booked if each.is_active(begins_s)]
    return _covered(context, session, router, _policed(active, rates_bps, router), begins_s, entry.until_s)


def _policed(active: Iterable[Reservation], rates_bps: Mapping[str, int], router: Router) -> dict[Port, int]:
    """The sum of the policed rates on each port of the router, bit/s; of reservations that the text has."""
    sums: dict[Port, int] = {}
    for each in active:
        rate_bps = rates_bps.get(f"reservation-{each.number}")
        for port in each.ports:
            if rate_bps is not None and port.router == router.name:
                sums[port] = sums.get(port, 0) + rate_bps
    return sums


def _covered(
    context: Context, session: Session, router: Router, policed: dict[Port, int], begins_s: int, ends_s: int | None
) -> QuotaCoverage:
    entries, events = quotas.quotas(session, (router.name,)), audit.events(session, router.name, ("quota",))
    known = usable(context, entries, events)
    numbers: set[int] = set()
    reasons = []
    for port, bps in sorted(policed.items()):
        chain = covering(known, port, bps, begins_s, ends_s) if ends_s is not None else None
        if chain is None:
            until = f"until {rfc3339(ends_s * 1000)}" if ends_s is not None else "without an end"
            reasons.append(f"no quota allows {exact_rate(bps)} of reservations on {port} {until}")
        else:
            numbers |= {each.number for each in chain}
    named = ", ".join(map(str, sorted(numbers)))
    return QuotaCoverage(
        f"quota {named}" if named else "", tuple(reasons), bool(reasons), events_of(entries, events, numbers)
    )
