"""The OpenAPI document of the API: what may be asked, and what each answer holds.

Source: OpenAPI 3.1.0. `python -m hntes.web.api.openapi` prints it; the review page serves it at /api/openapi.json.
"""

import json
import sys
from functools import cache
from typing import Any

from fastapi import APIRouter
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from hntes.version import program_version
from hntes.web.api.describing import components as described_components
from hntes.web.api.problem import API, document
from hntes.web.api.resources import RESOURCES
from hntes.web.api.scopes import SCOPES

routes = APIRouter(prefix=API.rstrip("/"))


@routes.get("/openapi.json", include_in_schema=False)
def describe() -> Response:
    """The document; it is the same for everybody and needs no token."""
    return document(openapi())


@cache
def openapi() -> dict[str, Any]:
    """The document as OpenAPI 3.1.0; callers must not change it."""
    described = get_openapi(
        title="HNTES", version=program_version(), summary="What the review page shows and decides, and reservations",
        description=_about(), routes=[route for each in RESOURCES for route in each.routes],
    )  # fmt: skip
    # the framework adds its own refusal of parameters, which this API answers with 400
    for operation in (each for path in described["paths"].values() for each in path.values()):
        if "HTTPValidationError" in str(operation["responses"].get("422")):
            del operation["responses"]["422"]
    components = described["components"]
    components["schemas"] = {
        name: schema for name, schema in components["schemas"].items() if not name.endswith("ValidationError")
    } | described_components()
    return described


def _about() -> str:
    scopes = "; ".join(f"`{name}` {words}" for name, words in SCOPES.items())
    return (
        "What the review page shows and decides, and reservations, for programs. A request carries `Authorization: "
        "Bearer TOKEN`; `hntes user add-token` creates tokens. Each operation names the scope that it needs: "
        f"{scopes}. Bytes, rates and times have their unit in their name; days are UTC. Errors are documents of RFC "
        "9457."
    )


if __name__ == "__main__":
    sys.stdout.write(json.dumps(openapi(), indent=2) + "\n")
