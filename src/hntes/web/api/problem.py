"""JSON responses, and problems of RFC 9457, in ASCII without control characters."""

import json
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel, TypeAdapter
from starlette.responses import Response

API = "/api/"


class Problem(BaseModel):
    """An error (RFC 9457): what is wrong and what to do."""

    title: str
    status: int
    detail: str


class Forbidden(Problem):
    """What the token may not do; `missing_scope` is the scope that the operation needs, null if it lacks none."""

    missing_scope: str | None = None


def document(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON document."""
    return Response(json.dumps(content), status, headers, media_type="application/json")


def document_of(model: Any, value: object, status: int = 200) -> Response:
    """A value as a JSON document, written as the schema of its model describes it."""
    return document(plain(model, value), status)


def plain(model: Any, value: object) -> Any:
    """A value as JSON can hold it, as the schema of its model describes it."""
    return _adapter(model).dump_python(value, mode="json")


@cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)


def problem(
    status: int, detail: str, *, more: Mapping[str, object] | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """A problem document; `more` are additional members."""
    named = {"title": HTTPStatus(status).phrase, "status": int(status), "detail": detail}
    return Response(json.dumps({**named, **(more or {})}), status, headers, media_type="application/problem+json")
