"""What is approved is brought onto its router by HNTES itself; each step is in the audit log before it is done.

The default remains the hand-over (`workflow/delivery/deliver.py`), which comes first here, too: a withdrawal works from
its files when nothing else is left.
"""

import time
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

from hntes.delivery.access import opener
from hntes.delivery.journal import Entry, Journal
from hntes.delivery.push import push
from hntes.delivery.request import Order, Pace, Pushed
from hntes.delivery.verify import check_effect, check_part, run_probes
from hntes.etl.locks import locked
from hntes.platforms.device import Device, Opener
from hntes.platforms.dialect import Dialect
from hntes.rules.changeset.candidate import Candidate
from hntes.settings.flowspec import FlowSpec
from hntes.settings.model import Router
from hntes.sql import audit, changes, deliveries
from hntes.sql.audit import NewEvent
from hntes.sql.change import Change, InForceEntry
from hntes.sql.deliveries import REMOVAL, REPORTS
from hntes.sql.session import reading, transaction
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.delivery.deliver import deliver
from hntes.workflow.delivery.flowspec_delivery import announce_approved, verify_announced
from hntes.workflow.delivery.target_config import DueText
from hntes.workflow.delivery.withdraw import record_withdrawals
from hntes.workflow.errors import CommandError
from hntes.workflow.folders import router_folder
from hntes.workflow.review.transition_approval import approved_transition_to
from hntes.workflow.stage_log import stage

WHO = "hntes router deliver"


class MonotonicPace:
    """The machine's time since it started: a clock that is set does not move it."""

    def now_s(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


@dataclass(frozen=True)
class RouterPush:
    """One router's push: the approved change set and what became of it."""

    change: Change
    pushed: Pushed


def _outcome(done: RouterPush | None) -> str:
    return done.pushed.outcome if done else "no_approved_config"


def _day(done: RouterPush | None) -> date | None:
    return done.change.day if done else None


@stage(_outcome, day_of=_day)
def push_router(
    context: Context, router: Router, *, commit: bool, again: bool = False, pace: Pace | None = None,
    only: date | None = None, at_edge: bool = False,
) -> RouterPush | None:  # fmt: skip
    """Brings a router to what is in force, or without `commit` shows what would change; None if nothing is approved.

    What an earlier call began and did not end is ended first. `again`: also what was withdrawn since it was approved.
    `only`: the day of the change set that the caller has shown; what is reserved may have changed since. `at_edge`:
    nothing but that changes, on the rules that the router runs.

    Raises:
        CommandError: the settings do not say how the router is reached, it was withdrawn, or the rules of another day
            than `only` are in force.
        DeliveryError: see `delivery.push.push`.
        LockedError: another process delivers to this router.
    """
    record_withdrawals(context, router)
    delivered = deliver(context, router, at_edge=at_edge)
    if delivered is None:
        return None
    entry = delivered.change
    if only is not None and entry.day != only:
        raise CommandError(
            f"router {router.name}: another change was approved meanwhile; look at it, and deliver again"
        )
    pace = pace or MonotonicPace()
    if router.flowspec is not None:
        return _announced(context, router, router.flowspec, entry, pace, commit=commit, again=again)
    opened = opener(router, context.settings.delivery.timeout_s)
    with locked(router_folder(context, router) / ".locks" / "push", f"push to {router.name}"):
        journal = router_journal(context, router)
        begun = journal.entry()
        if commit and begun is not None and begun.after_sha256 != entry.candidate_hash:
            _end_earlier(context, router, begun, opened, pace)
        if not again:
            _require_wanted(context, router, entry)
        order = _order(context, router, delivered.due)
        pushed = push(order, opened, journal, pace, commit=commit)
        if commit:
            _report(context, router, entry.candidate_hash, entry.day)
    return RouterPush(entry, pushed)


def _announced(
    context: Context, router: Router, chosen: FlowSpec, entry: Change, pace: Pace, *, commit: bool, again: bool
) -> RouterPush:
    with locked(router_folder(context, router) / ".locks" / "push", f"push to {router.name}"):
        if not again:
            _require_wanted(context, router, entry)
        pushed = announce_approved(context, router, chosen, entry, pace, commit=commit)
        if commit:
            _report(context, router, entry.candidate_hash, entry.day)
    return RouterPush(entry, pushed)


def _end_earlier(context: Context, router: Router, begun: Entry, opened: Opener, pace: Pace) -> None:
    """Ends the push of another text. One that the log does not know was not begun, or not by HNTES: it is forgotten.

    One without a day was a pair's withdrawal.
    """
    journal = router_journal(context, router)
    with reading(context.database) as session:
        recorded = audit.events(session, router.name, ("push",))
    about = (begun.after_sha256, begun.day)
    if begun.after_sha256 is not None and not any((each.candidate_hash, each.day) == about for each in recorded):
        journal.end()
        return
    ended = push(_order_of(context, router, begun), opened, journal, pace, commit=True)
    if ended.outcome == "finished":
        _report(context, router, begun.after_sha256, begun.day)


def verify_router(context: Context, router: Router) -> None:
    """Asks a router whether it does what was last approved for it, with the reservations that it was last reported to
    have, and runs its probes; changes nothing.

    Raises:
        CommandError: nothing is approved for it.
        DeliveryError: it does not, or cannot be asked.
    """
    with reading(context.database) as session:
        approved = changes.in_force(session, router.name)
        events = audit.events(session, router.name, REPORTS)
    if approved is None:
        raise CommandError(f"router {router.name}: nothing is approved for it")
    if router.flowspec is not None:
        verify_announced(context, router, router.flowspec, approved.candidate_hash, MonotonicPace())
        return
    device = opener(router, context.settings.delivery.timeout_s)()
    try:
        last = events[-1].candidate_hash if events and events[-1].day == approved.day else None
        _verify(context, router, known_candidate(context, router, last or approved.candidate_hash), device)
    finally:
        device.close()


def router_journal(context: Context, router: Router) -> Journal:
    """The journal of the pushes to a router."""
    return Journal(router_folder(context, router) / "delivery" / "journal.json")


def _order(context: Context, router: Router, due: DueText) -> Order:
    entry = due.change
    candidate = known_candidate(context, router, entry.candidate_hash)
    if candidate.model.flowspec is not None:
        raise CommandError(
            f"router {router.name}: what is approved was made to be announced by FlowSpec; run the night again, and "
            "approve what it proposes"
        )
    from_hash = approved_transition_to(context, router, due).from_hash
    order = _between(context, router, from_hash, candidate, entry.day)
    with reading(context.database) as session:
        return replace(order, is_known=deliveries.is_run(session, entry))


def _between(
    context: Context, router: Router, from_hash: str | None, candidate: Candidate, day: date | None, *,
    only_finishes: bool = False,
) -> Order:  # fmt: skip
    chosen = context.settings.delivery
    return Order(
        router.name,
        known_candidate(context, router, from_hash).text if from_hash else None,
        candidate.text,
        day,
        chosen.confirm_minutes,
        partial(_verify, context, router, candidate),
        partial(_record, context, router, day, candidate.hash),
        only_finishes=only_finishes,
        judge=partial(_judge, candidate),
    )


def _order_of(context: Context, router: Router, begun: Entry) -> Order:
    """The order that an earlier call began, to be finished alone."""
    if begun.after_sha256 is None:
        raise CommandError(
            f"router {router.name}: a withdrawal has not ended; run `hntes router remove --commit` again"
        )
    candidate = known_candidate(context, router, begun.after_sha256)
    return _between(context, router, begun.before_sha256, candidate, begun.day, only_finishes=True)


def _verify(context: Context, router: Router, candidate: Candidate, device: Device) -> None:
    check_part(device.dialect, device.running(), candidate.text)
    check_effect(device.dialect, device.inherited(), candidate.text, candidate.model.interfaces)
    if router.delivery:
        run_probes(router.name, router.delivery.probes, context.settings.delivery.probe_timeout_s)


def _judge(candidate: Candidate, dialect: Dialect, configuration: str) -> None:
    check_effect(dialect, configuration, candidate.text, candidate.model.interfaces)


def _record(context: Context, router: Router, day: date | None, candidate_hash: str, step: str) -> None:
    with transaction(context.database) as session:
        audit.append(session, NewEvent("push", router.name, day, candidate_hash, outcome=step))


def _report(context: Context, router: Router, candidate_hash: str | None, day: date | None) -> None:
    if candidate_hash is not None and day is not None:
        with transaction(context.database) as session:
            deliveries.report_pushed(session, InForceEntry(router.name, candidate_hash, day), WHO)
    elif candidate_hash is not None:
        with transaction(context.database) as session:
            deliveries.report_reduced(session, router.name, candidate_hash, WHO, "withdrawal of a pair, finished")


def _require_wanted(context: Context, router: Router, entry: Change) -> None:
    with reading(context.database) as session:
        events = audit.events(session, router.name, (*REPORTS, REMOVAL))
    # a day's rules are approved once: with them, whatever is reserved was withdrawn
    was_delivered = any(each.day == entry.day for each in events)
    if was_delivered and (events[-1].kind == REMOVAL or deliveries.is_reduction(events[-1])):
        raise CommandError(
            f"router {router.name}: what is approved, or a pair of it, was withdrawn from it; approve another change, "
            "or deliver with --again"
        )
