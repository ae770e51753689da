"""Reservations that a router has to police now, and the class of their excess traffic."""

from collections.abc import Callable, Mapping, Sequence

from hntes import clock
from hntes.rules.changeset.candidate import Candidate
from hntes.rules.changeset.proposal import Proposal
from hntes.rules.qos.model import ModelError
from hntes.rules.qos.reserved import Reserved, without_reserved
from hntes.rules.reservations.in_force import reserved_at
from hntes.rules.reservations.reservation import Port, PortLimit, Reservation
from hntes.settings.model import Router
from hntes.settings.plans import TwoQueue
from hntes.sql import reservations
from hntes.sql.session import Session, reading
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.reservations.ports import as_reservation, limits_of, require_limits


def reserved_now(context: Context, router: Router) -> tuple[Reserved, ...]:
    """The reservations that a router has to police at this moment, by number; empty if reservations are off.

    Raises:
        CommandError: a reserved port is no longer in the settings.
    """
    if context.settings.reservations is None:
        return ()
    now_s = clock.now_s()
    with reading(context.database) as session:
        booked, limits = booked_reservations(context, session, now_s)
    return reserved_at(booked, limits, router.name, now_s)


def with_reservations(
    context: Context, router: Router, made: Callable[[Sequence[Reserved]], Candidate]
) -> tuple[Candidate, tuple[str, ...]]:
    """A candidate with the present reservations; without them, and with a note, if the router cannot hold them.

    A reservation must not block a router's rules.

    Raises:
        ModelError: the candidate is invalid even without reservations.
    """
    try:
        reserved = reserved_now(context, router)
        return made(reserved), ()
    except (ModelError, CommandError) as problem:
        without = made(())
        first, _, _ = str(problem).partition("\n")
        return without, (f"the present reservations are left out: {first}",)


def booked_reservations(
    context: Context, session: Session, moment_s: int
) -> tuple[tuple[Reservation, ...], Mapping[Port, PortLimit]]:
    """All reservations that are active at that instant or start later, and the reservable rate of each port.

    Raises:
        CommandError: reservations are off, or a reserved port is no longer in the settings.
    """
    limits = limits_of(context.settings)
    booked = tuple(map(as_reservation, reservations.standing(session, moment_s)))
    require_limits(booked, limits)
    return booked, limits


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
