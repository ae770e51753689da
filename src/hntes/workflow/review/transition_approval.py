"""An approval binds the transition, too: if what was delivered last changes, a person looks before it is delivered.

A change holds which transition was approved, or accepted in its place; the audit log says by whom (kind "transition").
"""

from dataclasses import dataclass

from hntes.platforms.transition_errors import TransitionError
from hntes.settings.model import Router
from hntes.sql import audit, changes, decisions
from hntes.sql.change import Change
from hntes.sql.decisions import Person
from hntes.sql.deliveries import REMOVAL, REPORTS, delivered_last
from hntes.sql.session import Session, reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.router_state import RouterState
from hntes.workflow.transitions import Transition, short, transition_after, transition_to

LEAST_DIGITS = 6


class TransitionChangedError(CommandError):
    """What would be done on the router is not what was approved."""


@dataclass(frozen=True)
class Bound:
    """The transition that an approval binds; `from_hash` is that of the text before, None for nothing of HNTES."""

    identity: str
    from_hash: str | None

    def __str__(self) -> str:
        return short(self.identity, self.from_hash)


@dataclass(frozen=True)
class KnownTransition:
    """The transition of a change set. `now` is None where none can be made, for `problem`.

    `bound` is what was approved or accepted; None where nothing was. `is_reported`: what the
    router holds before it is known by a report, not only supposed to be what was approved.
    """

    now: Transition | None
    bound: Bound | None
    problem: str = ""
    is_reported: bool = False

    @property
    def has_changed(self) -> bool:
        """Whether another transition was approved than there is now."""
        return self.now is not None and self.bound is not None and self.bound.identity != self.now.identity


def approved_transition(context: Context, state: RouterState) -> Transition:
    """The transition to what is due on a router, if it is the one that was approved, or approved since.

    Between texts of the same approved rules, and from a text of an approved scheduled change, any is taken: both ends
    were approved, and what differs from the bound transition is what is reserved.

    Raises:
        TransitionChangedError: it is another one, since what was delivered last is another text by now.
    """
    name, rules = state.router.name, state.rules
    leading = transition_after(context, state.router, state.due, state.reports)
    of_rules = transition_after(context, state.router, rules, state.reports) if state.due.is_scheduled else leading
    if state.only_reservations and state.router.is_reached and not state.runs_rules:
        raise TransitionChangedError(
            f"router {name}: it no longer runs the rules of {rules.day}, on which its reservations were to change; "
            "call `hntes reserve deliver` again"
        )
    bound = _bound(rules)
    is_bound = bound is None or bound.identity == of_rules.identity
    if not is_bound and not state.runs_rules and leading.from_hash not in state.scheduled_texts:
        raise TransitionChangedError(
            f"router {name}: what was delivered last has changed since the approval of {rules.day}: approved was "
            f"the transition {bound}, now it is {of_rules}; look at it (`hntes change show --router {name} "
            f"--transition`), then `hntes router approve-transition --router {name} --hash {of_rules.identity[:12]}`"
        )
    return leading


def accept_transition(context: Context, router: Router, identity_digits: str, who: str, note: str | None) -> Transition:
    """Records that a person has looked at the transition as it is now; returns it.

    Args:
        context: The context.
        router: The router.
        identity_digits: The first digits of the transition's identity, at least 6.
        who: Who accepts it.
        note: Why, or None.

    Raises:
        CommandError: nothing is approved, it is another transition, or the digits are too few.
    """
    with reading(context.database) as session:
        in_force = changes.in_force(session, router.name)
        entry = changes.nightly_change(session, router.name, in_force.day) if in_force else None
    if entry is None:
        raise CommandError(f"router {router.name}: nothing is approved for it")
    leading = transition_to(context, router, entry)
    if len(identity_digits) < LEAST_DIGITS or not leading.identity.startswith(identity_digits.lower()):
        raise CommandError(
            f"router {router.name}: the transition is {leading}, not {identity_digits!r}; look at it (`hntes "
            f"change show "
            f"--router {router.name} --transition`), and give {LEAST_DIGITS} digits or more of it"
        )
    with transaction(context.database) as session:
        bound = bound_transition(session, entry)
        present = decisions.present_nightly(session, router.name, entry.day)
        if bound is None or bound.identity != leading.identity:
            told = (leading.identity, leading.from_hash)
            decisions.bind_transition(session, present, told, "accepted", Person(who, note))
    return leading


def known_transition(context: Context, router: Router, entry: Change) -> KnownTransition | None:
    """The transition of a change set that waits or is in force; None for others, which are not delivered."""
    with reading(context.database) as session:
        bound = bound_transition(session, entry)
        in_force = changes.in_force(session, router.name)
        is_reported = delivered_last(audit.events(session, router.name, (*REPORTS, REMOVAL)), entry) is not None
    about = (entry.candidate_hash, entry.day)
    is_in_force = in_force is not None and (in_force.candidate_hash, in_force.day) == about
    if entry.state != "pending" and not is_in_force:
        return None
    try:
        return KnownTransition(transition_to(context, router, entry), bound, is_reported=is_reported)
    except TransitionError as problem:
        return KnownTransition(None, bound, str(problem))


def bound_transition(session: Session, entry: Change) -> Bound | None:
    """The transition that was approved last for a change; None: there is none."""
    present = changes.change(session, entry.change_id)
    return None if present is None or present.candidate_hash != entry.candidate_hash else _bound(present)


def _bound(entry: Change) -> Bound | None:
    return None if entry.transition_hash is None else Bound(entry.transition_hash, entry.transition_from)
