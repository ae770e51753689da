"""Exclusions and pins: a preview first, then the entry."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hntes.sanitize import text_problem
from hntes.web.errors import RefusedError
from hntes.web.form import Form, read_form, require_operator
from hntes.web.format import some_hosts
from hntes.web.pair import MOST_PAIRS, last_full_day
from hntes.web.request import Visit, acting, parsed_day, visiting
from hntes.workflow.review.overrides import (
    ALL_ROUTERS,
    ExclusionEntry,
    PinEntry,
    Side,
    add_exclusion,
    add_pin,
    split_pair,
)
from hntes.workflow.review.preview import RouterPreview, preview_exclusion, preview_pin

routes = APIRouter()
Kind = Literal["exclude", "pin"]
_SIDES: dict[str, Side] = {"either": "either", "source": "source", "destination": "destination"}


@dataclass(frozen=True)
class OverrideRequest:
    """An override requested by a form. `what` is a prefix or a pair; `until` is None for a pin without end."""

    kind: Kind
    router: str
    what: str
    side: Side
    reason: str
    from_day: date
    until: date | None


@routes.get("/exclude")
def exclude(request: Request) -> Response:
    """The form for an exclusion, with a preview once it is filled in."""
    return _ask(request, "exclude")


@routes.get("/pin")
def pin(request: Request) -> Response:
    """The form for a pin, with a preview once it is filled in."""
    return _ask(request, "pin")


@routes.post("/exclude")
def store_exclusion(request: Request, form: Annotated[Form, Depends(read_form)]) -> Response:
    """Stores an exclusion."""
    return _store(request, form, "exclude")


@routes.post("/pin")
def store_pin(request: Request, form: Annotated[Form, Depends(read_form)]) -> Response:
    """Stores a pin."""
    return _store(request, form, "pin")


def _ask(request: Request, kind: Kind) -> Response:
    given = Form(tuple(request.query_params.multi_items()))
    with visiting(request) as visit:
        require_operator(visit.visitor)
        names = [each.name for each in visit.context.settings.routers]
        first = given.text("from") or last_full_day(visit).isoformat()
        values: dict[str, object] = {
            "kind": kind, "names": names, "all_routers": ALL_ROUTERS, "sides": tuple(_SIDES), "given": given,
            "first": first, "previews": None, "some_hosts": some_hosts, "most_pairs": MOST_PAIRS,
        }  # fmt: skip
        if given.text("reason"):
            wanted = _wanted(visit, given, kind)
            values |= {"previews": _previews(visit, wanted), "wanted": wanted}
        return visit.page("override.html.j2", values)


def _store(request: Request, form: Form, kind: Kind) -> Response:
    with acting(request, form) as visit:
        wanted, who = _wanted(visit, form, kind), visit.visitor
        if kind == "pin":
            add_pin(
                visit.context, wanted.router, wanted.what, owner=who.name, reason=wanted.reason,
                from_day=wanted.from_day, expires_day=wanted.until, identity=who.identity,
            )  # fmt: skip
        else:
            assert wanted.until is not None  # noqa: S101 - _wanted sees to it
            add_exclusion(
                visit.context, wanted.router, wanted.side, wanted.what, owner=who.name, reason=wanted.reason,
                from_day=wanted.from_day, expires_day=wanted.until, identity=who.identity,
            )  # fmt: skip
        return RedirectResponse(f"/log?kind={kind}", 303)


def _wanted(visit: Visit, form: Form, kind: Kind) -> OverrideRequest:
    """The request of the form.

    Raises:
        RefusedError: a field is missing or invalid.
    """
    router, side, reason = form.text("router"), form.text("side") or "either", form.text("reason")
    if kind == "pin" or router != ALL_ROUTERS:
        visit.router(router)
    if side not in _SIDES:
        raise RefusedError(400, f"{side!r} is not a side of a pair; choose source, destination or either")
    if not reason or text_problem(reason):
        raise RefusedError(400, f"the reason {text_problem(reason) or 'is missing: give one sentence'}")
    until = parsed_day(form.text("until"), status=400) if form.text("until") or kind == "exclude" else None
    from_day = parsed_day(form.text("from"), status=400) if form.text("from") else last_full_day(visit)
    return OverrideRequest(kind, router, form.text("what"), _SIDES[side], reason, from_day, until)


def _previews(visit: Visit, wanted: OverrideRequest) -> list[RouterPreview]:
    owner = visit.visitor.name
    if wanted.kind == "pin":
        source, destination = split_pair(wanted.what)
        entry = PinEntry(wanted.router, source, destination, owner, wanted.reason, wanted.from_day, wanted.until)
        return [preview_pin(visit.context, entry)]
    assert wanted.until is not None  # noqa: S101 - _wanted sees to it
    return preview_exclusion(
        visit.context,
        ExclusionEntry(wanted.router, wanted.side, wanted.what, owner, wanted.reason, wanted.from_day, wanted.until),
    )
