"""The page of one text at an edge of the reservations' calendar: what it reserves, the gate's word, the decision."""

from collections.abc import Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hntes.format import minute, rfc3339
from hntes.settings.model import Router
from hntes.timestamps import MomentError, moment_s
from hntes.web.change import MOST_DIFF_LINES, diff_parts
from hntes.web.decisions import CONFLICT, SEE_OTHER, TAKEN, VERDICTS, note_of, whole_hash
from hntes.web.errors import RefusedError
from hntes.web.form import Form, read_form
from hntes.web.headers import FIGURE_POLICY
from hntes.web.request import Visit, acting, visiting
from hntes.workflow.reservations.edge_changes import EdgeChangeEntry, edge_of
from hntes.workflow.review.edge_decisions import decide_edge
from hntes.workflow.review.edge_shown import edge_figures, shown_edge
from hntes.workflow.review.gate_lines import gate_lines

routes = APIRouter()
OwnForm = Annotated[Form, Depends(read_form)]
NO_END = "-"


def edge_address(entry: EdgeChangeEntry) -> str:
    """The address of its page."""
    return f"/edge/{entry.router}/{entry.base_hash}/{rfc3339(entry.from_s * 1000)}"


@routes.get("/edge/{name}/{base}/{moment}")
def edge(request: Request, name: str, base: str, moment: str) -> Response:
    """One text, from one instant on."""
    with visiting(request) as visit:
        router, entry = _found(visit, name, base, moment)
        return visit.page("edge.html.j2", _values(visit, router, entry))


@routes.get("/edge/{name}/{base}/{moment}/figure/{number}")
def figure(request: Request, name: str, base: str, moment: str, number: str) -> Response:
    """One of the gate's figures, counted from 1, as SVG."""
    with visiting(request) as visit:
        figures = edge_figures(visit.context, *_found(visit, name, base, moment))
    by_number = {str(count): each for count, each in enumerate(figures, 1)}
    if number not in by_number:
        raise RefusedError(404, "the gate's report on this text has no such figure")
    return Response(
        by_number[number].svg, media_type="image/svg+xml", headers={"Content-Security-Policy": FIGURE_POLICY}
    )


@routes.post("/edge/{name}/{base}/{moment}/{verb}")
def decide_one(request: Request, name: str, base: str, moment: str, verb: str, form: OwnForm) -> Response:
    """Approves or rejects the very text and stretch that the form was shown for."""
    with acting(request, form) as visit:
        if verb not in VERDICTS:
            raise RefusedError(404, f"{verb!r} is nothing that can be done with a text at an edge")
        note = note_of(form)
        router, entry = _found(visit, name, base, moment)
        told = _decided(visit, router, entry, VERDICTS[verb], form, note)
        if not told:
            return RedirectResponse(edge_address(entry), SEE_OTHER)
        present = edge_of(visit.context, router, entry.base_hash, entry.from_s) or entry
        return visit.page("edge.html.j2", _values(visit, router, present, told), status=CONFLICT)


def _decided(
    visit: Visit, router: Router, entry: EdgeChangeEntry, state: Literal["approved", "rejected"], form: Form,
    note: str | None,
) -> str:  # fmt: skip
    """Why nothing was decided; "" if it was."""
    if whole_hash(form) != entry.candidate_hash or form.text("until") != _until(entry):
        return "not decided: it has changed since the page was loaded; look at it again"
    who = visit.visitor
    decision = decide_edge(visit.context, router, entry, state, who.name, note, identity=who.identity)
    return "" if decision.outcome in TAKEN else decision.explanation


def _found(visit: Visit, name: str, base: str, moment: str) -> tuple[Router, EdgeChangeEntry]:
    """The router and its edge change.

    Raises:
        RefusedError: there is no such router or edge change.
    """
    router = visit.router(name)
    try:
        from_s = moment_s(moment)
    except MomentError as cause:
        raise RefusedError(404, str(cause)) from cause
    entry = edge_of(visit.context, router, base, from_s)
    if entry is None or edge_address(entry) != f"/edge/{name}/{base}/{moment}":
        raise RefusedError(404, f"router {router.name} has no text at an edge for {moment} on these rules")
    return router, entry


def _until(entry: EdgeChangeEntry) -> str:
    return NO_END if entry.until_s is None else rfc3339(entry.until_s * 1000)


def _values(visit: Visit, router: Router, entry: EdgeChangeEntry, told: str = "") -> Mapping[str, object]:
    """All that the page shows; `told` is what became of a refused decision."""
    found = shown_edge(visit.context, router, entry)
    lines = found.difference.split("\n") if found.difference else []
    return {
        "entry": entry,
        "address": edge_address(entry),
        "told": told,
        "found": found,
        "objections": found.objections,
        "start": minute(entry.from_s * 1000),
        "end": "something else is reserved" if entry.until_s is None else f"{minute(entry.until_s * 1000)} UTC",
        "until": _until(entry),
        "gate": gate_lines(visit.context, entry.change_set),
        "figures": edge_figures(visit.context, router, entry),
        "diff": diff_parts(lines[:MOST_DIFF_LINES]),
        "diff_count": len(lines),
        "diff_left": max(len(lines) - MOST_DIFF_LINES, 0),
    }
