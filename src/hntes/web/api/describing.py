"""How operations describe themselves for the OpenAPI document: answers, problems, bodies, parameters."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel

from hntes.web.api import texts
from hntes.web.api.problem import Forbidden, Problem

# Every operation may answer these: what is no request or too long, no token, a scope that is missing, another host's
# name, too much, a database that is away.
ALWAYS = (400, 401, 403, 421, 429, 431, 503)
MOST_ROWS = 500
_COMPONENTS: dict[str, type[BaseModel]] = {}

RouterName = Annotated[texts.RouterName, Path(description="Name of a router of the settings.")]
Day = Annotated[texts.Day, Path(description="Day of the change (UTC), YYYY-MM-DD.")]
Base = Annotated[
    str, Path(max_length=16, description="First 16 digits of the hash of the rules that it is based on."),
    texts.Described("[0-9a-f]{16}"),
]  # fmt: skip
Instant = Annotated[
    str, Path(json_schema_extra={"format": "date-time"}, description="Its start, RFC 3339 in UTC."),
    texts.Described(texts.INSTANT),
]  # fmt: skip
Limit = Annotated[int, Query(ge=1, le=MOST_ROWS, description="Most entries of the answer.")]
Offset = Annotated[int, Query(ge=0, le=10**9, description="Entries to skip: `next_offset` of the answer before.")]


def answers(*problems: int, conflict: type[Problem] = Problem, **documents: Any) -> dict[int | str, dict[str, Any]]:
    """The answers of an operation: `ok_201=Model`, and the statuses of problems beside those of every operation.

    `conflict` is the model of status 409.
    """
    good: dict[int | str, dict[str, Any]] = {
        int(name.removeprefix("ok_")): {"model": model} for name, model in documents.items()
    }
    models: dict[int, type[Problem]] = {HTTPStatus.CONFLICT: conflict, HTTPStatus.FORBIDDEN: Forbidden}
    return {**good, **{each: _problem(each, models.get(each, Problem)) for each in sorted({*ALWAYS, *problems})}}


def _problem(status: int, model: type[Problem]) -> dict[str, Any]:
    content = {"application/problem+json": {"schema": as_component(model)}}
    return {"description": HTTPStatus(status).phrase, "content": content}


def body_of(model: type[BaseModel]) -> dict[str, Any]:
    """The `openapi_extra` of an operation that reads this document."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": as_component(model)}}}}


def as_component(model: type[BaseModel]) -> dict[str, str]:
    """A reference to the model's schema, which the document then holds once."""
    _COMPONENTS[model.__name__] = model
    return {"$ref": f"#/components/schemas/{model.__name__}"}


def components() -> dict[str, dict[str, Any]]:
    """The schemas of what `as_component` named, and of what they hold, by name."""
    found: dict[str, dict[str, Any]] = {}
    for name, model in sorted(_COMPONENTS.items()):
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        found |= schema.pop("$defs", {})
        found[name] = schema
    return found
