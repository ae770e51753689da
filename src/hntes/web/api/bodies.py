"""JSON documents in the bodies of requests: size limit, parsing, and what they may hold."""

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import Request

from hntes.web.body import media_type, read_body
from hntes.web.errors import RefusedError

MOST_BYTES = 16_384
MOST_NAMED = 10


class Body(BaseModel):
    """A document of a request: unknown fields are refused, and a number is no text."""

    model_config = ConfigDict(extra="forbid", strict=True)


AnyBody = TypeVar("AnyBody", bound=Body)


def reader_of(model: type[AnyBody]) -> Callable[[Request], Awaitable[AnyBody]]:
    """Reads the document of a request; a dependency.

    Its errors are RefusedError: it is too long, not JSON, or invalid; the sentence names the fields.
    """

    async def read(request: Request) -> AnyBody:
        if media_type(request) != "application/json":
            raise RefusedError(415, "send a document of type application/json")
        body = await read_body(request, MOST_BYTES, f"the document is longer than {MOST_BYTES} bytes")
        try:
            given = json.loads(body.decode("utf-8"), object_pairs_hook=_object, parse_float=_number)
            return model.model_validate(given)
        except ValidationError as cause:
            found = cause.errors(include_url=False, include_input=False, include_context=False)
            raise RefusedError(422, problems_of(found)) from cause
        except (ValueError, RecursionError) as cause:
            raise RefusedError(400, "the document is not valid JSON") from cause

    return read


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; duplicate names are ambiguous (RFC 8259, section 4)."""
    named = dict(members)
    if len(named) < len(members):
        raise RefusedError(400, "the document has a field twice")
    return named


def _number(text: str) -> float:
    """A number with a fraction or an exponent; 4.0 is the integer 4 (JSON Schema 2020-12 validation, 6.1.1)."""
    value = float(text)
    return int(value) if value.is_integer() else value


def problems_of(found: Any) -> str:
    """The problem of each field, without the given values."""
    named = [f"{'.'.join(map(str, each['loc'])) or 'the document'}: {each['msg']}" for each in found[:MOST_NAMED]]
    return "; ".join(named)
