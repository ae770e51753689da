"""What of the book belongs into a router's text: reservations in force, and the class that their excess goes to."""

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
    """What a router has to police at this moment, by number; nothing where reservations are off.

    Raises:
        CommandError: a port that was reserved on is gone from the settings.
    """
    if context.settings.reservations is None:
        return ()
    now_s = clock.now_s()
    with reading(context.database) as session:
        standing, limits = book(context, session, now_s)
    return reserved_at(standing, limits, router.name, now_s)


def with_book(
    context: Context, router: Router, made: Callable[[Sequence[Reserved]], Candidate]
) -> tuple[Candidate, tuple[str, ...]]:
    """A candidate with what is reserved now; where the router cannot hold that, one without, and a note.

    Whoever reserves must not keep a router from its rules.

    Raises:
        ModelError: the candidate without reservations cannot be, either.
    """
    try:
        reserved = reserved_now(context, router)
        return made(reserved), ()
    except (ModelError, CommandError) as problem:
        without = made(())
        first, _, _ = str(problem).partition("\n")
        return without, (f"what is reserved now is not in it: {first}",)


def book(context: Context, session: Session, moment_s: int) -> tuple[tuple[Reservation, ...], Mapping[Port, PortLimit]]:
    """All that is active at that instant or begins later, and what may be promised on each port.

    Raises:
        CommandError: reservations are off, or a port that was reserved on is gone from the settings.
    """
    limits = limits_of(context.settings)
    standing = tuple(map(as_reservation, reservations.standing(session, moment_s)))
    require_limits(standing, limits)
    return standing, limits


def excess_class(context: Context, router: Router) -> str | None:
    """Where a reservation's packets above its rate go on a router; None: they are discarded."""
    plan = context.settings.plans[router.plan]
    to_beta = isinstance(plan, TwoQueue) and plan.premium_excess == "best_effort"
    return router.class_names.beta if to_beta else None


def differs_by_reserved_alone(proposal: Proposal) -> bool:
    """Whether a night's text differs from what is in force by reservations alone: scheduled changes bring these."""
    if proposal.base is None or proposal.base.model == proposal.candidate.model:
        return False
    return without_reserved(proposal.base.model) == without_reserved(proposal.candidate.model)
