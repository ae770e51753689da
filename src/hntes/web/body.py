"""The body of a request: what it says it is, and its bytes up to a limit."""

from starlette.requests import Request

from hntes.web.errors import RefusedError


def media_type(request: Request) -> str:
    """The media type without parameters, in small letters; empty where none is given."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def read_body(request: Request, most_bytes: int, too_long: str) -> bytes:
    """The whole body.

    Raises:
        RefusedError: it has more bytes; `too_long` says so.
    """
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most_bytes:
            raise RefusedError(413, too_long)
    return bytes(body)
