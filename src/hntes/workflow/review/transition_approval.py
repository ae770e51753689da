"""An approval binds the transition, too: if what was delivered last changes, a person looks before it is delivered.

The audit log holds which transition was approved, and which other one was accepted in its place (kind "transition").
"""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from hntes.platforms.transition_errors import TransitionError
from hntes.settings.model import Router
from hntes.sql import audit, change_sets, edge_changes
from hntes.sql.audit import NewEvent
from hntes.sql.deliveries import REMOVAL, REPORTS, delivered_last
from hntes.sql.entries import AuditEventEntry, ChangeSetEntry
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.delivery.target_config import DueText
from hntes.workflow.errors import CommandError
from hntes.workflow.reservations.edge_changes import reported_base
from hntes.workflow.review.transitions import Transition, short, transition_to

LEAST_DIGITS = 6


class TransitionChangedError(CommandError):
    """What would be done on the router is not what was approved."""


@dataclass(frozen=True)
class KnownTransition:
    """The transition of a change set. `now` is None where none can be made, for `problem`.

    `bound` is what was approved or accepted, as the log calls it; None where nothing was. `is_reported`: what the
    router holds before it is known by a report, not only supposed to be what was approved.
    """

    now: Transition | None
    bound: str | None
    problem: str = ""
    is_reported: bool = False

    @property
    def has_changed(self) -> bool:
        """Whether another transition was approved than there is now."""
        return self.now is not None and self.bound is not None and self.bound != self.now.recorded


def approved_event(entry: ChangeSetEntry, leading: Transition, who: str, identity: str | None) -> NewEvent:
    """Records which transition was approved with a change set."""
    return _event(entry, f"approved {leading.recorded}", who, None, identity)


def approved_transition_to(context: Context, router: Router, due: DueText) -> Transition:
    """As `transition_to`, if it is the transition that was approved, or accepted since.

    Of what was approved before transitions were recorded, any is taken. Between texts of the same approved rules, and
    from a text of an approved edge change, any is, too: both ends were approved, and what differs from the recorded
    transition is what is reserved.

    Raises:
        TransitionChangedError: it is another one, since what was delivered last is another text by now.
    """
    leading = transition_to(context, router, due.change_set)
    of_rules = leading if due.edge is None else transition_to(context, router, due.base)
    with reading(context.database) as session:
        known = bound_transition(session, due.base)
        held = reported_base(session, router.name)
        has_rules = held is not None and held.candidate_hash == due.base.candidate_hash
        is_from_edge = leading.from_hash is not None and edge_changes.is_text_of(
            session, router.name, leading.from_hash
        )
    name = router.name
    if due.at_edge and router.is_reached and not has_rules:
        raise TransitionChangedError(
            f"router {name}: it no longer runs the rules of {due.base.day}, on which its reservations were to change; "
            "call `hntes reserve deliver` again"
        )
    if known is not None and known != of_rules.recorded and not has_rules and not is_from_edge:
        raise TransitionChangedError(
            f"router {name}: what was delivered last has changed since the approval of {due.base.day}: approved was "
            f"the transition {short(known)}, now it is {of_rules}; look at it (`hntes show --router {name} "
            f"--transition`), then `hntes accept-transition --router {name} --hash {of_rules.identity[:12]}`"
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
        in_force = change_sets.in_force(session, router.name)
        entry = change_sets.change_set(session, router.name, in_force.day) if in_force else None
    if entry is None:
        raise CommandError(f"router {router.name}: nothing is approved for it")
    leading = transition_to(context, router, entry)
    if len(identity_digits) < LEAST_DIGITS or not leading.identity.startswith(identity_digits.lower()):
        raise CommandError(
            f"router {router.name}: the transition is {leading}, not {identity_digits!r}; look at it (`hntes show "
            f"--router {router.name} --transition`), and give {LEAST_DIGITS} digits or more of it"
        )
    with transaction(context.database) as session:
        if bound_transition(session, entry) != leading.recorded:
            audit.append(session, _event(entry, f"accepted {leading.recorded}", who, note, None))
    return leading


def known_transition(context: Context, router: Router, entry: ChangeSetEntry) -> KnownTransition | None:
    """The transition of a change set that waits or is in force; None for others, which are not delivered."""
    with reading(context.database) as session:
        bound = bound_transition(session, entry)
        in_force = change_sets.in_force(session, router.name)
        is_reported = delivered_last(audit.events(session, router.name, (*REPORTS, REMOVAL)), entry) is not None
    about = (entry.candidate_hash, entry.day)
    is_in_force = in_force is not None and (in_force.candidate_hash, in_force.day) == about
    if entry.state != "pending" and not is_in_force:
        return None
    try:
        return KnownTransition(transition_to(context, router, entry), bound, is_reported=is_reported)
    except TransitionError as problem:
        return KnownTransition(None, bound, str(problem))


def transition_words(context: Context, router: Router, entry: ChangeSetEntry) -> str:
    """The same in a line: as approved and, if it is another by now, as it is; empty where there is none."""
    known = known_transition(context, router, entry)
    if known is None:
        return ""
    if known.now is None:
        return f"transition: none can be made: {known.problem}"
    if known.bound is None or not known.has_changed:
        return f"transition: {known.now}"
    return f"transition: approved {short(known.bound)}, but what was delivered last has changed: now {known.now}"


def bound_transition(session: Session, entry: ChangeSetEntry) -> str | None:
    """The transition that was approved or accepted last for a change set, as the log calls it; None: there is none."""
    newest: AuditEventEntry | None = audit.newest_about(session, entry.router, entry.day, ("transition",))
    if newest is None or newest.candidate_hash != entry.candidate_hash:
        return None
    return newest.detail.partition(" ")[2]


def _event(entry: ChangeSetEntry, detail: str, who: str, note: str | None, identity: str | None) -> NewEvent:
    return NewEvent(
        "transition",
        entry.router,
        entry.day,
        entry.candidate_hash,
        detail=detail,
        who=who,
        note=note,
        identity=identity,
    )
