"""Delivery of approved configuration to a router by HNTES; each step is recorded in the audit log before it is done.

The hand-over (`workflow/delivery/deliver.py`) comes first: its files are the last resort of a removal.
"""

from dataclasses import dataclass
from datetime import date
from functools import partial

from hntes import clock
from hntes.delivery.access import opener
from hntes.delivery.load_watch import LoadWatch, WatchedLoad
from hntes.delivery.push import push
from hntes.delivery.request import PushResult
from hntes.delivery.timer import MonotonicTimer, Timer
from hntes.platforms.device_errors import DriftError, NotKeptError
from hntes.rules.changeset.candidate import Candidate
from hntes.settings.model import Router
from hntes.sql import audit, deliveries
from hntes.sql.audit import NewEvent
from hntes.sql.change import Change, InForceEntry
from hntes.sql.drifts import SeenState
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.delivery.authority import AuthorityError, require_arrival, require_kept
from hntes.workflow.delivery.deliver import HandOver, deliver
from hntes.workflow.delivery.flowspec_delivery import announce_approved, take_back_cut
from hntes.workflow.delivery.load import watch_of
from hntes.workflow.delivery.push_request import finishing_request, push_request, router_journal
from hntes.workflow.delivery.removal_log import record_removals
from hntes.workflow.delivery.unfinished import push_lock, require_no_other_rules
from hntes.workflow.errors import CommandError
from hntes.workflow.review.transition_approval import approved_transition
from hntes.workflow.router_state import RouterState, router_state, with_present_reports
from hntes.workflow.stage_log import stage, warn

WHO = "hntes router deliver"


@dataclass(frozen=True)
class RouterPush:
    """One router's push: the approved change, the result, and the router's load if it is watched."""

    change: Change
    pushed: PushResult
    load: WatchedLoad | None = None


def _outcome(done: RouterPush | None) -> str:
    return done.pushed.outcome if done else "no_approved_config"


def _day(done: RouterPush | None) -> date | None:
    return done.change.day if done else None


@stage(_outcome, day_of=_day)
def push_router(
    context: Context, router: Router, *, commit: bool, again: bool = False, timer: Timer | None = None,
    only: date | None = None, only_reservations: bool = False, pace: Timer | None = None,
) -> RouterPush | None:  # fmt: skip
    """Delivers the configuration in force; without `commit` only shows the change. Returns None if nothing is approved.

    An unfinished push of an earlier call is ended first. `again`: deliver even if HNTES or a pair was removed since the
    approval. `only`: the day of the change that the caller has shown; its reservations may have changed since.
    `only_reservations`: keep the rules that the router runs and change only reservations. `pace`: the timer of the
    waits between readings of the router's load, if it is another.

    Raises:
        CommandError: the router has no [routers.delivery], HNTES was removed from it, the rules of another day than
            `only` are in force, or with `only_reservations` the push of other rules is unfinished.
        DeliveryError: see `delivery.push.push`.
        LockedError: another process delivers to this router.
    """
    with push_lock(context, router):
        record_removals(context, router)
        if only_reservations:
            require_no_other_rules(context, router)
        timer = timer or MonotonicTimer()
        watch = watch_of(context.settings, router, pace or timer)
        delivered = _handed_over(context, router, timer, watch, commit=commit, only_reservations=only_reservations)
        if delivered is None:
            return None
        if only is not None and delivered.change.day != only:
            raise CommandError(
                f"router {router.name}: another change was approved in the meantime; review it and deliver again"
            )
        state, leading = delivered.state, delivered.leading
        has_ended = commit and _end_earlier(context, state, timer, watch)
        if has_ended:
            state = with_present_reports(context, state)
        if not again:
            _require_not_removed(state)
        if has_ended:
            leading = approved_transition(context, state)
        try:
            pushed = _pushed(context, state, leading.from_hash, delivered.candidate, timer, watch, commit=commit)
        except DriftError:
            _record_drift(context, state, "changed")
            raise
        if pushed.outcome == "held":
            _record_drift(context, state, "equal")
        if commit:
            _report(context, router, state.due.candidate_hash, state.due.day)
        return RouterPush(state.due, pushed, watch.seen if watch is not None else None)


def _handed_over(
    context: Context, router: Router, timer: Timer, watch: LoadWatch | None, *, commit: bool, only_reservations: bool
) -> HandOver | None:
    """As `deliver`; where that refuses, an unfinished push is ended first, so that others can be made."""
    try:
        return deliver(context, router, only_reservations=only_reservations)
    except AuthorityError as refusal:
        if commit and (state := router_state(context, router, only_reservations=only_reservations)):
            _end_refused(context, state, timer, watch, refusal)
        raise


def _end_refused(
    context: Context, state: RouterState, timer: Timer, watch: LoadWatch | None, refusal: AuthorityError
) -> None:
    """Ends an unfinished push, as `_end_begun`; announced rules that may no longer come are taken back."""
    if state.router.flowspec is None:
        _end_begun(context, state, timer, watch)
        return
    try:
        take_back_cut(context, state, state.router.flowspec, refusal)
    except NotKeptError as gone:
        warn(str(gone))


def _pushed(
    context: Context, state: RouterState, from_hash: str | None, candidate: Candidate, timer: Timer,
    watch: LoadWatch | None, *, commit: bool,
) -> PushResult:  # fmt: skip
    router = state.router
    if router.flowspec is not None:
        return announce_approved(context, state, router.flowspec, from_hash, timer, watch, commit=commit)
    allowed = partial(require_arrival, context, state, candidate, from_hash, clock.now_s())
    known = state.runs_due
    request = push_request(context, router, from_hash, candidate, state.due.day, allowed, is_known=known, watch=watch)
    opened = opener(router, context.settings.delivery.timeout_s)
    return push(request, opened, router_journal(context, router), timer, commit=commit)


def _end_earlier(context: Context, state: RouterState, timer: Timer, watch: LoadWatch | None) -> bool:
    """Ends an unfinished push of another text, as `_end_begun`."""
    begun = router_journal(context, state.router).entry()
    is_other = begun is not None and begun.after_sha256 != state.due.candidate_hash
    return is_other and _end_begun(context, state, timer, watch)


def _end_begun(context: Context, state: RouterState, timer: Timer, watch: LoadWatch | None) -> bool:
    """Ends an unfinished push; returns whether the router may hold another text because of it.

    A push that the log does not know never started, or was not made by HNTES: its entry is dropped. One without a day
    was the removal of a pair. A text that may no longer be delivered is left to the router's timer. FlowSpec has no
    journal.
    """
    router = state.router
    journal = router_journal(context, router)
    begun = journal.entry()
    if begun is None or router.flowspec is not None:
        return False
    with reading(context.database) as session:
        recorded = audit.events(session, router.name, ("push",))
    about = (begun.after_sha256, begun.day)
    if begun.after_sha256 is not None and not any((each.candidate_hash, each.day) == about for each in recorded):
        journal.end()
        return False
    opened = opener(router, context.settings.delivery.timeout_s)
    request = finishing_request(context, router, begun, partial(require_kept, context, state, begun), watch)
    try:
        ended = push(request, opened, journal, timer, commit=True)
    except NotKeptError as gone:
        if not isinstance(gone.__cause__, AuthorityError):
            raise
        warn(str(gone))
        return True
    if ended.outcome in ("finished", "kept"):
        _report(context, router, begun.after_sha256, begun.day, is_verified=ended.outcome == "finished")
    return True


def _record_drift(context: Context, state: RouterState, seen: SeenState) -> None:
    """Until a router is seen to be equal again, no round of scheduled changes takes the word of earlier reports."""
    if state.has_drifted != (seen != "equal"):
        event = NewEvent("drift", state.router.name, candidate_hash=state.reported_hash, outcome=seen)
        with transaction(context.database) as session:
            audit.append(session, event)


def _report(
    context: Context, router: Router, candidate_hash: str | None, day: date | None, *, is_verified: bool = True
) -> None:
    if candidate_hash is not None and day is not None:
        with transaction(context.database) as session:
            delivered = InForceEntry(router.name, candidate_hash, day)
            deliveries.report_pushed(session, delivered, WHO, is_verified=is_verified)
    elif candidate_hash is not None:
        with transaction(context.database) as session:
            deliveries.report_reduced(session, router.name, candidate_hash, WHO, "removal of a pair, finished")


def _require_not_removed(state: RouterState) -> None:
    if state.was_removed:
        raise CommandError(
            f"router {state.router.name}: the approved configuration, or a pair of it, was removed from the router; "
            f"approve another change, or deliver it once more with `hntes router deliver --router {state.router.name} "
            "--again`"
        )
