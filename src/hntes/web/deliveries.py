"""The page of deliveries: windows, routers, a push that is under way, and the rounds so far."""

from collections.abc import Mapping
from functools import partial

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from hntes.format import at
from hntes.web.following import FOLLOW_S, allow_events, event_stream, watching
from hntes.web.live.topic import Part
from hntes.web.page import part
from hntes.web.request import visiting
from hntes.web.site import Site, site_of
from hntes.web.standing import standing_words
from hntes.workflow.context import Context, one_moment, opened
from hntes.workflow.reports.deliveries import RouterStanding, deliveries

routes = APIRouter()
# Of deliveries, unless there are fewer; further ones are in the log.
SHOWN_EVENTS = 200
_LIVE = "deliveries_live.html.j2"


@routes.get("/deliveries")
def page(request: Request, follow: str = "") -> Response:
    """The page; with ?follow=1 it follows the progress by events, or where scripts are off by being loaded again."""
    is_followed = follow == "1"
    with visiting(request, is_watching=is_followed) as visit:
        values = {**_values(visit.context), "is_followed": is_followed, "follow_s": FOLLOW_S}
        response = visit.page("deliveries.html.j2", values)
    if is_followed:
        allow_events(response)
    return response


@routes.get("/deliveries/events")
async def events(request: Request) -> Response:
    """The progress as server-sent events: the part of the page that changes, whenever it does."""
    return event_stream(request, await watching(request), "deliveries", partial(_progress, site_of(request)))


def _progress(site: Site) -> Part:
    with opened(site.settings_path, site.databases) as context, one_moment(context):
        return Part(part(_LIVE, _values(context)))


def _values(context: Context) -> Mapping[str, object]:
    found = deliveries(context, context.settings.routers, at_least=SHOWN_EVENTS)
    undelivered = [each.router for each in found.routers if not each.progress.is_delivered]
    return {"found": found, "at": at, "state": state_words, "commands": undelivered}


def state_words(one: RouterStanding) -> tuple[str, bool]:
    """How far the approved configuration has come, and whether nothing is left to do."""
    if one.problem:
        return f"whether a push is under way is not known: {one.problem}", False
    if one.unfinished:
        return f"under way: {one.unfinished}", False
    return standing_words(one.progress, one.drift)
