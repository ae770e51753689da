"""The page of a change's texts: both configurations side by side, by pair, and the commands of the transition."""

from collections.abc import Mapping

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes.rules.lifetime.pair_search import PairSearch
from hntes.settings.model import Router
from hntes.web.change import change_address, found_nightly, found_scheduled
from hntes.web.difference import paged, parts_between
from hntes.web.lost_texts import reading_texts
from hntes.web.request import Visit, visiting
from hntes.workflow.review.changes import Change
from hntes.workflow.review.transition_approval import known_transition
from hntes.workflow.review.view import changed_texts, text_difference

routes = APIRouter()
# The commands of the transition that are on the page; all are at an address of their own.
MOST_COMMANDS = 300


@routes.get("/change/{name}/{day}/difference")
def nightly(request: Request, name: str, day: str, q: str = "", part: str = "1") -> Response:
    """The texts of a nightly change; with `q` only the parts about matching pairs."""
    with visiting(request) as visit:
        router = visit.router(name)
        return _page(visit, router, found_nightly(visit, router, day), q.strip(), part)


@routes.get("/change/{name}/from/{base}/{moment}/difference")
def scheduled(request: Request, name: str, base: str, moment: str, q: str = "", part: str = "1") -> Response:
    """The same of a scheduled change."""
    with visiting(request) as visit:
        router = visit.router(name)
        return _page(visit, router, found_scheduled(visit, router, base, moment), q.strip(), part)


def _page(visit: Visit, router: Router, entry: Change, q: str, part: str) -> Response:
    with reading_texts(visit.context, entry):
        texts, difference = changed_texts(visit.context, router, entry), text_difference(visit.context, router, entry)
    parts = parts_between(*texts, difference)
    search = PairSearch.parse(q) if q else None
    found = [each for each in parts if search is None or (each.pair is not None and search.finds(each.pair))]
    values: dict[str, object] = {
        "entry": entry, "address": change_address(entry), "q": q, "paged": paged(found, part),
        "added": sum(each.added for each in found), "removed": sum(each.removed for each in found),
        "is_equal": not parts, **_commands(visit, router, entry),
    }  # fmt: skip
    return visit.page("difference.html.j2", values)


def _commands(visit: Visit, router: Router, entry: Change) -> Mapping[str, object]:
    """The commands between the delivered text and the candidate; none for a scheduled change, or once it is over."""
    leading = None if entry.is_scheduled else known_transition(visit.context, router, entry)
    lines = leading.now.text.splitlines() if leading and leading.now else []
    return {
        "leading": leading, "commands": lines[:MOST_COMMANDS], "commands_left": max(len(lines) - MOST_COMMANDS, 0)
    }  # fmt: skip
