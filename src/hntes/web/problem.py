"""Answers to programs: JSON documents, and problems as RFC 9457 writes them; ASCII alone, which steers no text."""

import json
from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import Response

API = "/api/"


def document(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON document."""
    return Response(json.dumps(content), status, headers, media_type="application/json")


def problem(
    status: int, detail: str, *, more: Mapping[str, object] | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """What is wrong; `more` are members of its own."""
    named = {"title": HTTPStatus(status).phrase, "status": int(status), "detail": detail}
    return Response(json.dumps({**named, **(more or {})}), status, headers, media_type="application/problem+json")
