"""Parts of a change with URLs of their own: the gate's figures, and full texts of any length."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes.settings.model import Router
from hntes.web.change import found_nightly, found_scheduled
from hntes.web.errors import RefusedError
from hntes.web.headers import FIGURE_POLICY
from hntes.web.lost_texts import reading_texts
from hntes.web.request import Visit, visiting
from hntes.workflow.review.changes import Change
from hntes.workflow.review.figures import gate_figures
from hntes.workflow.review.transition_approval import known_transition
from hntes.workflow.review.view import changed_pairs, text_difference

routes = APIRouter()


@routes.get("/change/{name}/{day}/figure/{number}")
def figure(request: Request, name: str, day: str, number: str) -> Response:
    """One of the gate's figures of a nightly change, counted from 1, as SVG."""
    with visiting(request) as visit:
        router = visit.router(name)
        return _figure(visit, router, found_nightly(visit, router, day), number)


@routes.get("/change/{name}/from/{base}/{moment}/figure/{number}")
def scheduled_figure(request: Request, name: str, base: str, moment: str, number: str) -> Response:
    """One of the gate's figures of a scheduled change."""
    with visiting(request) as visit:
        router = visit.router(name)
        return _figure(visit, router, found_scheduled(visit, router, base, moment), number)


@routes.get("/change/{name}/{day}/pairs.txt")
def pairs_text(request: Request, name: str, day: str) -> Response:
    """All pairs: added, removed, kept."""
    with visiting(request) as visit:
        router = visit.router(name)
        entry = found_nightly(visit, router, day)
        with reading_texts(visit.context, entry):
            found = changed_pairs(visit.context, router, entry)
    signed = (("+", found.added), ("-", found.removed), ("=", found.kept))
    return _text("".join(f"{sign} {pair}\n" for sign, pairs in signed for pair in pairs))


@routes.get("/change/{name}/{day}/difference.txt")
def difference_text(request: Request, name: str, day: str) -> Response:
    """The full diff of the two configurations."""
    with visiting(request) as visit:
        router = visit.router(name)
        return _difference(visit, router, found_nightly(visit, router, day))


@routes.get("/change/{name}/from/{base}/{moment}/difference.txt")
def scheduled_difference(request: Request, name: str, base: str, moment: str) -> Response:
    """The full diff of a scheduled change."""
    with visiting(request) as visit:
        router = visit.router(name)
        return _difference(visit, router, found_scheduled(visit, router, base, moment))


@routes.get("/change/{name}/{day}/transition.txt")
def transition_text(request: Request, name: str, day: str) -> Response:
    """The commands from the last delivered configuration to the candidate."""
    with visiting(request) as visit:
        router = visit.router(name)
        known = known_transition(visit.context, router, found_nightly(visit, router, day))
    if known is None:
        raise RefusedError(404, "the change is neither pending nor in force, so it has no transition any more")
    if known.now is None:
        raise RefusedError(404, f"no transition is possible: {known.problem}")
    return _text(known.now.text)


def _figure(visit: Visit, router: Router, entry: Change, number: str) -> Response:
    by_number = {str(count): each for count, each in enumerate(gate_figures(visit.context, router, entry), 1)}
    if number not in by_number:
        raise RefusedError(404, "the gate's report on this candidate has no such figure")
    # it has inline styles, which pages may not have
    return Response(
        by_number[number].svg, media_type="image/svg+xml", headers={"Content-Security-Policy": FIGURE_POLICY}
    )


def _difference(visit: Visit, router: Router, entry: Change) -> Response:
    with reading_texts(visit.context, entry):
        difference = text_difference(visit.context, router, entry)
    return _text(f"{difference}\n" if difference else "")


def _text(text: str) -> Response:
    return Response(text, media_type="text/plain; charset=utf-8")
