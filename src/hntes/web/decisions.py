"""Decisions by forms of the page, each bound to the candidate that was shown."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hntes import clock
from hntes.sanitize import text_problem
from hntes.settings.model import Router
from hntes.sql.decisions import Verdict
from hntes.web.change import NO_BASE, NO_END, change_address, change_values, found_nightly, found_scheduled
from hntes.web.dashboard import dashboard_values
from hntes.web.deciding import Shown, give_verdict
from hntes.web.errors import RefusedError
from hntes.web.form import Form, read_form
from hntes.web.request import Visit, acting, parsed_day
from hntes.workflow.review.approve_passed import ApprovalRequest, approve_all_passed
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

routes = APIRouter()
OwnForm = Annotated[Form, Depends(read_form)]
SEE_OTHER, CONFLICT = 303, 409
_PROPOSED_AGAIN = "nothing was recorded: it was proposed again since the page was loaded; review it again"
_HASH = re.compile(r"[0-9a-f]{64}")
VERDICTS: dict[str, Verdict] = {"approve": "approved", "reject": "rejected"}


@dataclass(frozen=True)
class Answer:
    """The result of one change of several."""

    router: str
    day: date
    is_taken: bool
    message: str


@routes.post("/change/{name}/{day}/{verb}")
def decide_nightly(request: Request, name: str, day: str, verb: str, form: OwnForm) -> Response:
    """Approves, rejects, defers, reopens, or acknowledges the new pairs of, one nightly change."""
    with acting(request, form) as visit:
        router = visit.router(name)
        entry = found_nightly(visit, router, day)
        if verb not in VERDICTS and verb not in _ASIDE:
            raise RefusedError(404, f"{verb!r} is an unknown action on a change")
        note_of(form)
        if verb in VERDICTS:
            return _verdict(visit, router, entry, VERDICTS[verb], form)
        try:
            return _ASIDE[verb](visit, router, entry, form)
        except AnotherCandidateError as problem:
            values = change_values(visit, router, problem.change, _PROPOSED_AGAIN)
            return visit.page("change.html.j2", values, status=CONFLICT)


@routes.post("/change/{name}/from/{base}/{moment}/{verb}")
def decide_scheduled(request: Request, name: str, base: str, moment: str, verb: str, form: OwnForm) -> Response:
    """Approves or rejects exactly the configuration and period of a scheduled change that the form was shown for."""
    with acting(request, form) as visit:
        if verb not in VERDICTS:
            raise RefusedError(404, f"{verb!r} is an unknown action on a scheduled change")
        note_of(form)
        router = visit.router(name)
        return _verdict(visit, router, found_scheduled(visit, router, base, moment), VERDICTS[verb], form)


def _verdict(visit: Visit, router: Router, entry: Change, verdict: Verdict, form: Form) -> Response:
    binds_transition = verdict == "approved" and not entry.is_scheduled
    shown = Shown(
        whole_hash(form), _until_s(form) if entry.is_scheduled else None,
        transition=_transition(form) if binds_transition else "", confirmed=form.text("confirm"),
    )  # fmt: skip
    answer = give_verdict(visit.context, router, entry, verdict, shown, _person(visit, form))
    if answer.is_taken:
        return _shown_again(entry, _DECIDED)
    return visit.page(
        "change.html.j2", change_values(visit, router, answer.change, answer.explanation), status=CONFLICT
    )


def _person(visit: Visit, form: Form) -> Person:
    return Person(visit.visitor.name, note_of(form), visit.visitor.identity)


@routes.post("/approve")
def approve_ticked(request: Request, form: OwnForm) -> Response:
    """Approves the ticked changes of the dashboard separately; those that changed meanwhile are dropped by name."""
    with acting(request, form) as visit:
        ticked = dict.fromkeys(form.texts("change"))
        if not ticked:
            message = "nothing was approved: tick the changes first"
            return visit.page("dashboard.html.j2", dashboard_values(visit, message), status=400)
        requests = [*map(_ticked, ticked)]
        found = approve_all_passed(visit.context, requests, _person(visit, form), clock.now_ms())
        answers = [
            *(Answer(each.change.router, each.change.day, True, each.explanation) for each in found.approved),
            *(Answer(each.router, each.day, False, each.reason) for each in found.dropped),
        ]
        status = 200 if all(one.is_taken for one in answers) else CONFLICT
        return visit.page("answers.html.j2", {"answers": answers}, status=status)


def whole_hash(form: Form) -> str:
    """The hash of the candidate that the form was shown for.

    Raises:
        RefusedError: it is no hash, or incomplete.
    """
    candidate_hash = form.text("hash")
    if not _HASH.fullmatch(candidate_hash):
        raise RefusedError(400, "the form has no complete candidate hash: reload its page")
    return candidate_hash


def _transition(form: Form) -> str:
    """The identity of the transition that the form was shown for, or NO_TRANSITION.

    Raises:
        RefusedError: it is neither, so that nobody knows what was shown.
    """
    transition = form.text("transition")
    if transition != NO_TRANSITION and not _HASH.fullmatch(transition):
        raise RefusedError(400, "the form does not say which transition was shown: reload its page")
    return transition


def _seen(form: Form) -> Seen:
    """What the form was shown for.

    Raises:
        RefusedError: its candidate or what that replaces is missing.
    """
    base = form.text("base")
    if base != NO_BASE and not _HASH.fullmatch(base):
        raise RefusedError(400, "the form does not say what the candidate replaces: reload its page")
    return Seen(whole_hash(form), None if base == NO_BASE else base)


def _ticked(field: str) -> ApprovalRequest:
    """The candidate of a ticked box, and the transition that led to it when the page was loaded."""
    name, day, candidate_hash, transition = [*field.split(" "), "", "", ""][:4]
    if not _HASH.fullmatch(candidate_hash) or not _HASH.fullmatch(transition):
        raise RefusedError(400, "a ticked box has no complete hash of candidate and transition: reload the page")
    return ApprovalRequest(name, parsed_day(day, status=400), candidate_hash, transition=transition)


def _until_s(form: Form) -> int | None:
    """The end of a scheduled change that the form was shown for.

    Raises:
        RefusedError: it is none.
    """
    text = form.text("until")
    if text != NO_END and not re.fullmatch(r"[0-9]{1,12}", text):
        raise RefusedError(400, "the form does not have the end that was shown: reload its page")
    return None if text == NO_END else int(text)


def _acknowledged(visit: Visit, router: Router, entry: Change, form: Form) -> Response:
    number = form.text("new_pairs")
    if not re.fullmatch(r"[0-9]{1,9}", number):
        raise RefusedError(400, f"{number!r} is not a number of new pairs; enter the number of new pairs")
    acknowledge_new_pairs(visit.context, router, entry.day, int(number), _person(visit, form), seen=_seen(form))
    return _shown_again(entry, _TO_DECIDE)


def _held(visit: Visit, router: Router, entry: Change, form: Form) -> Response:
    until = parsed_day(form.text("until"), status=400)
    hold_change(visit.context, router, entry.day, until, _person(visit, form), seen=_seen(form))
    return _shown_again(entry, _DECIDED)


def _reopened(visit: Visit, router: Router, entry: Change, form: Form) -> Response:
    reopen_change(visit.context, router, entry.day, _person(visit, form), seen=_seen(form))
    return _shown_again(entry, _TO_DECIDE)


def _shown_again(entry: Change, part: str) -> Response:
    """Leads to a part of the change's page, where a keyboard goes on."""
    return RedirectResponse(f"{change_address(entry)}#{part}", SEE_OTHER)


# Parts of the change's page: what was decided, and what is to be decided.
_DECIDED, _TO_DECIDE = "decided", "deciding"
# What is no verdict.
_ASIDE = {"acknowledge": _acknowledged, "hold": _held, "reopen": _reopened}


def note_of(form: Form) -> str | None:
    """The operator's note.

    Raises:
        RefusedError: it is not one printable line.
    """
    note = form.text("note")
    if problem := text_problem(note):
        raise RefusedError(400, f"the note {problem}")
    return note or None
