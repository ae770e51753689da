"""The texts and figures of a change for programs, each as a file."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from hntes.settings.model import Router
from hntes.web.api.caller import Reader
from hntes.web.api.describing import Base, Day, Instant, RouterName, answers
from hntes.web.api.texts import Described
from hntes.web.change import found_nightly, found_scheduled
from hntes.web.errors import RefusedError
from hntes.web.headers import FIGURE_POLICY
from hntes.web.lost_texts import reading_texts
from hntes.workflow.context import Context
from hntes.workflow.review.changes import Change
from hntes.workflow.review.figures import gate_figures
from hntes.workflow.review.transition_approval import known_transition
from hntes.workflow.review.view import ReviewView, changed_texts, text_difference

routes = APIRouter(prefix="/api/changes/{router}", tags=["changes"])
FileName = Annotated[
    str, Path(max_length=64, description="One of `files` of the change."),
    Described(r"(?:difference|candidate|base|transition)\.txt|figure-[1-9][0-9]*\.svg"),
]  # fmt: skip
_TEXT, _SVG = "text/plain", "image/svg+xml"
_SCHEMA = {"schema": {"type": "string"}}
_ANSWERS = {
    **answers(400, 404),
    200: {"description": "The file.", "content": {f"{_TEXT}; charset=utf-8": _SCHEMA, _SVG: _SCHEMA}},
}


@routes.get("/{day}/files/{name}", summary="Get a file", response_class=Response, responses=_ANSWERS)
def nightly(caller: Reader, router: RouterName, day: Day, name: FileName) -> Response:
    """A file of a nightly change: `difference.txt`, `candidate.txt`, `base.txt`, `transition.txt`, `figure-N.svg`."""
    with caller.reading() as visit:
        chosen = visit.router(router)
        return _file(visit.context, chosen, found_nightly(visit, chosen, day), name)


@routes.get(
    "/from/{base}/{instant}/files/{name}", summary="Get a file of a scheduled change", response_class=Response,
    responses=_ANSWERS,
)  # fmt: skip
def scheduled(caller: Reader, router: RouterName, base: Base, instant: Instant, name: FileName) -> Response:
    """A file of a scheduled change: `difference.txt`, `candidate.txt`, `base.txt`, `figure-N.svg`."""
    with caller.reading() as visit:
        chosen = visit.router(router)
        return _file(visit.context, chosen, found_scheduled(visit, chosen, base, instant), name)


def file_names(context: Context, router: Router, view: ReviewView) -> tuple[str, ...]:
    """The names of the files that a change has."""
    figures = gate_figures(context, router, view.change)
    return (
        *(() if view.lost else ("difference.txt", "candidate.txt")), *(("base.txt",) if view.base else ()),
        *(("transition.txt",) if view.transition and view.transition.now else ()),
        *(f"figure-{number}.svg" for number in range(1, len(figures) + 1)),
    )  # fmt: skip


def _file(context: Context, router: Router, entry: Change, name: FileName) -> Response:
    if name in _TEXTS:
        with reading_texts(context, entry):
            text = _TEXTS[name](context, router, entry)
        if text is not None:
            return Response(text, media_type=f"{_TEXT}; charset=utf-8")
    for number, each in enumerate(gate_figures(context, router, entry), 1):
        if name == f"figure-{number}.svg":
            # it has inline styles, which pages may not have
            return Response(each.svg, media_type=_SVG, headers={"Content-Security-Policy": FIGURE_POLICY})
    raise RefusedError(404, f"the change has no file {name!r}; its document lists them")


def _difference(context: Context, router: Router, entry: Change) -> str:
    found = text_difference(context, router, entry)
    return f"{found}\n" if found else ""


def _candidate(context: Context, router: Router, entry: Change) -> str:
    return changed_texts(context, router, entry)[1].text


def _base(context: Context, router: Router, entry: Change) -> str | None:
    base = changed_texts(context, router, entry)[0]
    return base.text if base else None


def _transition(context: Context, router: Router, entry: Change) -> str | None:
    known = None if entry.is_scheduled else known_transition(context, router, entry)
    return known.now.text if known and known.now else None


_TEXTS: dict[str, Callable[[Context, Router, Change], str | None]] = {
    "difference.txt": _difference, "candidate.txt": _candidate, "base.txt": _base, "transition.txt": _transition,
}  # fmt: skip
