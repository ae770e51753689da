"""Reservations that a router has to police now, and the class of their excess traffic."""

from collections.abc import Callable, Mapping, Sequence

from hntes import clock
from hntes.rules.changeset.candidate import Candidate
from hntes.rules.changeset.proposal import Proposal
from hntes.rules.qos.model import ModelError
from hntes.rules.qos.reserved import Reserved, without_reserved
from hntes.rules.reservations.in_force import reserved_at
from hntes.rules.reservations.lost_ports import on_known_ports
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation
from hntes.rules.reservations.sharing import deciding
from hntes.settings.model import Router
from hntes.settings.plans import TwoQueue
from hntes.sql import reservations
from hntes.sql.session import Session, reading
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.reservations.forbidden import forbidding
from hntes.workflow.reservations.ports import as_reservation, limits_of, require_limits


def reserved_now(context: Context, router: Router) -> tuple[Reserved, ...]:
    """The reservations that a router has to police at this moment, by number; empty if reservations are off.

    Raises:
        LostPortError: a reserved port of the router is no longer in the settings.
    """
    reserved, forbidden = _now(context, router)
    return tuple(each for each in reserved if each.name not in forbidden)


def _now(context: Context, router: Router) -> tuple[tuple[Reserved, ...], Mapping[str, str]]:
    """What is reserved on a router at this moment, and of that what is forbidden, by name, in words why."""
    if context.settings.reservations is None:
        return (), {}
    now_s = clock.now_s()
    with reading(context.database) as session:
        booked, limits = booked_reservations(context, session, now_s, router.name)
        reserved = reserved_at(booked, limits, router.name, now_s)
        return reserved, forbidding(context, session, router.name).forbids(reserved, now_s)


def with_reservations(
    context: Context, router: Router, made: Callable[[Sequence[Reserved]], Candidate]
) -> tuple[Candidate, tuple[str, ...]]:
    """A candidate with the present reservations; without those that are forbidden, and without all of them if the
    router cannot hold them. Notes name what is left out.

    A reservation must not block a router's rules.

    Raises:
        ModelError: the candidate is invalid even without reservations.
    """
    try:
        reserved, forbidden = _now(context, router)
        notes = tuple(
            f"{each.name} ({each.pair}) is left out: {forbidden[each.name]}"
            for each in reserved
            if each.name in forbidden
        )
        return made([each for each in reserved if each.name not in forbidden]), notes
    except (ModelError, CommandError) as problem:
        without = made(())
        first, _, _ = str(problem).partition("\n")
        return without, (f"the present reservations are left out: {first}",)


def booked_reservations(
    context: Context, session: Session, moment_s: int, router: str
) -> tuple[tuple[Reservation, ...], Mapping[Port, PortLimit]]:
    """All reservations that are active at that instant or start later, and the reservable rate of each port.

    A port that has left the settings stops its own router alone; for others it is left out (`on_known_ports`).

    Raises:
        CommandError: reservations are off.
        LostPortError: a reserved port of the router is no longer in the settings.
    """
    limits = limits_of(context.settings)
    booked = tuple(map(as_reservation, reservations.standing(session, moment_s)))
    require_limits(booked, limits, router)
    return on_known_ports(booked, limits), limits


def deciding_reservations(
    context: Context, session: Session, reservation: Reservation, moment_s: int
) -> tuple[tuple[Reservation, ...], Mapping[Port, PortLimit]]:
    """Of those that are active at that instant or start later, those on which the rates of a reservation depend, and
    the reservable rate of each port.

    Raises:
        CommandError: reservations are off.
        LostPortError: a port of it, or of a background transfer that shares its rate, is no longer in the settings.
    """
    limits = limits_of(context.settings)
    require_limits([reservation], limits)
    booked = map(as_reservation, reservations.standing(session, moment_s))
    found = deciding(reservation, booked, limits)
    # of foreground transfers only the promised rate matters, whatever their other ports
    require_limits([each for each in found if each.kind == "background"], limits)
    return found, limits


def excess_class(context: Context, router: Router) -> str | None:
    """The class of a reservation's packets above its rate on a router; None: they are discarded."""
    plan = context.settings.plans[router.plan]
    to_beta = isinstance(plan, TwoQueue) and plan.premium_excess == "best_effort"
    return router.class_names.beta if to_beta else None


def differs_only_in_reservations(proposal: Proposal) -> bool:
    """Whether a night's text differs from the one in force only in reservations, which scheduled changes deliver."""
    if proposal.base is None or proposal.base.model == proposal.candidate.model:
        return False
    return without_reserved(proposal.base.model) == without_reserved(proposal.candidate.model)
