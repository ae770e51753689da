"""The page of deliveries: windows, routers, a push that is under way, and the rounds so far."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes.format import at
from hntes.web.request import visiting
from hntes.web.standing import standing_words
from hntes.workflow.reports.deliveries import RouterStanding, deliveries

routes = APIRouter()
MOST_EVENTS = 200
# While somebody follows a delivery: browsers ask again by themselves, without scripts.
FOLLOW_S = 5


@routes.get("/deliveries")
def page(request: Request, follow: str = "") -> Response:
    """The page; with ?follow=1 the browser asks again every few seconds."""
    with visiting(request) as visit:
        found = deliveries(visit.context, visit.context.settings.routers, most_events=MOST_EVENTS)
        values = {
            "found": found, "at": at, "state": state_words, "is_followed": follow == "1", "follow_s": FOLLOW_S,
            "commands": [each.router for each in found.routers if not each.progress.is_delivered],
        }  # fmt: skip
        response = visit.page("deliveries.html.j2", values)
    if follow == "1":
        response.headers["Refresh"] = str(FOLLOW_S)
    return response


def state_words(one: RouterStanding) -> tuple[str, bool]:
    """How far the approved configuration has come, and whether nothing is left to do."""
    if one.unfinished:
        return f"under way: {one.unfinished}", False
    return standing_words(one.progress, one.drift)
