"""Approval of transitions: if the delivered configuration changes after an approval, the new transition needs another.

A change stores the approved transition; the audit log records the approver (kind "transition").
"""

from dataclasses import dataclass

from hntes.platforms.transition_errors import TransitionError
from hntes.rules.changeset.candidate import CandidateStoreError
from hntes.settings.model import Router
from hntes.sql import audit, changes, decisions
from hntes.sql.change import Change
from hntes.sql.decisions import Person
from hntes.sql.deliveries import REMOVAL, REPORTS, delivered_last, is_reduction
from hntes.sql.session import Session, reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError
from hntes.workflow.router_state import RouterState
from hntes.workflow.transitions import Transition, short, transition_after, transition_to

LEAST_DIGITS = 6
# No transition has it: whoever names this has seen that there was none.
NO_TRANSITION = "-"
ANOTHER_TRANSITION = (
    "not approved: the last delivered configuration has changed since; reload and review the transition"
)


class TransitionChangedError(CommandError):
    """The transition on the router is not the approved one."""


@dataclass(frozen=True)
class BoundTransition:
    """The approved transition; `from_hash` is the hash of the text it starts from, None for nothing of HNTES."""

    identity: str
    from_hash: str | None

    def __str__(self) -> str:
        return short(self.identity, self.from_hash)


@dataclass(frozen=True)
class KnownTransition:
    """The transition of a change. `now` is None if there is none, because of `problem`.

    `bound` is the approved one; None without an approval. `is_reported`: the text before the transition is known from
    a report, not only assumed from an approval.
    """

    now: Transition | None
    bound: BoundTransition | None
    problem: str = ""
    is_reported: bool = False

    @property
    def has_changed(self) -> bool:
        """Whether the present transition differs from the approved one."""
        return self.now is not None and self.bound is not None and self.bound.identity != self.now.identity


def approved_transition(context: Context, state: RouterState) -> Transition:
    """The transition to the configuration due on a router, if it is approved.

    Between texts of the same approved rules, and from other reservations on the rules that the bound transition starts
    from, any transition is allowed: both ends were approved, and only reservations differ from it.

    Raises:
        TransitionChangedError: it is not approved, since the delivered configuration has changed.
    """
    name, rules = state.router.name, state.rules
    leading = transition_after(context, state.router, state.due, state.reports)
    of_rules = transition_after(context, state.router, rules, state.reports) if state.due.is_scheduled else leading
    if state.only_reservations and state.router.is_reached and not state.runs_rules:
        raise TransitionChangedError(
            f"router {name}: it no longer runs the rules of {rules.day}, the base of the scheduled change; "
            "run `hntes reserve deliver` again"
        )
    bound = _bound(rules)
    is_bound = bound is None or bound.identity == of_rules.identity or _has_rules_of(state, bound, leading)
    if not is_bound and not state.runs_rules:
        raise TransitionChangedError(
            f"router {name}: the delivered configuration has changed since the approval of {rules.day}: the approved "
            f"transition is {bound}, the present one {of_rules}; review it (`hntes change show --router {name} "
            f"--transition`), then `hntes router approve-transition --router {name} --hash {of_rules.identity[:12]}`"
            + (f"; then deliver with `hntes router deliver --router {name} --again`" if state.was_removed else "")
        )
    return leading


def _has_rules_of(state: RouterState, bound: BoundTransition, leading: Transition) -> bool:
    """Whether it starts from the rules that the approved one starts from, with other reservations.

    What the removal of a pair left has not, even if a scheduled change once had that very text: who approved was shown
    the pair on the router.
    """
    last = delivered_last(state.reports, state.due)
    if bound.from_hash is None or leading.from_hash is None or (last is not None and is_reduction(last)):
        return False
    return not state.rules_of(bound.from_hash).isdisjoint(state.rules_of(leading.from_hash))


def approve_transition(
    context: Context, router: Router, identity_digits: str, who: str, note: str | None
) -> Transition:
    """Records the approval of the present transition; returns it.

    Args:
        context: The context.
        router: The router.
        identity_digits: The first digits of the transition's identity, at least 6.
        who: The approver.
        note: The reason, or None.

    Raises:
        CommandError: nothing is approved, the transition is another one, or the digits are too few.
    """
    with reading(context.database) as session:
        in_force = changes.in_force(session, router.name)
        entry = changes.nightly_change(session, router.name, in_force.day) if in_force else None
    if entry is None:
        raise CommandError(f"router {router.name}: nothing is approved for it")
    leading = transition_to(context, router, entry)
    if len(identity_digits) < LEAST_DIGITS or not leading.identity.startswith(identity_digits.lower()):
        raise CommandError(
            f"router {router.name}: the transition is {leading}, not {identity_digits!r}; review it (`hntes change "
            f"show --router {router.name} --transition`) and give at least {LEAST_DIGITS} of its digits"
        )
    with transaction(context.database) as session:
        bound = bound_transition(session, entry)
        present = decisions.present_nightly(session, router.name, entry.day)
        if bound is None or bound.identity != leading.identity:
            accepted = (leading.identity, leading.from_hash)
            decisions.bind_transition(session, present, accepted, "accepted", Person(who, note))
    return leading


def known_transition(context: Context, router: Router, entry: Change) -> KnownTransition | None:
    """The transition of a change that is pending or in force; None for others, which are not delivered."""
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
    except (CandidateStoreError, TransitionError) as problem:
        return KnownTransition(None, bound, str(problem))


def is_another_transition(context: Context, router: Router, entry: Change, seen: str) -> bool:
    """Whether there is a transition to a change, and it is not the `seen` one, named by its identity."""
    known = known_transition(context, router, entry)
    return known is not None and known.now is not None and known.now.identity != seen


def bound_transition(session: Session, entry: Change) -> BoundTransition | None:
    """The transition last approved for a change; None if there is none."""
    present = changes.change(session, entry.change_id)
    return None if present is None or present.candidate_hash != entry.candidate_hash else _bound(present)


def _bound(entry: Change) -> BoundTransition | None:
    return None if entry.transition_hash is None else BoundTransition(entry.transition_hash, entry.transition_from)
