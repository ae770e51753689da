"""What belongs to a change and is not on its page itself: the gate's figures, and whole texts of any length."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes.web.change import found_change
from hntes.web.errors import RefusedError
from hntes.web.headers import FIGURE_POLICY
from hntes.web.request import visiting
from hntes.workflow.review.change_parts import changed_pairs, gate_figures
from hntes.workflow.review.change_text import change_text
from hntes.workflow.review.transition_approval import known_transition

routes = APIRouter()


@routes.get("/change/{name}/{day}/figure/{number}")
def figure(request: Request, name: str, day: str, number: str) -> Response:
    """One of the gate's figures, counted from 1, as SVG."""
    with visiting(request) as visit:
        router = visit.router(name)
        figures = gate_figures(visit.context, router, found_change(visit, router, day))
    by_number = {str(count): each for count, each in enumerate(figures, 1)}
    if number not in by_number:
        raise RefusedError(404, "the gate's report on this candidate has no such figure")
    # drawn with styles of its own, which pages may not have
    return Response(
        by_number[number].svg, media_type="image/svg+xml", headers={"Content-Security-Policy": FIGURE_POLICY}
    )


@routes.get("/change/{name}/{day}/pairs.txt")
def pairs_text(request: Request, name: str, day: str) -> Response:
    """All pairs: those that come, those that go, those that stay."""
    with visiting(request) as visit:
        router = visit.router(name)
        return _text(changed_pairs(visit.context, router, found_change(visit, router, day)).text)


@routes.get("/change/{name}/{day}/difference.txt")
def difference_text(request: Request, name: str, day: str) -> Response:
    """The whole difference of the two configurations."""
    with visiting(request) as visit:
        router = visit.router(name)
        _, difference = change_text(visit.context, router, found_change(visit, router, day))
        return _text(f"{difference}\n" if difference else "")


@routes.get("/change/{name}/{day}/transition.txt")
def transition_text(request: Request, name: str, day: str) -> Response:
    """The commands that lead to the candidate from what was delivered last."""
    with visiting(request) as visit:
        router = visit.router(name)
        known = known_transition(visit.context, router, found_change(visit, router, day))
    if known is None:
        raise RefusedError(404, "the change neither waits nor is in force: nothing leads to it any more")
    if known.now is None:
        raise RefusedError(404, f"no transition can be made: {known.problem}")
    return _text(known.now.text)


def _text(text: str) -> Response:
    return Response(text, media_type="text/plain; charset=utf-8")
