"""Exclusions and pins as forms: a preview first, then the entry."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hntes.format import counted
from hntes.web.form import Form, read_form, require_operator
from hntes.web.format import some_hosts
from hntes.web.overriding import SIDES, Kind, asked_override, override_previews, store_override
from hntes.web.pair import MOST_PAIRS, last_full_day
from hntes.web.request import acting, visiting
from hntes.workflow.review.decide import Person
from hntes.workflow.review.overrides import ALL_ROUTERS
from hntes.workflow.review.preview import RouterPreview

routes = APIRouter()
# So many pairs of each router are listed in any case.
LEAST_PAIRS = 5


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
            "kind": kind, "names": names, "all_routers": ALL_ROUTERS, "sides": tuple(SIDES), "given": given,
            "first": first, "previews": None, "some_hosts": some_hosts, "most_pairs": MOST_PAIRS,
        }  # fmt: skip
        if given.text("reason"):
            wanted = asked_override(visit, kind, given.text)
            previews = override_previews(visit.context, wanted, visit.visitor.name)
            rows_each = max(MOST_PAIRS // max(len(previews), 1), LEAST_PAIRS)
            values |= {"previews": previews, "wanted": wanted, "rows_each": rows_each, "total": _total(previews)}
        return visit.page("override.html.j2", values)


def _total(previews: Sequence[RouterPreview]) -> str:
    """The pairs whose rules change, by what becomes of them, in one line."""
    becomes = Counter(each.becomes for one in previews for each in one.pairs if each.becomes in ("added", "removed"))
    touched = sum(any(each.becomes in ("added", "removed") for each in one.pairs) for one in previews)
    rules = " and ".join(f"{counted(becomes[each], 'rule')} {each}" for each in ("removed", "added") if becomes[each])
    return f"{rules} on {counted(touched, 'router')}" if rules else "No rule is added or removed"


def _store(request: Request, form: Form, kind: Kind) -> Response:
    with acting(request, form) as visit:
        who = visit.visitor
        store_override(visit.context, asked_override(visit, kind, form.text), Person(who.name, identity=who.identity))
        return RedirectResponse(f"/log?kind={kind}", 303)
