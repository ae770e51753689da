"""JSON responses, and problems of RFC 9457, in ASCII without control characters."""

import json
from collections.abc import Mapping
from http import HTTPStatus

from pydantic import BaseModel
from starlette.responses import Response

API = "/api/"


class Problem(BaseModel):
    """An error (RFC 9457): what is wrong and what to do."""

    title: str
    status: int
    detail: str


def document(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON document."""
    return Response(json.dumps(content), status, headers, media_type="application/json")


def problem(
    status: int, detail: str, *, more: Mapping[str, object] | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """A problem document; `more` are additional members."""
    named = {"title": HTTPStatus(status).phrase, "status": int(status), "detail": detail}
    return Response(json.dumps({**named, **(more or {})}), status, headers, media_type="application/problem+json")
