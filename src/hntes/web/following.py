"""Pages that are followed by events, on which nothing is decided: their policy, and the answer that goes on."""

from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from hntes.web.headers import LIVE_POLICY, POLICY_NAME
from hntes.web.live.stream import EventStream
from hntes.web.live.topic import Read
from hntes.web.site import site_of
from hntes.web.visitor import Visitor, address_of, required_visitor, still_stands

# Without scripts the browser loads a followed page again by itself.
FOLLOW_S = 5


def allow_events(response: Response) -> None:
    """Lets a page run this site's script and ask for its events."""
    response.headers[POLICY_NAME] = LIVE_POLICY


async def watching(request: Request) -> Visitor:
    """Who asks for events, which is no use of the session.

    Raises:
        LoginNeededError, RefusedError: the visitor may not see the page.
    """
    return await run_in_threadpool(required_visitor, request, site_of(request), is_watching=True)


def event_stream(request: Request, visitor: Visitor, topic: str, read: Read) -> Response:
    """The events of a topic for this visitor, as long as the visitor may see the page."""
    site = site_of(request)
    who = visitor.identity if visitor.name else address_of(request, site)
    return EventStream(site.live, topic, read, who, partial(run_in_threadpool, still_stands, visitor, site))
