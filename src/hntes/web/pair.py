"""The page of a prefix pair, found by a host, a prefix or both ends: its rule, the reason, and its last months."""

from collections.abc import Mapping
from datetime import date

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes.settings.model import Router
from hntes.web.figures import strip
from hntes.web.pair_plots import pair_flows_plot, timeline_plot
from hntes.web.request import Visit, visiting
from hntes.workflow.reports.rule_use import use_of_pair
from hntes.workflow.review.pair_history import timeline_of
from hntes.workflow.review.queries import ExplainedPairs, explain_pairs

routes = APIRouter()

# Limit of the list; a narrower search finds the others.
MOST_PAIRS = 200
# The newest readings of its counters.
MOST_SPANS = 31
STRIP_DAYS, DAY_WIDTH, HEIGHT = 90, 7, 48


@routes.get("/pair")
def pair(request: Request, router: str = "", q: str = "") -> Response:
    """The search and its results."""
    with visiting(request) as visit:
        names = [each.name for each in visit.context.settings.routers]
        values: dict[str, object] = {
            "names": names,
            "wanted": router,
            "q": q,
            "found": None,
            "day": None,
            "most_pairs": MOST_PAIRS,
        }
        if q.strip():
            values |= _found(visit, visit.router(router), q)
        return visit.page("pair.html.j2", values)


def _found(visit: Visit, router: Router, q: str) -> Mapping[str, object]:
    day = last_full_day(visit)
    found = explain_pairs(visit.context, router, q, day, STRIP_DAYS)
    values: dict[str, object] = {"found": found, "day": day, "strip": _strip(found), "headlines": found.rows}
    if found.only is None:
        return values
    timeline = timeline_of(visit.context, router, found.only)
    return values | {
        "use": use_of_pair(visit.context, router, found.only.pair), "counted": timeline.counted[-MOST_SPANS:],
        "plots": [*filter(None, (timeline_plot(timeline), pair_flows_plot(found.only)))],
    }  # fmt: skip


def _strip(found: ExplainedPairs) -> object:
    if found.only is None:
        return None
    return strip(found.only.bytes_by_day, found.only.day, day_width=DAY_WIDTH, height=HEIGHT)


def last_full_day(visit: Visit) -> date:
    """The newest day that a night can have processed: yesterday, or later in a replay."""
    return visit.context.last_full_day
