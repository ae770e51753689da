"""Security headers of every response: no caching, no framing, no resources but this site's style sheet."""

from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hntes.settings.web import Web
from hntes.web.api.problem import API, problem

POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)
# For pages that are followed, on which nothing can be decided: one script of this site, and its events.
LIVE_POLICY = f"{POLICY}; script-src 'self'; connect-src 'self'"
# For figures, which have inline styles: they are images in a page, and inert when opened directly.
FIGURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
POLICY_NAME = "Content-Security-Policy"
ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    # not no-referrer: browsers would then hide the origin of a form
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
# One year (RFC 6797).
HTTPS_ONLY = "max-age=31536000"
UNASKED = "/health"
# Limit of request line and headers together.
MOST_HEAD_BYTES = 32_768


class Guard:
    """Adds these headers to every response, also errors, and refuses requests for another host or with two lengths.

    Without the host check, another name that resolves to this address (DNS rebinding) would count as this site.
    """

    def __init__(self, app: ASGIApp, web: Web) -> None:
        self._app = app
        self._headers = ALWAYS | ({"Strict-Transport-Security": HTTPS_ONLY} if web.is_secure else {})
        self._hosts = {origin.partition("://")[2] for origin in web.origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(self._headers)
                headers.setdefault(POLICY_NAME, POLICY)
            await send(message)

        app, asked = self._app, Headers(scope=scope)
        if "content-length" in asked and "transfer-encoding" in asked:
            # a proxy may see a different end of the body, and the rest as another request (RFC 9112, section 6.1)
            app = _refusal(
                scope, 400, "The length of a body must be given in one way, not two.", {"Connection": "close"}
            )
        elif _head_bytes(scope) > MOST_HEAD_BYTES:
            # the server's own limit applies only to incomplete requests
            app = _refusal(scope, 431, "URL and headers are too long.")
        elif scope["path"] != UNASKED and asked.get("host", "").lower() not in self._hosts:
            app = _refusal(
                scope, 421, "This is not the address of the review page; check [web] origin in the settings."
            )
        elif not scope["query_string"].isascii():
            # RFC 3986
            app = _refusal(scope, 400, "The URL has invalid characters: encode them as %XX.")
        await app(scope, receive, send_with_headers)


def _refusal(scope: Scope, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """For programs a problem, as the application's own; for people the sentence alone."""
    if scope["path"].startswith(API):
        return problem(status, sentence, headers=headers)
    return PlainTextResponse(f"{sentence}\n", status, headers)


def _head_bytes(scope: Scope) -> int:
    """The size of request line and headers, with line ends."""
    lines = (len(name) + len(value) + len(": \r\n") for name, value in scope["headers"])
    return len(scope["path"]) + len(scope["query_string"]) + sum(lines)
