"""Decisions on changes by programs, through the functions of the page's forms."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

from fastapi import APIRouter, Depends
from starlette.responses import Response

from hntes.sanitize import text_problem
from hntes.settings.model import Router
from hntes.sql.decisions import Verdict
from hntes.timestamps import TimestampError, parse_timestamp
from hntes.web.api.bodies import reader_of
from hntes.web.api.caller import Caller, Decider
from hntes.web.api.decision_documents import (
    AcknowledgeBody,
    ApproveBody,
    DecisionAnswer,
    DeferBody,
    RefusedDecision,
    RejectBody,
    ReopenBody,
    ScheduledApproveBody,
    ScheduledRejectBody,
)
from hntes.web.api.describing import Base, Day, Instant, RouterName, answers, body_of
from hntes.web.api.problem import document_of
from hntes.web.change import found_nightly, found_scheduled
from hntes.web.deciding import Shown, give_verdict
from hntes.web.errors import RefusedError
from hntes.web.request import Visit, parsed_day
from hntes.workflow.review.approval_needs import unusual
from hntes.workflow.review.changes import Change
from hntes.workflow.review.decide import (
    AnotherCandidateError,
    Person,
    Seen,
    acknowledge_new_pairs,
    hold_change,
    reopen_change,
)
from hntes.workflow.review.transition_approval import NO_TRANSITION

routes = APIRouter(prefix="/api/changes/{router}", tags=["decisions"])
_NIGHTLY, _SCHEDULED = "/{day}", "/from/{base}/{instant}"
_ANSWERS: dict[str, Any] = {
    "responses": answers(400, 404, 409, 413, 415, 422, conflict=RefusedDecision, ok_200=DecisionAnswer)
}


@routes.post(f"{_NIGHTLY}/approve", summary="Approve", openapi_extra=body_of(ApproveBody), **_ANSWERS)
def approve(
    caller: Decider, router: RouterName, day: Day, asked: Annotated[ApproveBody, Depends(reader_of(ApproveBody))]
) -> Response:
    """Approves the candidate and the transition to it, if the gate has passed it; 409 if it is not what was seen.

    Where two people must approve, the token counts as its owner, and the first approval waits for the second.
    """
    shown = Shown(
        asked.candidate_hash, base_hash=asked.base_hash, transition=asked.transition_hash or NO_TRANSITION,
        confirmed=asked.confirm,
    )  # fmt: skip
    with caller.deciding() as visit:
        chosen = visit.router(router)
        entry, by = found_nightly(visit, chosen, day), person_of(caller, asked.note)
        return _verdict(visit, chosen, entry, "approved", shown, by)


@routes.post(f"{_NIGHTLY}/reject", summary="Reject", openapi_extra=body_of(RejectBody), **_ANSWERS)
def reject(
    caller: Decider, router: RouterName, day: Day, asked: Annotated[RejectBody, Depends(reader_of(RejectBody))]
) -> Response:
    """Rejects the candidate."""
    shown = Shown(asked.candidate_hash, base_hash=asked.base_hash)
    with caller.deciding() as visit:
        chosen = visit.router(router)
        entry, by = found_nightly(visit, chosen, day), person_of(caller, asked.note)
        return _verdict(visit, chosen, entry, "rejected", shown, by)


@routes.post(f"{_NIGHTLY}/defer", summary="Defer", openapi_extra=body_of(DeferBody), **_ANSWERS)
def defer(
    caller: Decider, router: RouterName, day: Day, asked: Annotated[DeferBody, Depends(reader_of(DeferBody))]
) -> Response:
    """Defers the change until a day, on which it is asked about again."""
    until = parsed_day(asked.until, status=422)
    with caller.deciding() as visit:
        chosen, entry, seen = _seen(visit, router, day, asked)
        by = person_of(caller, asked.note)
        with _only_what_was_seen():
            return _recorded("held", hold_change(visit.context, chosen, entry.day, until, by, seen=seen))


@routes.post(f"{_NIGHTLY}/reopen", summary="Reopen", openapi_extra=body_of(ReopenBody), **_ANSWERS)
def reopen(
    caller: Decider, router: RouterName, day: Day, asked: Annotated[ReopenBody, Depends(reader_of(ReopenBody))]
) -> Response:
    """Takes back a rejection until the night of a later day has proposed a change, or ends a deferral."""
    with caller.deciding() as visit:
        chosen, entry, seen = _seen(visit, router, day, asked)
        by = person_of(caller, asked.note)
        with _only_what_was_seen():
            return _recorded("reopened", reopen_change(visit.context, chosen, entry.day, by, seen=seen))


@routes.post(f"{_NIGHTLY}/acknowledge", summary="Acknowledge", openapi_extra=body_of(AcknowledgeBody), **_ANSWERS)
def acknowledge(
    caller: Decider, router: RouterName, day: Day,
    asked: Annotated[AcknowledgeBody, Depends(reader_of(AcknowledgeBody))],
) -> Response:  # fmt: skip
    """Acknowledges the number of new pairs of a change that is held for it."""
    with caller.deciding() as visit:
        chosen, entry, seen = _seen(visit, router, day, asked)
        by, number = person_of(caller, asked.note), asked.new_pairs
        with _only_what_was_seen():
            found = acknowledge_new_pairs(visit.context, chosen, entry.day, number, by, seen=seen)
            return _recorded("acknowledged", found)


@routes.post(
    f"{_SCHEDULED}/approve", summary="Approve a scheduled change", openapi_extra=body_of(ScheduledApproveBody),
    **_ANSWERS,
)  # fmt: skip
def approve_scheduled(
    caller: Decider, router: RouterName, base: Base, instant: Instant,
    asked: Annotated[ScheduledApproveBody, Depends(reader_of(ScheduledApproveBody))],
) -> Response:  # fmt: skip
    """Approves exactly this configuration for exactly this period."""
    return _scheduled(caller, (router, base, instant), "approved", asked)


@routes.post(
    f"{_SCHEDULED}/reject", summary="Reject a scheduled change", openapi_extra=body_of(ScheduledRejectBody),
    **_ANSWERS,
)  # fmt: skip
def reject_scheduled(
    caller: Decider, router: RouterName, base: Base, instant: Instant,
    asked: Annotated[ScheduledRejectBody, Depends(reader_of(ScheduledRejectBody))],
) -> Response:  # fmt: skip
    """Rejects a scheduled change."""
    return _scheduled(caller, (router, base, instant), "rejected", asked)


def _scheduled(
    caller: Caller, at: tuple[str, str, str], verdict: Verdict, asked: ScheduledApproveBody | ScheduledRejectBody
) -> Response:  # fmt: skip
    try:
        until_s = None if asked.end is None else parse_timestamp(asked.end)
    except TimestampError as cause:
        raise RefusedError(422, f"end: {cause}") from cause
    by = person_of(caller, asked.note)
    with caller.deciding() as visit:
        chosen = visit.router(at[0])
        entry = found_scheduled(visit, chosen, *at[1:])
        return _verdict(visit, chosen, entry, verdict, Shown(asked.candidate_hash, until_s, asked.base_hash), by)


def _verdict(visit: Visit, router: Router, entry: Change, verdict: Verdict, shown: Shown, by: Person) -> Response:
    answer = give_verdict(visit.context, router, entry, verdict, shown, by)
    if answer.outcome == "unconfirmed":
        reasons = "; ".join(unusual(entry))
        _refuse(answer.change, answer.outcome, f"not approved: {reasons}; give the router's name as `confirm`")
    if not answer.is_taken:
        _refuse(answer.change, answer.outcome, answer.explanation)
    return _answer(answer.outcome, answer.explanation, answer.change)


def _seen(
    visit: Visit, name: str, day: str, asked: DeferBody | ReopenBody | AcknowledgeBody
) -> tuple[Router, Change, Seen]:  # fmt: skip
    """The router, its nightly change, and what the caller saw of that."""
    router = visit.router(name)
    return router, found_nightly(visit, router, day), Seen(asked.candidate_hash, asked.base_hash)


@contextmanager
def _only_what_was_seen() -> Iterator[None]:
    """Refuses with the change as it is now, if it is not what the caller saw."""
    try:
        yield
    except AnotherCandidateError as problem:
        _refuse(problem.change, "stale_hash", str(problem))


def _recorded(outcome: str, entry: Change) -> Response:
    return _answer(outcome, f"change of {entry.router} on {entry.day}: {outcome}", entry)


def _answer(outcome: str, explanation: str, entry: Change) -> Response:
    return document_of(DecisionAnswer, DecisionAnswer(outcome, explanation, entry.change_id, entry))


def _refuse(entry: Change, outcome: str, explanation: str) -> NoReturn:
    seen = {"outcome": outcome, "candidate_hash": entry.candidate_hash, "base_hash": entry.base_hash}
    raise RefusedError(409, explanation, members=seen)


def person_of(caller: Caller, note: str) -> Person:
    """The token's owner with a note.

    Raises:
        RefusedError: the note is not one printable line.
    """
    if problem := text_problem(note):
        raise RefusedError(422, f"note: it {problem}")
    return caller.person(note.strip() or None)
