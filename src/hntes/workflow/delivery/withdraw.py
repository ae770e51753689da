"""All of HNTES is removed from a router, from settings and files alone; the audit log is told when it can be."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, replace

from hntes.delivery.access import opener
from hntes.delivery.journal import Journal
from hntes.delivery.push import push
from hntes.delivery.request import Order, Pace, Pushed
from hntes.delivery.verify import check_part
from hntes.etl.locks import locked
from hntes.platforms.device import Device
from hntes.rules.changeset.candidate import read_candidate
from hntes.settings import Settings
from hntes.settings.model import Router
from hntes.sql import approved_texts, audit, deliveries
from hntes.sql.audit import NewEvent
from hntes.sql.session import Session, transaction
from hntes.workflow.candidates import text_entry
from hntes.workflow.context import Context
from hntes.workflow.delivery.flowspec_delivery import withdraw_announced
from hntes.workflow.delivery.withdrawal_steps import Step, WithdrawalSteps

_REMOVED = ("kept", "held")
_WHO = "hntes router remove"


def withdraw_router(settings: Settings, router: Router, pace: Pace, *, commit: bool) -> Pushed:
    """Removes what is HNTES' own from a router, whatever it is; without `commit` it only shows that.

    The router takes the removal on trial, is asked over a second connection, and keeps it.

    Raises:
        DeliveryError: see `delivery.push.push`; or there is no driver for it, or no [routers.delivery].
        LockedError: another process delivers to this router.
    """
    record = WithdrawalSteps(settings.paths.output, router.name).add
    with locked(settings.paths.output / router.name / ".locks" / "push", f"push to {router.name}", wait_s=1.0):
        pushed = _withdrawn(settings, router, pace, record, commit=commit)
        if commit and pushed.outcome == "held":
            record("held")
    return pushed


def _withdrawn(
    settings: Settings, router: Router, pace: Pace, record: Callable[[str], None], *, commit: bool
) -> Pushed:  # fmt: skip
    if router.flowspec is not None:
        return withdraw_announced(settings, router, router.flowspec, record, commit=commit)
    order = Order(
        router.name, None, None, None, settings.delivery.confirm_minutes, _check_nothing, record, takes_anything=True
    )
    journal = Journal(settings.paths.output / router.name / "delivery" / "journal.json")
    return push(order, opener(router, settings.delivery.timeout_s), journal, pace, commit=commit)


def record_withdrawals(context: Context, router: Router) -> int:
    """Tells the audit log of withdrawals that it has not heard of; returns how many steps.

    Raises:
        CandidateStoreError: the text without a withdrawn pair is lost.
        CommandError: the file that holds them is not one that was written here.
    """
    waiting = WithdrawalSteps(context.output, router.name)
    with waiting.locked():
        steps = waiting.read()
        if not steps:
            return 0
        with transaction(context.database) as session:
            known = {each.content_hash for each in audit.events(session, router.name, ("push",))}
            for each in steps:
                if _content_hash(each) not in known:
                    _record(context, session, router, each)
        waiting.path.unlink()
    return len(steps)


def _record(context: Context, session: Session, router: Router, made: Step) -> None:
    """One step, and where the router was seen to hold less, what it holds since."""
    what = f"withdrawal of {made.pair}" if made.pair else "withdrawal"
    note = f"{what}, {made.time}, {made.who}: {made.step}"
    if made.candidate_hash is not None:
        held = read_candidate(context.output / router.name, made.candidate_hash)
        approved_texts.keep(session, text_entry(held))
    event = NewEvent("push", router.name, None, made.candidate_hash, outcome=made.step, note=note)
    audit.append(session, replace(event, content_hash=_content_hash(made)))
    if made.step not in _REMOVED:
        return
    if made.candidate_hash is None:
        deliveries.report_removed(session, router.name, _WHO, note)
    else:
        deliveries.report_reduced(session, router.name, made.candidate_hash, _WHO, note)


def _content_hash(made: Step) -> str:
    """Names a step, so that it is recorded once."""
    return hashlib.sha256(json.dumps(asdict(made), sort_keys=True).encode()).hexdigest()


def _check_nothing(device: Device) -> None:
    check_part(device.dialect, device.running(), None)
