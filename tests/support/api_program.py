"""A program with a token, and the contract that every answer to it keeps."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from hntes.web.api.openapi import openapi
from hntes.web.api.scopes import SCOPES
from hntes.web.api.tokens import add_token
from hntes.web.app import made
from hntes.web.site import Site
from tests.support.review_page import ORIGIN

PROBLEM = "application/problem+json"


@dataclass(frozen=True)
class Operation:
    """One operation of the OpenAPI document; `path` has names in braces."""

    method: str
    path: str
    described: dict[str, Any] = field(hash=False)

    @property
    def scopes(self) -> list[str]:
        (required,) = self.described["security"]
        return list(required["token"])

    @property
    def has_body(self) -> bool:
        return "requestBody" in self.described

    def example(self, **given: str) -> str:
        """An address: names of the path filled in, and a value for each parameter that is required."""
        address = re.sub(r"{(\w+)}", lambda found: given.get(found[1], "r9"), self.path)
        needed = [each for each in self.described.get("parameters", ()) if each["in"] == "query" and each["required"]]
        query = "&".join(f"{each['name']}={given.get(each['name'], 'r9')}" for each in needed)
        return f"{address}?{query}" if query else address

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def operations() -> Iterator[Operation]:
    """All operations of the document."""
    for path, methods in openapi()["paths"].items():
        for method, described in methods.items():
            yield Operation(method.upper(), path, described)


def operation_at(method: str, address: str) -> Operation | None:
    """The operation that answers a request; None if the document has none."""
    path = address.partition("?")[0]
    fitting = [
        each for each in operations()
        if each.method == method and re.fullmatch(re.sub(r"{\w+}", "[^/]+", each.path), path)
    ]  # fmt: skip
    return min(fitting, key=lambda each: each.path.count("{"), default=None)


def require_contract(method: str, address: str, answer: Any) -> None:
    """Fails unless the answer's status, type and document are what the OpenAPI document says."""
    operation = operation_at(method, address)
    if operation is None:
        return
    told = operation.described["responses"]
    assert str(answer.status_code) in told, f"{operation}: {answer.status_code} {answer.text}"
    content = told[str(answer.status_code)]["content"]
    assert answer.headers["content-type"] in content, f"{operation}: {answer.headers['content-type']}"
    if answer.headers["content-type"].endswith("json"):
        assert answer.content.isascii()
        # the whole document, so that references are found
        schema = content[answer.headers["content-type"]]["schema"]
        Draft202012Validator({**schema, "components": openapi()["components"]}).validate(answer.json())


@dataclass
class Program:
    """A program with a token; each of its answers is held against the OpenAPI document."""

    server: Site
    token: str
    peer: str = "127.0.0.1"

    def __post_init__(self) -> None:
        self.client = TestClient(
            made(self.server), base_url=ORIGIN, client=(self.peer, 40_000), raise_server_exceptions=False
        )

    def ask(self, method: str, address: str, *, body: Any = None, raw: bytes | None = None, **headers: str) -> Any:
        content = raw if raw is not None else None if body is None else json.dumps(body).encode()
        sent = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **headers}
        raw_headers = {name: value.encode("latin-1") for name, value in sent.items()}
        answer = self.client.request(method, address, content=content, headers=raw_headers)
        require_contract(method, address, answer)
        return answer

    def get(self, address: str) -> Any:
        """The document at an address that answers 200."""
        answer = self.ask("GET", address)
        assert answer.status_code == 200, answer.text
        return answer.json()


def program(server: Site, *scopes: str, name: str = "deploy", owner: str = "anna") -> Program:
    """A program whose new token has these scopes, or all of them."""
    return Program(server, add_token(server.web.tokens, name, owner, (), scopes or tuple(SCOPES)))
