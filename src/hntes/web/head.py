"""HEAD: answered wherever GET is, with the same headers and no content (RFC 9110, sections 9.1 and 9.3.2)."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Head:
    """Asks the application for GET instead of HEAD, and sends only the beginning of its answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def receive_or_gone() -> Message:
            # a stream would go on otherwise, as long as nobody leaves
            return {"type": "http.disconnect"} if has_begun else await receive()

        async def send_beginning(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                await send(message)
                await send({"type": "http.response.body", "body": b"", "more_body": False})

        await self._app({**scope, "method": "GET"}, receive_or_gone, send_beginning)
