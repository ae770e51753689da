"""The page of deliveries: windows, routers, a push that is under way, and the rounds so far."""

from collections.abc import Mapping
from functools import partial

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from hntes.format import at
from hntes.web.headers import LIVE_POLICY, POLICY_NAME
from hntes.web.live.stream import EventStream
from hntes.web.page import part
from hntes.web.request import visiting
from hntes.web.site import Site, site_of
from hntes.web.standing import standing_words
from hntes.web.visitor import address_of, required_visitor, still_stands
from hntes.workflow.context import Context, one_moment, opened
from hntes.workflow.reports.deliveries import RouterStanding, deliveries

routes = APIRouter()
MOST_EVENTS = 200
# While somebody follows a delivery without scripts: the browser asks again by itself.
FOLLOW_S = 5
_LIVE = "deliveries_live.html.j2"


@routes.get("/deliveries")
def page(request: Request, follow: str = "") -> Response:
    """The page; with ?follow=1 it follows the progress by events, or where scripts are off by being loaded again."""
    is_followed = follow == "1"
    with visiting(request) as visit:
        values = {**_values(visit.context), "is_followed": is_followed, "follow_s": FOLLOW_S}
        response = visit.page("deliveries.html.j2", values)
    if is_followed:
        response.headers[POLICY_NAME] = LIVE_POLICY
    return response


@routes.get("/deliveries/events")
async def events(request: Request) -> Response:
    """The progress as server-sent events: the part of the page that changes, whenever it does."""
    site = site_of(request)
    visitor = await run_in_threadpool(required_visitor, request, site, is_watching=True)
    who = visitor.identity if visitor.name else address_of(request, site)
    stands = partial(run_in_threadpool, still_stands, visitor, site)
    return EventStream(site.live, "deliveries", partial(_progress, site), who, stands)


def _progress(site: Site) -> str:
    with opened(site.settings_path, site.databases) as context, one_moment(context):
        return part(_LIVE, _values(context))


def _values(context: Context) -> Mapping[str, object]:
    found = deliveries(context, context.settings.routers, most_events=MOST_EVENTS)
    undelivered = [each.router for each in found.routers if not each.progress.is_delivered]
    return {"found": found, "at": at, "state": state_words, "commands": undelivered}


def state_words(one: RouterStanding) -> tuple[str, bool]:
    """How far the approved configuration has come, and whether nothing is left to do."""
    if one.unfinished:
        return f"under way: {one.unfinished}", False
    return standing_words(one.progress, one.drift)
