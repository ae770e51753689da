"""A response that goes on: server-sent events about one topic.

Source: HTML Living Standard, section 9.2 (server-sent events).
"""

import asyncio
from collections.abc import Awaitable, Callable

from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from hntes.web.live.topic import Live, Part, Read, Topic

# Without events something is sent all the same, by which a browser that has gone is noticed.
HEARTBEAT_S = 15.0
# Then the browser asks again, and is looked at anew.
LASTS_S = 300.0
RETRY_MS = 3000
_TYPE = b"text/event-stream; charset=utf-8"


class EventStream(Response):
    """Events of a topic: `part` with its new text, `stale` while it cannot be read, `end` after its last text.

    Args:
        who: Whose stream it is, for the limits.
        stands: Whether that person may still look.
    """

    def __init__(self, live: Live, topic: str, read: Read, who: str, stands: Callable[[], Awaitable[bool]]) -> None:
        super().__init__()
        self._live, self._topic, self._read, self._who, self._stands = live, topic, read, who, stands

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends until the browser goes, the page stops, the person may no longer look, or `LASTS_S` are over."""
        with self._live.followed(self._topic, self._read, self._who) as topic:
            if topic is None:
                refusal = PlainTextResponse("Too many pages are being followed; reload this one.\n", 503)
                await refusal(scope, receive, send)
                return
            # a proxy that buffers would keep events back
            headers = [(b"content-type", _TYPE), (b"x-accel-buffering", b"no")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            gone = asyncio.ensure_future(_gone(receive))
            try:
                await self._send_events(topic, gone, send)
            finally:
                gone.cancel()
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_events(self, topic: Topic, gone: "asyncio.Future[None]", send: Send) -> None:
        loop = asyncio.get_running_loop()
        sent: tuple[Part | None, bool] = None, False
        ends_s, body = loop.time() + LASTS_S, f"retry: {RETRY_MS}\n\n".encode()
        while not gone.done() and loop.time() < ends_s and await self._stands():
            if topic.is_ended and not topic.is_over:  # the last part is still sent to those who wait for it
                return
            changed, state = topic.changed, (topic.part, topic.is_stale)
            if state != sent:
                body, sent = body + _event(*state), state
            if topic.is_over:
                body += b"event: end\ndata:\n\n"
            await send({"type": "http.response.body", "body": body or b":\n\n", "more_body": True})
            if topic.is_over:
                return
            body = b""
            await asyncio.wait({gone, changed}, timeout=HEARTBEAT_S, return_when=asyncio.FIRST_COMPLETED)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _event(part: Part | None, is_stale: bool) -> bytes:
    if is_stale:
        return b"event: stale\ndata:\n\n"
    lines = "".join(f"data: {line}\n" for line in (part.text if part else "").split("\n"))
    return f"event: part\n{lines}\n".encode()
