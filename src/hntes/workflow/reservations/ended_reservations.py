"""Reservations that have ended and are still on a router."""

from dataclasses import dataclass

from hntes import clock
from hntes.format import exact_rate, rfc3339
from hntes.rules.reservations.in_force import reserved_at
from hntes.settings.model import Router
from hntes.sql import reservations
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.reservations.active_reservations import booked_reservations
from hntes.workflow.reservations.ports import section_of
from hntes.workflow.reservations.reservation_status import pending_reason, rates_on


@dataclass(frozen=True)
class EndedReservation:
    """A reservation that ended, or was cancelled, at `until_s`, and that a router still polices to that rate; why."""

    router: str
    number: int
    rate_bps: int
    until_s: int
    reason: str

    def __str__(self) -> str:
        return (
            f"reservation {self.number} is still on {self.router} with {exact_rate(self.rate_bps)}, although it ended "
            f"at {rfc3339(self.until_s * 1000)}: {self.reason}"
        )


def ended_reservations(context: Context, router: Router) -> tuple[EndedReservation, ...]:
    """The reservations that a router polices, per its reports, and that are neither active nor about to begin.

    Raises:
        CommandError: reservations are off.
        LostPortError: a reserved port of the router is no longer in the settings.
    """
    now_s, lead_s = clock.now_s(), section_of(context.settings).lead_s
    there = rates_on(context, router)
    with reading(context.database) as session:
        booked, limits = booked_reservations(context, session, now_s, router.name)
        wanted = {
            each.name for moment in (now_s, now_s + lead_s) for each in reserved_at(booked, limits, router.name, moment)
        }
        left = {number for number in there if f"reservation-{number}" not in wanted}
        # an older copy of the database may not know one
        known = reservations.reservations(session) if left else ()
        entries = [each.entry for each in known if each.entry.number in left]
    return tuple(
        EndedReservation(
            router.name, each.number, there[each.number], each.until_s,
            pending_reason(context, router, f"reservation-{each.number}"),
        )
        for each in entries
        if each.until_s <= now_s
    )  # fmt: skip
