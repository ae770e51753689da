"""Approval of several changes by one request of a program, as by the ticked boxes of the dashboard."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import Response

from hntes import clock
from hntes.sql.change import Change, nightly_id
from hntes.web.api.bodies import Body, reader_of
from hntes.web.api.caller import Decider
from hntes.web.api.decision_documents import BaseHash, CandidateHash, TransitionHash
from hntes.web.api.decisions import person_of
from hntes.web.api.describing import answers, body_of
from hntes.web.api.problem import Problem, document_of, plain
from hntes.web.api.texts import Day, Line, RouterName
from hntes.web.errors import RefusedError
from hntes.web.request import Visit, parsed_day
from hntes.workflow.change_lookup import change_of
from hntes.workflow.errors import expected
from hntes.workflow.review.approve_passed import ApprovalRequest, Approvals, approve_all_passed
from hntes.workflow.review.transition_approval import NO_TRANSITION

routes = APIRouter(prefix="/api/changes", tags=["decisions"])
# As many as fit into a document with the longest names.
MOST_CHANGES = 40


class SeenChange(Body):
    """A nightly change to approve, as it was seen."""

    router: RouterName
    day: Annotated[Day, Field(description="Day of the change (UTC).")]
    candidate_hash: CandidateHash
    base_hash: BaseHash
    transition_hash: TransitionHash


class BulkApprovalBody(Body):
    """Approves several changes, each on its own, with one note."""

    changes: Annotated[
        list[SeenChange],
        Field(
            min_length=1,
            max_length=MOST_CHANGES,
            json_schema_extra={"uniqueItems": True},
            description="Each router and day once.",
        ),
    ]
    note: Line = ""


@dataclass(frozen=True)
class ApprovalResult:
    """What became of one change.

    Attributes:
        change_id: The change.
        router: Its router.
        day: Its day.
        is_approved: Whether it was approved.
        outcome: In a word: `decided`; as of one decision (`stale_hash`, `already_decided`, `expired`, `gate`, `held`,
            `transition`); `individual`, `deferred`, `second_person`: it is decided on its own; `refused`: it is not
            there, or its candidate cannot be used; `unknown`, `not_tried`: the database failed.
        explanation: In a sentence.
        candidate_hash: Of the change as it is now, null if there is none, or it cannot be read.
        base_hash: The same.
    """

    change_id: str
    router: str
    day: date
    is_approved: bool
    outcome: str
    explanation: str
    candidate_hash: str | None
    base_hash: str | None


@dataclass(frozen=True)
class BulkApprovalAnswer:
    """All were approved; `results` are in the order of the request."""

    results: tuple[ApprovalResult, ...]


class PartlyRefused(Problem):
    """At least one was not approved; `results` say which, and why, in the order of the request."""

    results: list[ApprovalResult]


@routes.post(
    "/approve", summary="Approve several", openapi_extra=body_of(BulkApprovalBody),
    responses=answers(400, 409, 413, 415, 422, conflict=PartlyRefused, ok_200=BulkApprovalAnswer),
)  # fmt: skip
def approve_several(
    caller: Decider, asked: Annotated[BulkApprovalBody, Depends(reader_of(BulkApprovalBody))]
) -> Response:  # fmt: skip
    """Approves nightly changes that the gate has passed and that need nothing else, each on its own.

    One that is unusual, of incomplete flow data, after a rejected one, deferred, held for its new pairs, or lacks a
    first approval is left, like one that is not what was seen, and does not hold up the others. Each counts as a
    change of the token. 409 if any was left.
    """
    requests = _requests(asked)
    by = person_of(caller, asked.note)
    with caller.deciding(len(requests)) as visit:
        found = approve_all_passed(visit.context, requests, by, clock.now_ms())
        results = tuple(_result(visit, each, found) for each in requests)
    if found.dropped:
        said = f"{len(found.approved)} of {len(results)} changes were approved; results say why the others were not"
        raise RefusedError(409, said, members={"results": plain(tuple[ApprovalResult, ...], results)})
    return document_of(BulkApprovalAnswer, BulkApprovalAnswer(results))


def _requests(asked: BulkApprovalBody) -> list[ApprovalRequest]:
    """What is asked for.

    Raises:
        RefusedError: a day is none, or a change is named twice.
    """
    found = [
        ApprovalRequest(
            each.router, parsed_day(each.day, status=422), each.candidate_hash, each.base_hash,
            each.transition_hash or NO_TRANSITION,
        )
        for each in asked.changes
    ]  # fmt: skip
    if len({(each.router, each.day) for each in found}) < len(found):
        raise RefusedError(422, "changes: a router and day is named twice")
    return found


def _result(visit: Visit, asked: ApprovalRequest, found: Approvals) -> ApprovalResult:
    about, change_id = (asked.router, asked.day), nightly_id(asked.router, asked.day)
    for decision in found.approved:
        if (decision.change.router, decision.change.day) == about:
            now, said = decision.change, decision.explanation
            return ApprovalResult(change_id, *about, True, "decided", said, now.candidate_hash, now.base_hash)
    (skipped,) = (each for each in found.dropped if (each.router, each.day) == about)
    present = _present(visit, asked)
    hashes = (present.candidate_hash, present.base_hash) if present else (None, None)
    return ApprovalResult(change_id, *about, False, skipped.outcome, skipped.reason, *hashes)


def _present(visit: Visit, asked: ApprovalRequest) -> Change | None:
    """The change as it is now; also None where a database fails only now: what was approved must still be told."""
    try:
        return change_of(visit.context, asked.router, asked.day)
    except expected():
        return None
