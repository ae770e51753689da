"""Decisions that forms of the page ask for: each on the very candidate that was shown."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hntes import clock
from hntes.sanitize import text_problem
from hntes.settings.model import Router
from hntes.web.change import change_values, found_change
from hntes.web.errors import RefusedError
from hntes.web.form import Form, read_form
from hntes.web.request import Visit, acting, parsed_day
from hntes.workflow.review.approval_needs import unusual
from hntes.workflow.review.approve_passed import Wanted, approve_all_passed
from hntes.workflow.review.changes import ChangeSetEntry
from hntes.workflow.review.decide import Decision, acknowledge_new_pairs, decide, hold_change
from hntes.workflow.review.transition_approval import known_transition

routes = APIRouter()
OwnForm = Annotated[Form, Depends(read_form)]
SEE_OTHER, CONFLICT = 303, 409
TAKEN = ("decided", "waits_for_second")
_HASH = re.compile(r"[0-9a-f]{64}")
VERDICTS: dict[str, Literal["approved", "rejected"]] = {"approve": "approved", "reject": "rejected"}


@dataclass(frozen=True)
class Answer:
    """What became of one change of several."""

    router: str
    day: date
    is_taken: bool
    told: str


@routes.post("/change/{name}/{day}/{verb}")
def decide_one(request: Request, name: str, day: str, verb: str, form: OwnForm) -> Response:
    """Approves, rejects, holds until a day, or acknowledges the new pairs of, one change set."""
    with acting(request, form) as visit:
        router = visit.router(name)
        entry = found_change(visit, router, day)
        if verb not in VERDICTS and verb not in _ASIDE:
            raise RefusedError(404, f"{verb!r} is nothing that can be done with a change")
        note = note_of(form)
        if verb in _ASIDE:
            if whole_hash(form) != entry.candidate_hash:
                told = "nothing was recorded: it was proposed anew since the page was loaded; look at it again"
                return visit.page("change.html.j2", change_values(visit, router, entry, told), status=CONFLICT)
            return _ASIDE[verb](visit, router, entry, form)
        if verb == "approve" and (told := _not_yet(visit, router, entry, form)):
            return visit.page("change.html.j2", change_values(visit, router, entry, told), status=CONFLICT)
        decision = _decide(visit, router, entry, whole_hash(form), VERDICTS[verb], note)
        if decision.outcome in TAKEN:
            return RedirectResponse(f"/change/{router.name}/{entry.day}", SEE_OTHER)
        values = change_values(visit, router, decision.change_set, decision.explanation)
        return visit.page("change.html.j2", values, status=CONFLICT)


@routes.post("/approve")
def approve_ticked(request: Request, form: OwnForm) -> Response:
    """Approves the ticked changes of the morning, each by itself; those that changed meanwhile drop out by name."""
    with acting(request, form) as visit:
        ticked, who = dict.fromkeys(form.texts("change")), visit.visitor
        if not ticked:
            raise RefusedError(400, "no change was ticked")
        found = approve_all_passed(
            visit.context, [*map(_ticked, ticked)], who.name, note_of(form), clock.now_ms(), identity=who.identity
        )
        answers = [
            *(Answer(each.change_set.router, each.change_set.day, True, each.explanation) for each in found.approved),
            *(Answer(each.router, each.day, False, each.reason) for each in found.dropped),
        ]
        status = 200 if all(one.is_taken for one in answers) else CONFLICT
        return visit.page("answers.html.j2", {"answers": answers}, status=status)


def _not_yet(visit: Visit, router: Router, entry: ChangeSetEntry, form: Form) -> str:
    """What an approval still needs of the person who sent it, as a sentence; "" if nothing."""
    reasons = unusual(visit.context, router, entry)
    if reasons and form.text("confirm") != router.name:
        return f"not approved: {'; '.join(reasons)}. Type the router's name, {router.name}, beside the button"
    shown = form.text("transition")
    # another candidate is refused for itself
    if shown and form.text("hash") == entry.candidate_hash:
        known = known_transition(visit.context, router, entry)
        if known is not None and known.now is not None and known.now.identity != shown:
            return "not approved: what was delivered last has changed since the page was loaded; look at the transition"
    return ""


def whole_hash(form: Form) -> str:
    """The hash of the candidate that the form was shown for.

    Raises:
        RefusedError: it is none, or not whole.
    """
    candidate_hash = form.text("hash")
    if not _HASH.fullmatch(candidate_hash):
        raise RefusedError(400, "the form names no candidate by its whole hash: load its page again")
    return candidate_hash


def _ticked(field: str) -> Wanted:
    """What a box of the morning stands for."""
    name, day, candidate_hash = [*field.split(" "), "", ""][:3]
    if not _HASH.fullmatch(candidate_hash):
        raise RefusedError(400, "a ticked box names no candidate by its whole hash: load the page again")
    return Wanted(name, parsed_day(day, status=400), candidate_hash)


def _decide(
    visit: Visit, router: Router, entry: ChangeSetEntry, candidate_hash: str,
    state: Literal["approved", "rejected"], note: str | None,
) -> Decision:  # fmt: skip
    who = visit.visitor
    return decide(
        visit.context, router, entry.day, candidate_hash, state, who.name, note, clock.now_ms(), identity=who.identity
    )


def _acknowledged(visit: Visit, router: Router, entry: ChangeSetEntry, form: Form) -> Response:
    number = form.text("new_pairs")
    if not re.fullmatch(r"[0-9]{1,9}", number):
        raise RefusedError(400, f"{number!r} is not a number of new pairs: count them, and write their number")
    who = visit.visitor
    acknowledge_new_pairs(visit.context, router, entry.day, int(number), who.name, note_of(form), identity=who.identity)
    return RedirectResponse(f"/change/{router.name}/{entry.day}", SEE_OTHER)


def _held(visit: Visit, router: Router, entry: ChangeSetEntry, form: Form) -> Response:
    until, who = parsed_day(form.text("until"), status=400), visit.visitor
    hold_change(visit.context, router, entry.day, until, who.name, note_of(form) or "", identity=who.identity)
    return RedirectResponse(f"/change/{router.name}/{entry.day}", SEE_OTHER)


# What is no verdict.
_ASIDE = {"acknowledge": _acknowledged, "hold": _held}


def note_of(form: Form) -> str | None:
    """What a person wrote beside the button.

    Raises:
        RefusedError: it is not one printable line.
    """
    note = form.text("note")
    if problem := text_problem(note):
        raise RefusedError(400, f"the note {problem}")
    return note or None
